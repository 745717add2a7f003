import { writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { deriveManifest } from '#src/embedding/derive-manifest.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { rejection } from './rejection.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { cliJson, runCli } from '../../support/processes.js';
import { startTestService } from '../../support/service.js';
import { buildTinyModel, type TinyModel } from '../../support/tiny-model.js';

describe('a model that does not fit its manifest', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let tiny: TinyModel;

  beforeEach(async () => {
    database = await createTestDatabase({ migrated: true });
    tiny = await buildTinyModel();
    const manifest = { ...(await deriveManifest(tiny.folder, 'tiny')), dimensions: tiny.dimensions };
    await writeFile(join(tiny.folder, 'manifest.json'), JSON.stringify(manifest));
  });

  afterEach(async () => {
    await database.drop();
    await rm(tiny.folder, { recursive: true });
  });

  it('is used as long as it does', async () => {
    const { service } = await startTestService({ EMBEDDING_MODEL: tiny.folder }, { database });
    const { model } = await service.models.named(tiny.folder);
    expect(model.manifest.dimensions).to.equal(tiny.dimensions);
    await service.stop();
  });

  it('keeps the service from starting, in words that name the file, and leaves nothing locked', async () => {
    await writeFile(join(tiny.folder, 'tokenizer_config.json'), '{"tokenizer_class":"BertTokenizer","altered":true}');
    const environment = { ...database.environment, EMBEDDING_MODEL: tiny.folder };
    const { code, stderr, stdout } = await runCli(['serve'], { ...environment, PORT: '0' });
    expect(code).to.equal(1);
    expect(stderr).to.include(
      `${join(tiny.folder, 'tokenizer_config.json')} is not the file that manifest.json describes`,
    );
    expect(stderr).to.include('was altered or only partly copied').and.not.to.include('    at ');
    expect(stdout).to.equal('');
    const error = await rejection(startTestService({ EMBEDDING_MODEL: tiny.folder }, { database }), ModelUnavailable);
    expect(error.message).to.include('tokenizer_config.json');
    // No model is registered for it, and commands that need none work.
    expect(await cliJson(['project', 'list'], environment)).to.deep.equal([]);
  });
});
