import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import { ModelUnavailable } from '#src/embedding/embedder-errors.js';
import { locateModel } from '#src/embedding/locate-model.js';
import { parseManifest } from '#src/embedding/model-manifest.js';
import { sendRaw } from '../../scripts/faults/fuzz/send.js';
import { rejection } from '../integration/embedding/rejection.js';
import { sharedService } from '../support/shared-service.js';
import { buildTinyModel } from '../support/tiny-model.js';

const HASH = 'ab'.repeat(32);

describe('paths that lead out of their folder', () => {
  let root: string;
  let cache: string;
  let hub: Server;
  let hubUrl: string;
  let requestedUrls: string[] = [];
  /** The contents that the hub answers, by the end of the path. */
  let files: Record<string, string> = {};

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-outside-'));
    cache = join(root, 'data', 'models');
    await mkdir(cache, { recursive: true });
    hub = createServer((request, response) => {
      const url = request.url ?? '';
      requestedUrls.push(url);
      if (!url.startsWith('/moved')) {
        // The hub redirects as real hubs do, here to an address that climbs out of its folder. A careless client would
        // save the file under the name in the header.
        response
          .writeHead(302, {
            Location: `/moved/..%2f..%2f..${url}`,
            'Content-Disposition': 'attachment; filename="../../../../written"',
          })
          .end();
        return;
      }
      const name = Object.keys(files).find((fileName) => url.endsWith(`/resolve/main/${fileName}`));
      if (name === undefined) response.writeHead(404).end();
      else
        response
          .writeHead(200, {
            'Content-Disposition': 'attachment; filename="../../../../written"',
            Link: '<../../x>; rel=next',
          })
          .end(files[name]);
    }).listen(0, '127.0.0.1');
    await once(hub, 'listening');
    hubUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  });

  after(async () => {
    hub.closeAllConnections();
    hub.close();
    await rm(root, { recursive: true });
  });

  it('are no ids of a hub: nothing is asked for, nothing is made', async () => {
    requestedUrls = [];
    const values = [
      ...`../../no-such-folder ../no-such-folder owner/..x owner/../../no-such-folder owner/x/../../../no-such-folder
        owner/%2e%2e owner/..%2fx ..\\..\\no-such-folder owner\\x /no-such-folder/x/y //no-such-folder/x owner//x owner/x/y
        owner/x?download owner/x# owner/\0 \0 owner/a\0b .ssh/id owner/.git http://127.0.0.1/x file:///no-such-folder
        owner@evil.example/x owner/x@main öwner/x owner/…`.split(/\s+/),
      'owner/x\n',
    ];
    for (const value of values) await rejection(locateModel(value, cache, hubUrl), ModelUnavailable);
    expect(requestedUrls).to.deep.equal([]);
    expect(await readdir(root, { recursive: true })).to.have.members(['data', 'data/models']);
  });

  it("are not followed when a hub answers with them: what it sends lies in the model's own folder", async () => {
    files = {
      'config.json': '{}',
      'tokenizer.json': '{}',
      'tokenizer_config.json': '{}',
      'onnx/model.onnx': 'x',
      'manifest.json': JSON.stringify({ files: { '../../../x': HASH } }),
    };
    const { folder } = await locateModel('owner/tiny', cache, hubUrl);
    expect(folder).to.equal(join(cache, 'owner', 'tiny'));
    const model = 'config.json manifest.json onnx onnx/model.onnx tokenizer.json tokenizer_config.json'.split(' ');
    expect(await readdir(root, { recursive: true })).to.have.members([
      'data',
      'data/models',
      'data/models/owner',
      'data/models/owner/tiny',
      ...model.map((file) => `data/models/owner/tiny/${file}`),
    ]);
  });

  it('are refused in a manifest', () => {
    const files = {
      'onnx/model.onnx': HASH,
      'config.json': HASH,
      'tokenizer.json': HASH,
      'tokenizer_config.json': HASH,
    };
    const manifest = (name: string): string =>
      JSON.stringify({
        id: 'm',
        description: '',
        licence: '',
        files: { ...files, [name]: HASH },
        dimensions: 8,
        pooling: 'mean',
        normalize: true,
        prefixes: { query: '', passage: '' },
        maximumTokens: 8,
        dtype: 'fp32',
        calibration: null,
      });
    parseManifest(manifest('onnx/model.onnx_data'), 'm');
    const names = '/etc/passwd ../x onnx/../../x onnx/.. .. C:\\x ..\\x a\0b ~/x %2e%2e/x //x'.split(' ');
    for (const name of [...names, 'a\nb', '']) {
      expect(() => parseManifest(manifest(name), 'm'), name).to.throw(ModelUnavailable);
    }
  });

  it('are refused where a graph names them for its weights, links among them', async () => {
    const load = async (
      weightsAt: string,
      prepare: (folder: string, weights: Buffer) => Promise<void>,
    ): Promise<unknown> => {
      const folder = await mkdtemp(join(root, 'model-'));
      const { table } = await buildTinyModel({ folder: join(folder, 'inside'), weightsAt });
      await prepare(folder, Buffer.from(table.buffer));
      const embedder = new EmbedderPool({ pageThreads: 1, cacheFolder: cache });
      try {
        return (await embedder.load(join(folder, 'inside'))).manifest.dimensions;
      } catch (error) {
        return error;
      } finally {
        await embedder.stop();
      }
    };
    const outside = (folder: string, weights: Buffer): Promise<void> => writeFile(join(folder, 'weights'), weights);
    expect(
      await load('model.onnx_data', (folder, weights) =>
        writeFile(join(folder, 'inside', 'onnx', 'model.onnx_data'), weights),
      ),
    ).to.equal(16);
    expect(await load('../../weights', outside)).to.be.instanceOf(ModelUnavailable);
    expect(await load('./../onnx/../../weights', outside)).to.be.instanceOf(ModelUnavailable);
    expect(await load(join(root, 'weights'), () => outside(root, Buffer.alloc(1e5)))).to.be.instanceOf(
      ModelUnavailable,
    );
    const linked = async (folder: string, weights: Buffer): Promise<void> => {
      await outside(folder, weights);
      await symlink(join(folder, 'weights'), join(folder, 'inside', 'onnx', 'linked'));
    };
    expect(await load('linked', linked)).to.be.instanceOf(ModelUnavailable);
  });

  it("are no addresses: nothing of the machine's files is served", async () => {
    const port = Number(new URL(sharedService().service.url).port);
    const targets = `/v1/../../etc/passwd /v1/%2e%2e/%2e%2e/etc/passwd /..%2f..%2f..%2fetc%2fpasswd
      /%2e%2e%5c%2e%2e%5cetc/passwd //etc/passwd /./package.json /../package.json /openapi.json/../package.json
      /openapi.json%2f..%2fpackage.json /metrics/..;/package.json /v1/suggest/..%00/package.json
      /static/%252e%252e/package.json /\\..\\package.json /models/pathmend-static-v2/manifest.json /dist/cli.js /.env
      /db/schema.sql file:///etc/passwd http://evil.example/package.json`.split(/\s+/);
    for (const target of targets) {
      const answer = await sendRaw(port, {
        method: 'GET',
        target,
        headers: [],
        body: Buffer.alloc(0),
        framing: 'none',
      });
      expect(answer?.status, target).to.be.oneOf([400, 404]);
      expect(answer?.headers.get('content-type'), target).to.equal('application/json; charset=utf-8');
      expect(answer?.body.toString(), target).not.to.match(/root:|"dependencies"|"files"|create table|#!/);
    }
  });
});
