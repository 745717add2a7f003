import { cutText } from '../text/cut-text.js';
import { html, type Html } from '../text/html.js';
import { alertOf, type About, type Message } from './alert.js';
import { MAX_COUNTED, type Digest } from './digest.js';

export interface OutgoingMail {
  subject: string;
  text: string;
  html: string;
}

/** A mail consists of blocks, for both of its parts. */
type Block = { heading: string } | { text: string } | { list: string[] } | { link: string; to: string };

const MAX_LINE = 300;

/** A message as a mail. Paths, urls and names are other people's text: one line each, cut, and never HTML. */
export function renderMail(message: Message, { project, consoleUrl }: About): OutgoingMail {
  const name = oneLine(project.name);
  const { title, blocks } = contentOf(message);
  const path = message.type === 'digest' ? '' : '/watch';
  const all: Block[] = [
    ...blocks,
    ...(consoleUrl === undefined ? [] : [{ link: 'Open the console', to: `${consoleUrl}/p/${project.id}${path}` }]),
    { text: `You get this because your address is named under Watch of the project ${name}.` },
  ];
  return { subject: `[${cutText(name, 60)}] ${title}`, ...partsOf(title, all) };
}

/** An invitation to the console. Its link works once. */
export function renderInvitation(invited: { by: string; project: string; link: string }): OutgoingMail {
  const title = `You are invited to ${cutText(oneLine(invited.project), 60)}`;
  const blocks: Block[] = [
    { text: `${invited.by} invites you to the project ${invited.project} in pathmend.` },
    { link: 'Accept the invitation', to: invited.link },
    { text: 'The link works once, for seven days. If you do not know the sender, ignore this mail.' },
  ];
  return { subject: title, ...partsOf(title, blocks) };
}

/** Both parts of a mail. */
function partsOf(title: string, blocks: readonly Block[]): Pick<OutgoingMail, 'text' | 'html'> {
  return {
    text: `${[title, ...blocks.map(asText)].join('\n\n')}\n`,
    html: html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${blocks.map(asHtml)}</body></html>`
      .text,
  };
}

function asText(block: Block): string {
  if ('heading' in block) return `${block.heading}\n${'-'.repeat(block.heading.length)}`;
  if ('list' in block) return block.list.map((item) => `- ${oneLine(item)}`).join('\n');
  return 'to' in block ? `${block.link}: ${block.to}` : oneLine(block.text);
}

function asHtml(block: Block): Html {
  if ('heading' in block) return html`<h2>${block.heading}</h2>`;
  if ('list' in block) return html`<ul>${block.list.map((item) => html`<li>${oneLine(item)}</li>`)}</ul>`;
  return 'to' in block ? html`<p><a href="${block.to}">${block.link}</a></p>` : html`<p>${oneLine(block.text)}</p>`;
}

/** No control characters, which begin lines and headers, and no marks that turn the direction of what follows. */
function oneLine(text: string): string {
  return cutText(text.replace(/\p{C}|[\u2028\u2029]/gu, '\ufffd'), MAX_LINE);
}

function contentOf(message: Message): { title: string; blocks: Block[] } {
  switch (message.type) {
    case 'alert.began':
    case 'alert.ended': {
      const { kind, count, causes } = message;
      const { name, describe } = alertOf(kind);
      const more = count > causes.length ? [{ text: `And ${count - causes.length} more.` }] : [];
      const began = message.type === 'alert.began';
      return {
        title: `${began ? '' : 'Over: '}${name}`,
        blocks: [{ text: began ? 'Since now:' : 'This is over:' }, { list: causes.map(describe) }, ...more],
      };
    }
    case 'alerts.held':
      return {
        title: 'No more alerts today',
        blocks: [{ text: 'The messages of 24 hours are used up. What begins and ends meanwhile is in the console.' }],
      };
    case 'test':
      return { title: 'A test', blocks: [{ text: 'Alerts of this project arrive here.' }] };
    case 'digest':
      return { title: `The week from ${message.digest.monday}`, blocks: digestBlocks(message.digest) };
  }
}

function digestBlocks(digest: Digest): Block[] {
  const { not_founds, recovered, not_founds_before, recovered_before, missed, undecided, broken_links } = digest;
  const upTo = (count: number, singular: string, plural: string): string[] =>
    count === 0 ? [] : [`${count}${count >= MAX_COUNTED ? ' or more' : ''} ${count === 1 ? singular : plural}`];
  const todo = [
    ...upTo(
      undecided.count,
      'missing path of this week waits for a decision',
      'missing paths of this week wait for a decision',
    ),
    ...upTo(digest.proposals, 'proposed rule waits for a decision', 'proposed rules wait for a decision'),
    ...upTo(digest.dead_redirects, 'redirect leads to a missing page', 'redirects lead to missing pages'),
    ...upTo(digest.error_pages, 'page could not be indexed', 'pages could not be indexed'),
  ];
  return [
    { heading: 'What was missed' },
    { text: `${not_founds} 404s from people (${not_founds_before} in the week before).` },
    ...listOf(missed.map(({ path, hits, recovered: back }) => `${path}: ${hits}, of them ${back} recovered`)),
    { heading: 'What was recovered' },
    {
      text:
        `${recovered} of them, ${share(recovered, not_founds)}, were redirected or clicked a suggestion ` +
        `(${share(recovered_before, not_founds_before)} in the week before).`,
    },
    { heading: 'What needs doing' },
    ...(todo.length === 0 ? [{ text: 'Nothing.' }] : listOf(todo)),
    ...(undecided.paths.length === 0 ? [] : [{ text: 'Missed, and nothing is decided:' }]),
    ...listOf(undecided.paths.map(({ path, hits }) => `${path}: ${hits}`)),
    ...(broken_links.length === 0 ? [] : [{ text: 'Links on your own pages that lead to no page:' }]),
    ...listOf(broken_links.map(({ page, path, hits }) => `${page} → ${path}: ${hits}`)),
  ];
}

function listOf(items: string[]): Block[] {
  return items.length === 0 ? [] : [{ list: items }];
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'none' : `${Math.round((100 * part) / whole)}%`;
}

/** @returns the recipients that the server refused; the others get it. @throws Error when all were refused */
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
