import type { Request, Response } from 'express';
import { readHostName, encodeTarget } from '../../rule-formats/read/source-address.js';
import { locationOf } from '../../rules/follow-rules.js';
import { visitorOf } from '../../text/visitor.js';
import type { SearchAnswer } from '../answer.js';

export const ORIGINAL_HOST = 'X-Original-Host';

/** Answers of suggest have these headers: the specification's body names pages of the project alone. */
export const RULE_HEADERS = {
  'X-Pathmend-Code':
    'Where a rule decided: the status that it asks for, 301, 302, 303, 307 or 308; 410 or 451 for what is gone.',
  'X-Pathmend-Location': 'With it, of a redirect: a path of the site, or an address on another host.',
  'X-Pathmend-Trial': 'Where the project is in trial: `on`. Only what has the score 1, or a code, may redirect then.',
  'X-Pathmend-Visitor': 'The kind of visitor by `User-Agent`, if it is an assistant: `assistant`.',
};

/** Reads the host that a visitor requested, if the server names it. Visitors choose this text: a host name counts. */
export function originalHost(request: Request): string | undefined {
  const named = request.get(ORIGINAL_HOST);
  return named === undefined ? undefined : readHostName(named);
}

/** Sets headers for what a rule requires and suggestions cannot express. @param path as it was requested */
export function setRuleHeaders(response: Response, answer: SearchAnswer, path: string, userAgent: string | undefined) {
  const { isGone = false, leadsTo, suggestions, terms, trialAbove } = answer;
  if (trialAbove !== undefined) response.setHeader('X-Pathmend-Trial', 'on');
  if (userAgent !== undefined && visitorOf(userAgent, '') === 'assistant')
    response.setHeader('X-Pathmend-Visitor', 'assistant');
  if (isGone) response.setHeader('X-Pathmend-Code', terms?.code ?? 410);
  const to = leadsTo ?? suggestions[0]?.url;
  if (isGone || terms === undefined || to === undefined) return;
  const location = locationOf(encodeTarget(to), path, terms.passQuery);
  if (location === undefined) return;
  response.setHeader('X-Pathmend-Code', terms.code);
  response.setHeader('X-Pathmend-Location', location);
}
