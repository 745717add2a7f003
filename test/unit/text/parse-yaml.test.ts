import { expect } from 'chai';
import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { parseYaml, YamlError } from '#src/text/parse-yaml.js';

const faultOf = (text: string): string => {
  try {
    parseYaml(text);
    return 'none';
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `${error.line}: ${error.message}`;
  }
};

/** Each of these ended the process, or its stack, before the levels were counted. */
const DEEP: Record<string, string> = {
  'arrays and objects': '[{'.repeat(2_000),
  'objects and arrays': `{"redirects":[${'{['.repeat(2_180)}`,
  'lists on one line': '- '.repeat(5_000),
  'keys that are asked for': '? '.repeat(5_000),
  'tagged arrays': '!a ['.repeat(2_000),
  'arrays with a quote in each': '["]",'.repeat(2_000),
  indentation: Array.from({ length: 400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
};

describe('YAML that anybody may have written', () => {
  for (const [name, text] of Object.entries(DEEP))
    it(`is refused where it nests too deep: ${name}`, () => {
      expect(faultOf(text)).to.match(/^\d+: it nests more than 100 levels deep$/);
    });

  it('is read up to that depth', () => {
    expect(faultOf('['.repeat(90) + ']'.repeat(90))).to.equal('none');
    expect(parseYaml('a: {b: [1, "x"]}').document.toJS()).to.deep.equal({ a: { b: [1, 'x'] } });
  });

  it('names the line of its first error alone, however many there are', () => {
    expect(faultOf(`a: 1\nb: ${'"'.repeat(50_000)}`)).to.match(/^2: /);
    expect(faultOf('a: [1\nb: 2')).to.match(/^2: /);
  });

  it('tells where a second document begins', () => {
    expect(parseYaml('a: 1\n---\nb: 2').secondLine).to.equal(2);
    expect(parseYaml('a: 1\n').secondLine).to.equal(undefined);
  });
});

describe('nested text in files', () => {
  const read = (text: string, format?: RedirectFormat): (() => unknown) => {
    const file = new RedirectFile('pasted', format);
    return () => [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
  };

  it('is refused by name in redirects: vercel.json, netlify.toml', () => {
    for (const text of Object.values(DEEP)) expect(read(text, 'vercel')).to.throw(/^pasted:\d+: /);
    expect(read(DEEP['objects and arrays'] ?? '')).to.throw(/nests more than 100 levels/);
    const toml = new RedirectFile('netlify.toml');
    toml.push(`a = ${'['.repeat(5_000)}`);
    expect(() => toml.end()).to.throw(/netlify\.toml/);
  });
});
