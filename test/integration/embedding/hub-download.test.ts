import { expect } from 'chai';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { locateModel } from '#src/embedding/locate-model.js';
import { buildTinyModel } from '../../support/tiny-model.js';
import { rejection } from './rejection.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('a model from the hub', () => {
  let server: Server;
  let hubUrl: string;
  let folder: string;
  const cacheFolder = temporaryFolder();
  let requests: string[] = [];
  let breakOff = false;

  before(async () => {
    ({ folder } = await buildTinyModel());
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const file = join(folder, (request.url ?? '').replace('/owner/tiny/resolve/main/', ''));
      if (!request.url?.startsWith('/owner/tiny/')) response.writeHead(401).end();
      else if (!existsSync(file)) response.writeHead(404).end();
      else if (breakOff && file.endsWith('.onnx')) {
        response.writeHead(200, { 'content-length': 1000 }).write('only this', () => {
          response.destroy();
        });
      } else createReadStream(file).pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    hubUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  it('leaves nothing behind when the download breaks off', async () => {
    breakOff = true;
    const error = await rejection(locateModel('owner/tiny', cacheFolder, hubUrl), ModelUnavailable);
    breakOff = false;
    expect(error.message).to.match(/"owner\/tiny".*could not be fetched/);
    expect(await readdir(join(cacheFolder, 'owner'))).to.deep.equal([]);
  });

  it('is fetched once, loaded, and afterwards found without the network', async () => {
    for (const expected of [true, false]) {
      requests = [];
      const embedder = new EmbedderPool({ pageThreads: 1, cacheFolder, hubUrl });
      const model = await embedder.load('owner/tiny');
      expect(model.manifest).to.include({ id: 'owner/tiny', dimensions: 16 });
      expect(model.location).to.equal(join(cacheFolder, 'owner', 'tiny'));
      expect(requests.length > 0).to.equal(expected);
      await embedder.stop();
    }
  });

  it('is refused in words where the id is wrong or there is no network', async () => {
    const wrong = await rejection(locateModel('owner/other', cacheFolder, hubUrl), ModelUnavailable);
    expect(wrong.message).to.match(/no config\.json .*is the id right.*set EMBEDDING_MODEL to that folder/);
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    const unreachable = await rejection(locateModel('owner/other', cacheFolder, nobody), ModelUnavailable);
    expect(unreachable.message).to.match(/ECONNREFUSED.*cannot reach the network or the id is wrong/);
  });

  it('is not looked for when the value is no hub id', async () => {
    requests = [];
    for (const value of [
      './nowhere',
      '/no/such/folder',
      '../no-such-model-here',
      'owner/..x',
      'one word',
      'pathmend-static-v9',
      'constructor',
    ]) {
      const error = await rejection(locateModel(value, cacheFolder, hubUrl), ModelUnavailable);
      expect(error.message).to.include(value).and.to.include('neither a folder');
    }
    expect(requests).to.deep.equal([]);
  });
});
