/** transformers.js looks whether there is a sharp when it is imported, and calls it for images alone. */
export default function sharp() {
  throw new Error('Images cannot be read: sharp is left out of this installation (left-out/README.md).');
}
