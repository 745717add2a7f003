import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import { send } from '../../../support/service.js';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\.)*",?)*)\})? (-?[0-9.eE+-]+|NaN|[+-]Inf)$/;

interface Sample {
  name: string;
  labels: string;
  value: number;
}

/** Prometheus' text format, strictly: every line is a HELP, a TYPE, or a sample of a family that has a TYPE. */
function parse(text: string): Sample[] {
  expect(text.endsWith('\n')).to.equal(true);
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n').filter((textLine) => textLine !== '')) {
    const [hash, kind, name = '', rest] = line.split(' ', 4);
    if (hash === '#') {
      expect(kind).to.be.oneOf(['HELP', 'TYPE']);
      expect(name).to.match(NAME);
      if (kind === 'TYPE') types.set(name, rest ?? '');
      continue;
    }
    const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    expect(sample, line).to.not.equal('');
    const family = types.has(sample) ? sample : sample.replace(/_(bucket|sum|count)$/, '');
    expect(types.get(family), line).to.be.oneOf(['counter', 'gauge', 'histogram', 'summary']);
    samples.push({ name: sample, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
  return samples;
}

describe('/metrics', () => {
  async function scrape(): Promise<{ text: string; samples: Sample[] }> {
    const { status, headers, text } = await send(sharedService().service.url, 'GET', '/metrics');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/);
    return { text, samples: parse(text) };
  }

  const sum = (samples: Sample[], name: string, ...labels: string[]): number =>
    samples
      .filter((sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)))
      .reduce((total, { value }) => total + value, 0);

  it('is Prometheus text that counts requests by route and status, searches, and pages indexed', async () => {
    const project = await sharedService().newProject();
    const before = (await scrape()).samples;
    await project.upsert({ url: 'https://shop.example/help', content: 'A page to count.' });
    await project.indexed();
    await project.post('/v1/suggest', { path: '/help' });
    await project.post('/v1/suggest', {});
    const { samples } = await scrape();
    const grown = (name: string, ...labels: string[]): number =>
      sum(samples, name, ...labels) - sum(before, name, ...labels);
    expect(grown('pathmend_http_requests_total', 'route="/v1/suggest"', 'method="POST"', 'status="200"')).to.equal(1);
    expect(grown('pathmend_http_requests_total', 'route="/v1/suggest"', 'status="400"')).to.equal(1);
    expect(grown('pathmend_http_requests_total', 'route="/v1/pages/upsert"', 'status="202"')).to.equal(1);
    expect(grown('pathmend_http_request_seconds_count', 'route="/v1/suggest"')).to.equal(2);
    expect(grown('pathmend_searches_total', 'kind="suggest"')).to.equal(1);
    expect(grown('pathmend_pages_indexed_total')).to.equal(1);
    expect(sum(samples, 'pathmend_database_connections')).to.be.at.least(1);
    expect(sum(samples, 'process_resident_memory_bytes')).to.be.above(1e6);
  });

  it('is that for several who ask at once, too: for the second nothing was measured since the first', async () => {
    await Promise.all(Array.from({ length: 5 }, scrape));
  });

  it('holds no text of a customer or a visitor: no project, no key, no path, no page', async () => {
    const project = await sharedService().newProject();
    await project.upsert({
      url: 'https://marker.example/marker-page',
      title: 'marker title',
      content: 'marker content',
    });
    await project.post('/v1/suggest', { path: '/marker-path' });
    await project.post('/v1/events', { raw_path: '/marker-gone', user_ip: '198.51.100.99' });
    await project.call('GET', '/v1/marker-unknown?x=marker');
    await project.call('GET', '/v1/search?query=marker');
    await project.call('PROPFIND', '/marker-method');
    const { text } = await scrape();
    for (const secret of [
      'marker',
      project.row.name,
      project.row.project_id,
      project.key,
      project.key.slice(8, 40),
      '198.51.100',
    ]) {
      expect(text).to.not.contain(secret);
    }
  });
});
