import { expect } from 'chai';
import type pg from 'pg';
import { checkPreconditions, compareVersions } from '#src/platform/database/schema/preconditions.js';
import { OperatorError } from '#src/base/errors.js';
import { rejection } from '../../../embedding/rejection.js';
import { sharedService } from '../../../../support/shared-service.js';

interface Versions {
  number?: string;
  version?: string;
  extensions?: Record<string, string>;
}

const SOUND = { vector: '0.8.6', fuzzystrmatch: '1.2', btree_gin: '1.3' };

/** A server that answers with these versions: no old one is at hand. */
function serverWith({ number = '180000', version = '18.0', extensions = SOUND }: Versions): pg.ClientBase {
  const query = (text: string): Promise<{ rows: unknown[] }> =>
    Promise.resolve({
      rows: text.includes('server_version_num')
        ? [{ number, version }]
        : Object.entries(extensions).map(([name, installed]) => ({ name, version: installed })),
    });
  return { query } as unknown as pg.ClientBase;
}

async function refusal(versions: Versions): Promise<string> {
  return (await rejection(checkPreconditions(serverWith(versions)), OperatorError)).message;
}

describe('compareVersions', () => {
  const pairs = [
    ['0.7.4', '0.8.0'],
    ['0.8.0', '0.8.1'],
    ['0.9', '0.10.0'],
    ['0.8', '0.8.1'],
    ['9.6.24', '15.0'],
  ] as const;
  for (const [older, newer] of pairs) {
    it(`puts ${older} before ${newer}`, () => {
      expect(compareVersions(older, newer)).to.be.below(0);
      expect(compareVersions(newer, older)).to.be.above(0);
    });
  }

  it('takes what is not written for zero', () => {
    expect(compareVersions('0.8', '0.8.0')).to.equal(0);
  });
});

describe("the database's preconditions", () => {
  it('refuse a server that is too old, in words', async () => {
    expect(await refusal({ number: '140012', version: '14.12' })).to.equal(
      'PostgreSQL 14.12 is too old: pathmend needs PostgreSQL 15 or later.',
    );
  });

  it('take the oldest server that will do', async () => {
    expect(await checkPreconditions(serverWith({ number: '150000', version: '15.0' }))).to.deep.equal([]);
  });

  it('refuse a server without the extensions and name all that are missing', async () => {
    const message = await refusal({ extensions: { fuzzystrmatch: '1.2' } });
    expect(message).to.include('lacks the extensions vector, ').and.to.include('Install pgvector');
  });

  it('refuse a pgvector that is too old and say how to update it', async () => {
    const message = await refusal({ extensions: { ...SOUND, vector: '0.7.4' } });
    expect(message)
      .to.include('pgvector 0.7.4 is too old')
      .and.to.include('0.8.0')
      .and.to.include('alter extension vector update');
  });

  it('warn of a pgvector with known holes, and take it', async () => {
    const warnings = await checkPreconditions(serverWith({ extensions: { ...SOUND, vector: '0.8.0' } }));
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include('pgvector 0.8.0').and.include('0.8.6').and.include('CVE-2026-3172');
    for (const vector of ['0.8.6', '0.10.0'])
      expect(await checkPreconditions(serverWith({ extensions: { ...SOUND, vector } }))).to.deep.equal([]);
  });

  it('are met by the database of these tests', async () => {
    const client = await sharedService().service.database.connection.pool.connect();
    try {
      expect(await checkPreconditions(client)).to.be.an('array');
    } finally {
      client.release();
    }
  });
});
