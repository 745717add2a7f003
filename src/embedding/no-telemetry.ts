/**
 * Turns off the telemetry of onnxruntime. Since 1.29 its official builds report what they run, and on which machine, to
 * Microsoft (github.com/microsoft/onnxruntime/pull/27379), and leave a device id in the cache of the user. onnxruntime
 * reads the variable once, when a process opens its first session, so this call must come before that. It overrides
 * what an operator has set.
 *
 * Call it on the main thread: `process.env` of a worker thread is a copy that native code does not see.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}
