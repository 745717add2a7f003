/** The real embedding thread, except that some texts make it fail. The tests of restarts use it. */
import answer, { type Answer } from '#src/embedding/onnx-thread.js';

export default function answerOrFail(task: Parameters<typeof answer>[0]): Promise<Answer> {
  const texts = task.type === 'query' ? [task.text] : task.type === 'passages' ? task.texts : [];
  if (texts.includes('exit, please')) process.exit(7);
  // A native call that never returns looks like this from outside.
  if (texts.includes('hang, please')) for (;;);
  if (texts.includes('throw, please'))
    return new Promise(() => {
      setImmediate(() => {
        throw new Error('thrown as asked');
      });
    });
  return answer(task);
}
