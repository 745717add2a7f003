export { random } from '#src/app/demo/seeded.js';
