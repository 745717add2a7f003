export { random } from '#src/demo/seeded.js';
