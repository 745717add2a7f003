import { expect } from 'chai';

/** The error that a promise rejects with; fails where it does not, or with one of another class. */
export async function rejection<T extends Error>(
  promise: Promise<unknown>,
  errorClass: new (...parameters: never[]) => T,
): Promise<T> {
  const outcome = await promise.then(
    () => 'fulfilled',
    (error: unknown) => error,
  );
  expect(outcome).to.be.instanceOf(errorClass);
  return outcome as T;
}

/** The dot product; NaN where a vector is missing, which no expectation accepts. */
export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return a && b ? a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) : NaN;
}
