import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { LocatedRule } from '#src/rule-formats/read/read-rule.js';
import { readRulesOf } from '#src/rule-formats/read/redirect-file.js';
import { exportRules } from '#src/rules/import-export/export-rules.js';
import { importRules } from '#src/rules/import-export/import-redirects.js';
import { exportRulesInThread, readRulesInThread } from '#src/rules/import-export/rules-in-thread.js';
import { sharedService } from '../../../support/shared-service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('files of rules on a thread of their own', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let file: string;

  before(() => {
    file = join(folder, 'redirects');
  });
  async function outcome(rules: AsyncIterable<LocatedRule>): Promise<unknown> {
    const locatedRules: LocatedRule[] = [];
    try {
      for await (const rule of rules) locatedRules.push(rule);
      return locatedRules;
    } catch (error) {
      return String(error);
    }
  }

  it('are read as on this one, with the same errors', async () => {
    for (const text of [
      '/old /new 301\n/gone 410\nno rule\n',
      Array.from({ length: 2_000 }, (_, at) => `/old/${at} /new/${at}`).join('\n'),
      '{"redirects": [{"source": "/a", "destination": "/b"}]}',
      `{"redirects":[${'[{'.repeat(2_000)}`,
      `{"redirects":[${'"'.repeat(10_000)}`,
    ]) {
      await writeFile(file, text);
      const here = await outcome(readRulesOf(file, undefined, () => undefined));
      expect(await outcome(readRulesInThread(file, undefined))).to.deep.equal(here);
    }
  });

  it('are written as on this one', async () => {
    const project = await sharedService().newProject();
    for (const at of [1, 2, 3]) {
      await project.upsert({ url: `https://shop.example/new/page-${at}`, content: `Page ${at} of the shop.` });
    }
    await project.indexed();
    const rules = [1, 2, 3].map((at) => `/old/${at}.html /new/page-${at}`);
    await writeFile(file, [...rules, '/lost 410', '/section/* /new/page-1'].join('\n'));
    const { db, deps } = sharedService().service;
    const { project_id: id } = project.row;
    await importRules({ db, clock: deps.clock, read: readRulesInThread }, id, file, () => undefined);
    for (const format of ['nginx', 'haproxy', 'iis', 'json', 'csv'] as const) {
      const { text, redirects } = await exportRules(db, id, format);
      expect(redirects).to.equal(3);
      expect(Buffer.from((await exportRulesInThread(deps.tenants.addressOf(id), format)).text).toString()).to.equal(
        text,
      );
    }
  });

  it('take little time of this one when they are written, of whichever project', async () => {
    const { db, deps } = sharedService().service;
    const { project_id: id } = (await sharedService().newProject()).row;
    const { project_id: other } = (await sharedService().newProject()).row;
    await writeFile(file, Array.from({ length: 5_000 }, (_, at) => `/old/${at}.html /new/page-${at}`).join('\n'));
    await importRules({ db, clock: deps.clock, read: readRulesInThread }, id, file, () => undefined);
    const startedAt = performance.now();
    const { text } = await exportRules(db, id, 'json');
    const here = performance.now() - startedAt;
    const before = performance.eventLoopUtilization();
    const apart = Buffer.from((await exportRulesInThread(deps.tenants.addressOf(id), 'json')).text).toString();
    expect(performance.eventLoopUtilization(before).active).to.be.below(Math.max(100, here / 2));
    expect(JSON.parse(apart)).to.deep.equal(JSON.parse(text)).and.have.lengthOf(5_000);
    expect(
      Buffer.from((await exportRulesInThread(deps.tenants.addressOf(other), 'json')).text).toString(),
    ).not.to.include('/old/');
  });
});
