import type { OutgoingMail } from './render-mail.js';

/**
 * @returns the recipients that the server refused; the others get it.
 * @throws Error when all were refused
 */
export type SendMail = (mail: OutgoingMail & { id: string; to: readonly string[] }) => Promise<string[]>;

const TIMEOUT_MS = 10_000;

/** Sends mails through the server of SMTP_URL. Options in its query string are nodemailer's. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }): SendMail {
  return async ({ id, to, subject, text, html }) => {
    // Loaded when there is something to send.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(smtpUrl, {
      from,
      disableFileAccess: true,
      disableUrlAccess: true,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    } as object);
    try {
      const { rejected } = await transport.sendMail({
        // Not parsed: as they were checked.
        to: to.map((address) => ({ name: '', address })),
        subject,
        text,
        html,
        // Another attempt is the same mail.
        messageId: `<${id}@${/@([\w.-]+)/.exec(from)?.[1] ?? 'pathmend.invalid'}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      return rejected;
    } finally {
      transport.close();
    }
  };
}
