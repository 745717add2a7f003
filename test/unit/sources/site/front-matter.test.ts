import { expect } from 'chai';
import { readDocument } from '#src/sources/site/front-matter.js';

describe('the front matter of a file', () => {
  for (const [form, text] of [
    ['YAML', '---\ntitle: Lamps\n---\nA lamp.'],
    ['TOML', '+++\ntitle = "Lamps"\n+++\nA lamp.'],
    ['JSON', '{\n  "title": "Lamps"\n}\nA lamp.'],
    ['JSON on one line', '{"title": "Lamps"}\nA lamp.'],
    ['JSON behind its fence', '---json\n{"title": "Lamps"}\n---\nA lamp.'],
  ] as const)
    it(`is read as ${form}`, () => {
      const read = readDocument(text);
      expect(read).to.deep.include({ front: { title: 'Lamps' }, hasFront: true });
      expect(read)
        .to.have.property('body')
        .that.satisfies((body: string) => body.trim() === 'A lamp.');
    });

  for (const text of ['{{ lamps }}\nA lamp.', '{% include lamps %}\nA lamp.', '{lamps}\nA lamp.', '[1]\nA lamp.'])
    it(`is not what only looks like it: ${text.split('\n')[0]}`, () => {
      expect(readDocument(text)).to.deep.equal({ front: {}, hasFront: false, body: text });
    });
});
