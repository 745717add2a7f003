import { timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { forbidden, invalid, overloaded } from '../../base/errors.js';
import { readBytes } from '../../http/read-body.js';
import type { InFlightBytes } from '../../platform/limits/in-flight-bytes.js';
import { readUpload, type ReceivedForm, type Upload } from './upload.js';

export const TOKEN_FIELD = 'form_token';
const MAX_FORM_BYTES = 65_536;

/** The fields of a form that was posted. */
export class Form {
  readonly #fields: URLSearchParams;
  readonly #upload: Upload | undefined;

  constructor(fields: URLSearchParams, upload?: Upload) {
    this.#fields = fields;
    this.#upload = upload;
  }

  /** Returns the file of the form, which can be read once. @throws ApiError that names the field */
  upload(name: string): Upload {
    if (!this.#upload) throw invalid(name, 'Choose a file.');
    return this.#upload;
  }

  /** Returns a field as it was filled in; undefined if the form lacks it. */
  get(name: string): string | undefined {
    return this.#fields.get(name) ?? undefined;
  }

  all(name: string): string[] {
    return this.#fields.getAll(name);
  }

  /** All fields, in the order of the form. */
  entries(): URLSearchParams {
    return this.#fields;
  }

  /** Returns a field without spaces around it. @throws ApiError that names the field */
  text(name: string, max: number, min = 1): string {
    const text = (this.get(name) ?? '').trim();
    const length = [...text].length;
    if (length < min) throw invalid(name, min === 1 ? 'This field is required.' : `Enter at least ${min} characters.`);
    if (length > max) throw invalid(name, `Enter at most ${max} characters: this has ${length}.`);
    return text;
  }

  /** @throws ApiError that names the field */
  choice<const Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const text = this.get(name);
    const chosen = choices.find((choice) => choice === text);
    if (chosen === undefined) throw invalid(name, `Choose one of: ${choices.join(', ')}.`);
    return chosen;
  }
}

/** Reads a form of this console. @throws ApiError for another site's, or one without its token; payload_too_large */
export async function readForm(
  request: Request,
  received: Promise<ReceivedForm>,
  options: { formToken: string; consoleUrl: string },
): Promise<Form> {
  checkOrigin(request, options.consoleUrl);
  const { fields, upload } = await received;
  const token = Buffer.from(fields.get(TOKEN_FIELD) ?? '');
  const expected = Buffer.from(options.formToken);
  if (token.length !== expected.length || !timingSafeEqual(token, expected))
    throw forbidden('This form is from an earlier session. Go back, reload the page and submit it again.');
  for (const [name, value] of fields)
    if (value.includes('\0') || name.includes('\0'))
      throw invalid(name.replaceAll('\0', ''), 'Remove the null character (U+0000): it cannot be stored.');
  return new Form(fields, upload);
}

/** Receives a form before it gets a slot, so that a slow sender delays no other user. A file is its last field. */
export async function receiveForm(
  request: Request,
  response: Response,
  { maxBytes = MAX_FORM_BYTES, maxUpload }: { maxBytes?: number; maxUpload?: number },
  bytes: InFlightBytes,
): Promise<ReceivedForm> {
  const type = request.get('content-type') ?? '';
  if (maxUpload !== undefined && /^multipart\/form-data\b/i.test(type)) return readUpload(request, response, maxUpload);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type))
    throw invalid(undefined, 'Send the form as application/x-www-form-urlencoded.');
  return { fields: new URLSearchParams((await readBytes(request, response, maxBytes, bytes)).toString()) };
}

/** Checks that a form comes from the console, by headers that all browsers send. Without them, the token decides. */
function checkOrigin(request: Request, consoleUrl: string): void {
  const site = request.get('sec-fetch-site');
  const origin = request.get('origin');
  const isOurs =
    site === undefined ? origin === undefined || origin === new URL(consoleUrl).origin : site === 'same-origin';
  if (!isOurs) throw forbidden('The form was sent by another site. Submit it from the console.');
}

/** So many large forms and files are received at once, from one user and from all. A file takes 64 MiB at most. */
const MAX_OF_USER = 2;
const MAX_OF_ALL = 32;

/** Limits large forms. Each has half a minute (http/server.ts), so that a stalled one is cut off. */
export class Receiving {
  readonly #users: string[] = [];

  /** @throws ApiError overloaded */
  async run<Result>(user: string, receive: () => Promise<Result>): Promise<Result> {
    if (this.#users.length >= MAX_OF_ALL || this.#users.filter((other) => other === user).length >= MAX_OF_USER)
      throw overloaded();
    this.#users.push(user);
    try {
      return await receive();
    } finally {
      this.#users.splice(this.#users.indexOf(user), 1);
    }
  }
}
