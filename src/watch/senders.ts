import type { Config } from '../platform/settings/config.js';
import type { Senders } from './deliver-message-job.js';
import { createMailer } from './mailer.js';
import { createWebhookPost } from './post-webhook.js';

/** What sends this process's messages. */
export function createSenders(config: Pick<Config, 'mail' | 'webhookNetworks' | 'consoleUrl'>): Senders {
  return {
    postWebhook: createWebhookPost(config.webhookNetworks),
    sendMail: config.mail && createMailer(config.mail),
    consoleUrl: config.consoleUrl,
  };
}
