import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { random } from '../../scripts/seeded.js';

export interface TinyModelOptions {
  /** The length of a vector, 16 by default. */
  dimensions?: number;
  /** The seed of the random table, 1 by default. */
  seed?: number;
  /** The whole words of the vocabulary. All other words are spelt in letters, or unknown. */
  words?: string[];
  /** Whether words are spelt by Unigram, as in XLM-R, in place of WordPiece. */
  unigram?: boolean;
  /** Further JSON files, or other contents of config.json and its like, by path. */
  files?: Record<string, unknown>;
  /** The ONNX file's name below onnx/, model.onnx by default. */
  onnxFile?: string;
  /** The path of the weights in the graph, relative to its file. The caller writes that file, from `table`. */
  weightsAt?: string;
  /** The model's folder; by default a new one in the system's temporary folder. */
  folder?: string;
}

export interface TinyModel {
  folder: string;
  dimensions: number;
  /** All weights, as they are in a file next to the graph. */
  table: Float32Array;
  /** The row of a token such as `[CLS]`, `cat` or `##s`; of a Unigram model `<s>`, `▁cat` or `s`. */
  row(token: string): Float32Array;
}

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
const UNIGRAM_SPECIAL = ['<pad>', '<unk>', '<s>', '</s>', '<mask>'];
const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,!?-#');

/**
 * Writes a model of the usual layout whose last_hidden_state is a row of a seeded random table per token: real
 * tokenizing and real inference in a few kilobytes. The rows of the padding and of the unknown token are zeros.
 */
export async function buildTinyModel(options: TinyModelOptions = {}): Promise<TinyModel> {
  const { dimensions = 16, seed = 1, words = [], onnxFile = 'model.onnx' } = options;
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'pathmend-tiny-model-')));
  const vocabulary = options.unigram
    ? [...UNIGRAM_SPECIAL, '▁', ...LETTERS, ...words.map((word) => `▁${word}`)]
    : [...SPECIAL, ...LETTERS, ...LETTERS.map((letter) => `##${letter}`), ...words];
  const next = random(seed);
  const table = Float32Array.from({ length: vocabulary.length * dimensions }, () => 2 * next() - 1).fill(
    0,
    0,
    2 * dimensions,
  );
  const files: Record<string, unknown> = {
    'config.json': { model_type: 'bert', architectures: ['BertModel'], hidden_size: dimensions },
    'tokenizer_config.json': {
      tokenizer_class: options.unigram ? 'XLMRobertaTokenizer' : 'BertTokenizer',
      model_max_length: 64,
      pad_token: vocabulary[0],
    },
    'tokenizer.json': options.unigram ? unigramTokenizer(vocabulary) : wordPieceTokenizer(vocabulary),
    ...options.files,
  };
  for (const [path, value] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(value));
  }
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await writeFile(join(folder, 'onnx', onnxFile), gatherModel(table, vocabulary.length, dimensions, options.weightsAt));
  const row = (token: string): Float32Array => {
    const at = vocabulary.indexOf(token);
    if (at < 0) throw new Error(`no token ${token} in the tiny vocabulary`);
    return table.slice(at * dimensions, (at + 1) * dimensions);
  };
  return { folder, dimensions, table, row };
}

function wordPieceTokenizer(vocabulary: string[]): unknown {
  return {
    ...tokenizerAround(vocabulary, SPECIAL),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    },
  };
}

function unigramTokenizer(vocabulary: string[]): unknown {
  const metaspace = { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' };
  return {
    ...tokenizerAround(vocabulary, UNIGRAM_SPECIAL),
    normalizer: null,
    pre_tokenizer: metaspace,
    decoder: metaspace,
    // A longer piece is more probable than its letters.
    model: { type: 'Unigram', unk_id: 1, vocab: vocabulary.map((token) => [token, -10]) },
  };
}

/** The parts of tokenizer.json that both kinds share: the special tokens, and those around a text. */
function tokenizerAround(vocabulary: string[], specialTokens: string[]): object {
  const [, , opening = '', closing = ''] = specialTokens;
  const special = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } });
  const ids = (token: string) => ({ id: token, ids: [vocabulary.indexOf(token)], tokens: [token] });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specialTokens.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    post_processor: {
      type: 'TemplateProcessing',
      single: [special(opening), { Sequence: { id: 'A', type_id: 0 } }, special(closing)],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { [opening]: ids(opening), [closing]: ids(closing) },
    },
  };
}

/** An ONNX file (protobuf, field numbers from onnx.proto3): last_hidden_state = Gather(table, input_ids). */
function gatherModel(table: Float32Array, rows: number, columns: number, weightsAt?: string): Buffer {
  const value = (name: string, type: number, shape: (string | number)[]) =>
    message(
      bytes(1, name),
      bytes(
        2,
        bytes(
          1,
          message(
            varint(1, type),
            bytes(
              2,
              message(...shape.map((size) => bytes(1, typeof size === 'string' ? bytes(2, size) : varint(1, size)))),
            ),
          ),
        ),
      ),
    );
  const [float, int64] = [1, 7];
  const node = message(bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather'));
  const data = Buffer.from(table.buffer);
  const entry = (key: string, value: string) => bytes(13, message(bytes(1, key), bytes(2, value)));
  const external = 1;
  const place =
    weightsAt === undefined
      ? [bytes(9, data)]
      : [
          entry('location', weightsAt),
          entry('offset', '0'),
          entry('length', String(data.length)),
          varint(14, external),
        ];
  const weights = message(varint(1, rows), varint(1, columns), varint(2, float), bytes(8, 'table'), ...place);
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
  const graph = message(
    bytes(1, node),
    bytes(2, 'tiny'),
    bytes(5, weights),
    ...inputs.map((name) => bytes(11, value(name, int64, ['texts', 'tokens']))),
    bytes(12, value('last_hidden_state', float, ['texts', 'tokens', columns])),
  );
  return message(varint(1, 8), bytes(7, graph), bytes(8, varint(2, 13)));
}

function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function varint(field: number, value: number): Buffer {
  return Buffer.from([...base128(field << 3), ...base128(value)]);
}

function bytes(field: number, content: Buffer | string): Buffer {
  const body = Buffer.from(content as string);
  return Buffer.concat([Buffer.from([...base128((field << 3) | 2), ...base128(body.length)]), body]);
}

function base128(value: number): number[] {
  const groups = [];
  for (; value > 127; value = Math.floor(value / 128)) groups.push((value % 128) | 128);
  return [...groups, value];
}
