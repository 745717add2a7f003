import { readEmail } from '../accounts/credentials.js';
import { invalid } from '../base/errors.js';
import type { Config } from '../platform/settings/config.js';
import { webhookBody, type About, type Message } from './alert.js';
import { createMailer, renderMail, type SendMail } from './mail.js';
import { checkWebhookUrl, createWebhookPost, type PostWebhook } from './post-webhook.js';

/** A watch notifies these receivers, which are columns of `pathmend.watches`. */
export interface Receivers {
  emails: string[];
  webhook_url: string | null;
  /** The key of its signatures. */
  webhook_secret: Buffer | null;
}

export const NO_RECEIVERS: Receivers = { emails: [], webhook_url: null, webhook_secret: null };

/** The ways in which the operator allows messages to be sent. */
export interface Sending {
  /** The setting WEBHOOK_NETWORKS lists them. */
  webhookNetworks: readonly string[];
  /** Whether SMTP_URL is set. */
  sendsMail: boolean;
}

/** A process sends its messages by these. */
export interface Senders {
  postWebhook: PostWebhook;
  /** Undefined: SMTP_URL is not set. */
  sendMail: SendMail | undefined;
  /** CONSOLE_URL without a slash at its end. */
  consoleUrl: string | undefined;
}

export function createSenders(config: Pick<Config, 'mail' | 'webhookNetworks' | 'consoleUrl'>): Senders {
  return {
    postWebhook: createWebhookPost(config.webhookNetworks),
    sendMail: config.mail && createMailer(config.mail),
    consoleUrl: config.consoleUrl,
  };
}

/** This error means that another attempt to send would fail, too. */
export class Undeliverable extends Error {}

/** A kind of receiver. The console and the command line ask for it, and show it, with these texts. */
interface Channel {
  name: string;
  /** The column that holds the receivers. Errors and the answer of `watch show` use its name, too. */
  column: Exclude<keyof Receivers, 'webhook_secret'>;
  /** The text of `watch show` if the channel has no receivers. */
  nobody: string;
  addressesIn: (receivers: Receivers) => readonly string[];
  /** @throws ApiError of status 400 that names the column */
  check: (addresses: readonly string[], sending: Sending) => Promise<Partial<Receivers>>;
  /** @returns who does not get it, where others do. @throws Undeliverable */
  send: (senders: Senders, to: Receivers, message: Message, id: string, about: About) => Promise<string[]>;
  /** A field of the console's form. `several`: with commas between them. */
  field: {
    label: string;
    hint: (sending: Sending) => string;
    several: boolean;
    type?: 'url';
    attributes: Record<string, string | number>;
  };
  /** The options `--email <…>` and `--no-email` of `watch set` take and do this. */
  option: { takes: string; does: string; no: string };
}

const MAX_EMAILS = 10;
const NO_MAIL = 'This server sends no e-mail yet: its operator has to set SMTP_URL and MAIL_FROM.';

const email: Channel = {
  name: 'E-mail',
  column: 'emails',
  nobody: 'nobody',
  addressesIn: ({ emails }) => emails,
  check: (addresses, { sendsMail }) => {
    const emails = [...new Set(addresses.map((address) => readAddress(address)))];
    if (emails.length > MAX_EMAILS) throw invalid('emails', `${MAX_EMAILS} addresses at most.`);
    if (emails.length > 0 && !sendsMail) throw invalid('emails', NO_MAIL);
    return Promise.resolve({ emails });
  },
  send: async ({ sendMail }, { emails }, message, id, about) => {
    if (!sendMail)
      throw new Undeliverable('This server sends no e-mail: its operator has to set SMTP_URL and MAIL_FROM.');
    if (emails.length === 0) throw new Undeliverable('The addresses were taken away.');
    return sendMail({ id, to: emails, ...renderMail(message, about) });
  },
  field: {
    label: 'E-mail addresses',
    hint: ({ sendsMail }) => (sendsMail ? 'Up to ten, with commas between them.' : NO_MAIL),
    several: true,
    attributes: { maxlength: 3000 },
  },
  option: { takes: '<address...>', does: 'in place of those before, 10 at most', no: 'nobody by e-mail' },
};

/** Reads an address, more strictly than for a login: it may hold nothing that separates addresses or headers. */
export function readAddress(text: string): string {
  const email = readEmail(text, 'emails');
  if (!/^[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}.-]+$/u.test(email))
    throw invalid('emails', `${JSON.stringify(email)} is not an e-mail address.`);
  return email;
}

const webhook: Channel = {
  name: 'Webhook',
  column: 'webhook_url',
  nobody: 'none',
  addressesIn: ({ webhook_url }) => (webhook_url === null ? [] : [webhook_url]),
  check: async ([url], { webhookNetworks }) => ({
    webhook_url: url === undefined ? null : await checkWebhookUrl(url, webhookNetworks, 'webhook_url'),
  }),
  send: async ({ postWebhook }, { webhook_url: url, webhook_secret: secret }, message, id, about) => {
    if (!secret || url === null) throw new Undeliverable('The webhook was taken away.');
    await postWebhook({ url, secret, id, body: webhookBody(message, about) });
    return [];
  },
  field: {
    label: 'Webhook',
    hint: () => 'Gets a signed POST for every message. Its secret is shown once, when it is new.',
    several: false,
    type: 'url',
    attributes: { maxlength: 2048, placeholder: 'https://' },
  },
  option: {
    takes: '<url>',
    does: 'gets a signed POST for every message; prints its secret, once',
    no: 'no webhook',
  },
};

/** Messages are stored under these names of channels; the database checks them, too. */
export const CHANNELS = { email, webhook };
export type ChannelName = keyof typeof CHANNELS;
export const CHANNEL_NAMES = Object.keys(CHANNELS) as ChannelName[];

/** Lists the channels that a project has receivers for. */
export function channelsOf(receivers: Receivers): ChannelName[] {
  return CHANNEL_NAMES.filter((name) => CHANNELS[name].addressesIn(receivers).length > 0);
}
