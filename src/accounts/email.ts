import { invalid } from '../base/errors.js';

const MAX_EMAIL = 254;

/** An e-mail address in lower case. @throws ApiError of status 400 that names the field */
export function readEmail(text: string, field = 'email'): string {
  const email = text.trim().toLowerCase();
  if (email.length > MAX_EMAIL || !/^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email))
    throw invalid(field, 'This is no e-mail address: it looks like name@example.com.');
  return email;
}
