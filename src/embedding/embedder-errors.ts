import { OperatorError } from '../errors.js';

/** Too many calls or characters are waiting in this lane. Try again in a moment. */
export class EmbedderOverloaded extends Error {
  override readonly name = 'EmbedderOverloaded';
}

/** No answer within the call's deadline. */
export class EmbedderTimeout extends Error {
  override readonly name = 'EmbedderTimeout';
}

/** The thread died under this call, or the embedder was stopped. The text is not known to be at fault: retriable. */
export class EmbedderCrashed extends Error {
  override readonly name = 'EmbedderCrashed';
}

/** This text cannot be embedded by this model; the same call would fail again. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
}

/** The model's files are missing, altered or unfit, or no model with that fingerprint is loaded. For the operator. */
export class ModelUnavailable extends OperatorError {
  override readonly name = 'ModelUnavailable';
}
