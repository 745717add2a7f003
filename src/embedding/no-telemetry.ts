/**
 * Keeps onnxruntime from calling home: since 1.29 its official builds send what they run, and on what, to their maker
 * (github.com/microsoft/onnxruntime/pull/27379), and leave a device id in the user's cache. It asks the environment
 * once in a process, when the first session is opened, so this comes before that, whatever an operator has set.
 *
 * Call it on the main thread: `process.env` of a worker thread is a copy that native code does not see.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}
