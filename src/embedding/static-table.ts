import { readFileSync } from 'node:fs';
import type { TokenTable } from './token-table.js';

/** https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
const MODEL = { producer: 2, graph: 7 };
const GRAPH = { initializer: 5 };
const TENSOR = { dims: 1, type: 2, name: 8, raw: 9 };
const TYPE = { float: 1, int8: 3 };

interface Tensor {
  type: number;
  dims: number[];
  raw: Uint8Array;
}

/**
 * The token table of a model that scripts/model/export.py wrote: the tensors `table`, 8-bit numbers, and `scale`, one
 * number a row, which its graph multiplies. Undefined for any other model. The numbers stay where they were read to: no
 * onnxruntime, no second copy (docs/decisions/0060-token-table.md).
 */
export function readStaticTable(file: string, vocabulary: number, dimensions: number): TokenTable | undefined {
  const model = [...fieldsOf(readFileSync(file))];
  const [producer, graph] = [bytesOf(model, MODEL.producer), bytesOf(model, MODEL.graph)];
  if (!producer || !graph || Buffer.from(producer).toString() !== 'pathmend') return undefined;
  const tensors = new Map<string, Tensor>();
  for (const { number, value } of fieldsOf(graph))
    if (number === GRAPH.initializer && typeof value !== 'number') {
      const { name, ...tensor } = readTensor(value);
      tensors.set(name, tensor);
    }
  const [numbers, scales] = [tensors.get('table'), tensors.get('scale')];
  if (numbers?.type !== TYPE.int8 || numbers.raw.length !== vocabulary * dimensions) return undefined;
  if (scales?.type !== TYPE.float || scales.raw.length !== vocabulary * Float32Array.BYTES_PER_ELEMENT)
    return undefined;
  if (numbers.dims.join() !== `${vocabulary},${dimensions}` || scales.dims.join() !== `${vocabulary},1`)
    return undefined;
  const { buffer, byteOffset, length } = numbers.raw;
  return {
    dimensions,
    numbers: new Int8Array(buffer, byteOffset, length),
    // Copied: floats have to begin at a multiple of four bytes. Every machine that Node runs on is little-endian.
    scales: new Float32Array(new Uint8Array(scales.raw).buffer),
  };
}

function readTensor(message: Uint8Array): Tensor & { name: string } {
  const fields = [...fieldsOf(message)];
  const numbersOf = (wanted: number): number[] =>
    fields.flatMap(({ number, value }) => (number === wanted && typeof value === 'number' ? [value] : []));
  return {
    name: Buffer.from(bytesOf(fields, TENSOR.name) ?? []).toString(),
    type: numbersOf(TENSOR.type)[0] ?? 0,
    dims: numbersOf(TENSOR.dims),
    raw: bytesOf(fields, TENSOR.raw) ?? new Uint8Array(0),
  };
}

/** A number for a varint, views for bytes, strings and messages. */
interface Field {
  number: number;
  value: number | Uint8Array;
}

function bytesOf(fields: readonly Field[], wanted: number): Uint8Array | undefined {
  const value = fields.find(({ number }) => number === wanted)?.value;
  return typeof value === 'number' ? undefined : value;
}

/** The fields of a protobuf message (https://protobuf.dev/programming-guides/encoding). Ends where it cannot be one. */
function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  function varint(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = message[at++];
      if (byte === undefined) return NaN;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
  }
  while (at < message.length) {
    const tag = varint();
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) yield { number, value: varint() };
    else if (wire === 2) {
      const length = varint();
      if (!(at + length <= message.length)) return;
      yield { number, value: message.subarray(at, at + length) };
      at += length;
    } else if (wire === 1 || wire === 5) at += wire === 1 ? 8 : 4;
    else return;
  }
}
