/** The real embedding thread, except that some texts bring it down. For the tests of restarting. */
import { parentPort } from 'node:worker_threads';
import '#src/embedding/onnx-thread.js';

parentPort?.on('message', (message: { type: string; text?: string }) => {
  // Only JavaScript splits.
  if (message.type === 'split') return;
  if (message.text === 'exit, please') process.exit(7);
  if (message.text === 'throw, please') throw new Error('thrown as asked');
  // What a native call that never comes back looks like from outside.
  if (message.text === 'hang, please') for (;;);
});
