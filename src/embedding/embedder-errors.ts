import { OperatorError } from '../base/errors.js';

/** Too many calls or characters are pending in this lane. Retriable. */
export class EmbedderOverloaded extends Error {
  override readonly name = 'EmbedderOverloaded';
}

/** The embedder gave no answer before the deadline. */
export class EmbedderTimeout extends Error {
  override readonly name = 'EmbedderTimeout';
}

/** The thread died during this call, or the embedder was stopped. Retriable: the text need not be the cause. */
export class EmbedderCrashed extends Error {
  override readonly name = 'EmbedderCrashed';
}

/** This model cannot embed this text. The same call would fail again. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
}

/** The model's files are missing, altered or unsupported, or no model with this fingerprint is loaded. */
export class ModelUnavailable extends OperatorError {
  override readonly name = 'ModelUnavailable';
}
