/**
 * Entry of the process that reads the token table of a static model (read-table-aside.ts). It sends the table to its
 * parent; when it cannot, it only ends.
 */
import { disableTelemetry } from './no-telemetry.js';
import { OnnxInference } from './onnx-inference.js';
import type { TableRequest } from './read-table-aside.js';
import { readTokenTable } from './token-table.js';

disableTelemetry();
process.once('message', (request: TableRequest) => {
  void (async () => {
    const { folder, manifest, vocabulary } = request;
    const session = await OnnxInference.open(folder, manifest, 1, 0);
    const table = await readTokenTable(
      (tokens, read) => session.readStates(tokens, read),
      vocabulary,
      manifest.maximumTokens,
    );
    process.send?.(table, () => process.exit());
  })().catch(() => process.exit(1));
});
