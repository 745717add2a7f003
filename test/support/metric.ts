import { send } from './service.js';

/** The sum of a metric's samples with these labels, as /metrics at `url` tells it; 0 without such a sample. */
export async function metricAt(url: string, name: string, labels = ''): Promise<number> {
  const { text } = await send(url, 'GET', '/metrics');
  const samples = text.split('\n').filter((line) => line.startsWith(name) && /[{ ]/.test(line.charAt(name.length)));
  const matchingSamples = samples.filter((line) => line.includes(labels));
  return matchingSamples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
