import { OperatorError } from '../../base/errors.js';
import { LIMITS } from '../../base/request-limits.js';
import { type Config, loadConfig } from '../../platform/settings/config.js';
import { misspeltSettings } from '../../platform/settings/effective-settings.js';
import { ok, problem, warning, type Finding } from './finding.js';

const CHECK = 'settings';

/** Checks the settings. If they are not valid, there is no config, and nothing else can be examined. */
export function checkSettings(environment: Record<string, string | undefined>) {
  const misspelt = misspeltSettings(environment).map((message) => warning(CHECK, message, 'Correct its name.'));
  try {
    const config = loadConfig(environment);
    const findings = [...misspelt, ...contradictions(config)];
    return { config, findings: findings.length > 0 ? findings : [ok(CHECK, 'valid; `config` shows them')] };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return {
      config: undefined,
      findings: [...misspelt, problem(CHECK, error.message, 'Correct them: docs/reference/settings.md has all.')],
    };
  }
}

/** Finds settings that are valid each, but not together. */
export function contradictions({ maxInFlightBytes, tombstones, trustedProxies, host }: Config): Finding[] {
  const findings: Finding[] = [];
  if (LIMITS.bodyBytes > maxInFlightBytes)
    findings.push(
      problem(
        CHECK,
        `MAX_BYTES_IN_HAND (${maxInFlightBytes}) is less than a body may have (${LIMITS.bodyBytes}): a large body is always answered with 503`,
        `Raise MAX_BYTES_IN_HAND to several times ${LIMITS.bodyBytes}.`,
      ),
    );
  if (tombstones.withContent && tombstones.days === 0)
    findings.push(
      warning(
        CHECK,
        'TOMBSTONE_CONTENT is on, but TOMBSTONE_DAYS 0 keeps no deleted page',
        'Set TOMBSTONE_DAYS, or leave TOMBSTONE_CONTENT off.',
      ),
    );
  if (trustedProxies.length > 0 && /^(127\.|::1$|localhost$)/.test(host) && !trustedProxies.some(isLoopback))
    findings.push(
      warning(
        CHECK,
        `TRUSTED_PROXIES names other machines, but HOST ${host} is reached from this one only`,
        'Set HOST to an address that the proxy reaches, or trust 127.0.0.1.',
      ),
    );
  return findings;
}

function isLoopback(network: string): boolean {
  return /^(127\.|::1)/.test(network);
}
