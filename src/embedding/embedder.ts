import type { ModelManifest } from './model-manifest.js';

export interface LoadedModel {
  /** Names the vectors of this model: vectors with different fingerprints must never be compared. */
  fingerprint: string;
  manifest: ModelManifest;
  /** The folder that holds the files, absolute. */
  location: string;
  /** How long a passage of full length took on this machine when the model was loaded, in milliseconds. */
  passageMs: number;
}

export interface EmbeddedPassage {
  /** 0, 1, 2, … in the order of the text. */
  ordinal: number;
  /** UTF-16 offsets into the content: `content.slice(start, end)` is the passage. Neighbours may overlap. */
  start: number;
  end: number;
  /** Unit length, or all zeros where the model knows nothing of the text. */
  vector: Float32Array;
}

export interface EmbedOptions {
  /** An abort rejects with the signal's reason; work that has not begun is skipped. */
  signal?: AbortSignal;
  /** Milliseconds from the call until it is rejected with EmbedderTimeout. */
  deadlineMs?: number;
}

/**
 * Turns text into vectors without ever computing on the caller's thread.
 *
 * Rejections: EmbedderOverloaded (the lane is full), EmbedderTimeout, EmbedderCrashed (try again), EmbeddingFailed
 * (this text will fail again), ModelUnavailable (the operator has to act). See errors.ts.
 */
export interface Embedder {
  /**
   * Loads and warms up a model: `undefined` for the bundled one, a folder, or a hub id `owner/name`. Idempotent per
   * location; a load that failed may be tried again.
   */
  load(location: string | undefined): Promise<LoadedModel>;
  embedQuery(fingerprint: string, text: string, options?: EmbedOptions): Promise<Float32Array>;
  /** The passages of a page's content, in order; none for content that is only white space. */
  embedContent(fingerprint: string, content: string, options?: EmbedOptions): Promise<EmbeddedPassage[]>;
  /** Whether a thread is up with its models warm. */
  ready(): boolean;
  /** `waiting`: calls that have no answer yet; the others count since the start. */
  stats(): { waiting: number; restarts: number; queries: number; passages: number };
  /** Rejects what is waiting and ends the thread. Safe to call twice. */
  stop(): Promise<void>;
}

export interface EmbedderOptions {
  /** Models that are fetched from the hub are kept here. */
  cacheFolder: string;
  /** Where hub ids are looked up. Default https://huggingface.co. */
  hubUrl?: string;
  /** Cores that one inference may use. Default 1. */
  intraOpThreads?: number;
  /** A sentence of up to this many tokens is repeated at the start of the next passage. Default 24. */
  overlapTokens?: number;
  /** Calls without an answer, per lane (queries; pages), so that pages cannot crowd out queries. Default 256. */
  maxPending?: number;
  /** Characters of the calls without an answer, per lane. Default 16,000,000. */
  maxPendingCharacters?: number;
  /** Default 5,000. */
  queryDeadlineMs?: number;
  /** Default 120,000. */
  contentDeadlineMs?: number;
  /** Downloads included. Default 600,000. */
  loadDeadlineMs?: number;
  /** A thread that gives no sign of life for this long after a missed deadline is replaced. Default 10,000. */
  hungAfterMs?: number;
  /** Before the first restart in a row; doubles up to 30 s. Default 200. */
  restartDelayMs?: number;
  /** Told, for the log, why a thread was lost or a model could not be loaded into the next one. */
  onFault?: (reason: string) => void;
  /** The thread's entry, for tests. Default onnx-thread.js beside this file. */
  threadUrl?: URL;
}
