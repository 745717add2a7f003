import { createHash } from 'node:crypto';
import type { ModelManifest } from './model-manifest.js';

export interface LoadedModel {
  /** Identifies the vectors of this model. Vectors with different fingerprints must never be compared. */
  fingerprint: string;
  manifest: ModelManifest;
  /** Absolute path of the folder with the files. */
  location: string;
  /** Milliseconds that a chunk of maximum length took on this machine when the model was loaded. */
  chunkMs: number;
}

/** A model that needs less time per chunk embeds pages in the thread for queries, which then hardly wait. */
const QUICK_MS = 2;

export const isQuick = ({ chunkMs }: Pick<LoadedModel, 'chunkMs'>): boolean => chunkMs < QUICK_MS;

/** The hash that is stored with the vector of a text, see pathmend.chunks. */
export function hashText(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigInt64BE();
}

export interface EmbeddedChunk {
  /** Position in the text, from 0. */
  ordinal: number;
  /** UTF-16 offsets: `content.slice(start, end)` is the chunk. Neighbouring chunks may overlap. */
  start: number;
  end: number;
  /** The vector of the chunk: of unit length, or all zeros when the model knows no token of the text. */
  vector: Float32Array;
}

export interface EmbedOptions {
  /** An abort rejects the call with the reason of the signal. Work that has not begun is skipped. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the call is rejected with EmbedderTimeout. Default: 5,000 for a query, 120,000 for a page. */
  deadlineMs?: number;
}

export interface ContentOptions extends EmbedOptions {
  /** Looks up known vectors of texts, and returns them in the order of the texts. Only slow models use it. */
  known?: ((texts: readonly string[]) => Promise<(Float32Array | undefined)[]>) | undefined;
}

/**
 * Turns text into vectors. It computes in worker threads, never on the caller's thread.
 *
 * Rejections: EmbedderOverloaded (the lane is full), EmbedderTimeout, EmbedderCrashed (try again), EmbeddingFailed
 * (this text will fail again), ModelUnavailable (the operator has to act).
 */
export interface Embedder {
  /**
   * Loads and warms up a model: one of our names, a folder, or a hub id `owner/name`. Loads each location once; retries
   * a failed load.
   */
  load(location: string): Promise<LoadedModel>;
  /** Frees a model. Calls that need it are rejected until it is loaded again. */
  unload(fingerprint: string): void;
  embedQuery(fingerprint: string, text: string, options?: EmbedOptions): Promise<Float32Array>;
  /** Embeds the chunks of a page's content, in order. Blank content has no chunks. */
  embedContent(fingerprint: string, content: string, options?: ContentOptions): Promise<EmbeddedChunk[]>;
  /** Caches vectors of pages' texts, by their {@link hashText}. */
  keep?(fingerprint: string, vectors: ReadonlyMap<bigint, Float32Array>): void;
  /** Whether the thread for queries has all loaded models; true without any. */
  ready(): boolean;
  /** `waiting`: calls without an answer. The other figures count since the start. */
  stats(): { waiting: number; restarts: number; queries: number; passages: number };
  /** Rejects pending calls and ends the thread. Safe to call twice. */
  stop(): Promise<void>;
}

export interface EmbedderOptions {
  /** Folder for models from the hub. */
  cacheFolder: string;
  /** The hub. Default https://huggingface.co. */
  hubUrl?: string;
  /** Max pending calls per lane (queries; pages): pages cannot crowd out queries. Default 256. */
  maxPending?: number;
  /** Max characters of pending calls per lane. Default 16,000,000. */
  maxPendingCharacters?: number;
  /** A thread is replaced when work goes on for this long after its deadline or its abort. Default 10,000. */
  hungAfterMs?: number;
  /** Receives the reason when a thread was lost, or when a model could not be loaded into the next one. */
  onFault?: (reason: string) => void;
  /** The thread's entry file, for tests. Default onnx-thread.js. */
  threadUrl?: URL;
}
