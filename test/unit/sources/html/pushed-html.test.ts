import { expect } from 'chai';
import { textOfPushed } from '#src/sources/html/html-text.js';

const HTML = {
  'a document':
    '<!doctype html>\n<html lang="en"><head><title>Tyres</title><style>p { color: red }</style></head><body class="home"><p>Mend a tyre.</p><script>track()</script></body></html>',
  'a document that leaves tags out': '<!DOCTYPE html><title>Tyres</title><p>Mend a tyre.',
  'a document of XHTML': '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body>Tyres</body></html>',
  'a fragment': '<h1>Tyres</h1>\n<p>Mend a <b>tyre</b>.</p>\n<ul class="list"><li>Patch<li>Glue</ul>',
  'a fragment in one element': '<div class="wrapper"><p>Mend a tyre.</p>\n  <p>- with a patch</p></div>',
  'blocks with comments, as WordPress stores them':
    '<!-- wp:paragraph {"dropCap":true} -->\n<p>Mend a tyre.</p>\n<!-- /wp:paragraph -->',
  'a fragment with spaces around it': '\n  <section><p>Mend a tyre.</p></section>\n',
};

const OTHERS = {
  'plain text': 'Mend a tyre with a patch. 3 < 5 and 5 > 3.',
  'Markdown with tags within':
    '# Tyres\n\nPress <kbd>Enter</kbd>, see <a href="/x">here</a>.<br>\n\n<details><summary>More</summary>x</details>',
  'Markdown that begins with a tag': '<h1 align="center">Tyres</h1>\n\nMend a tyre.\n\n<p>Bye.</p>',
  'Markdown in a tag': '<div align="center">\n\n# Tyres\n\nMend **a tyre**.\n\n</div>',
  'a text about tags': '<div> is the plainest element. Close it with </div>, or use <p>.',
  'a text that ends with a tag': 'Wrap it in <div class="row"> and close it with </div>',
  'a text about the doctype': '<!doctype html> is the first line of each document.',
  'a block of code': '```html\n<div class="row"><p>x</p></div>\n```',
  'code after words': 'Example:\n\n    <div class="row"><p>x</p></div>',
  'other XML': '<?xml version="1.0"?><note><to>Ann</to></note>',
  'a component': '<Tyre size="28" />',
  'a placeholder': '<your name here>',
  'a link in angle brackets': '<https://shop.example/help>',
  'an arrow': '<- back',
};

describe('a pushed content', () => {
  for (const [name, content] of Object.entries(HTML))
    it(`that is HTML has the text of it alone: ${name}`, () => {
      const text = textOfPushed(content);
      expect(text).to.match(/tyre/i);
      expect(text).not.to.match(/[<>]|class|wrapper|color|track|wp:|lang/);
    });

  for (const [name, content] of Object.entries(OTHERS))
    it(`is as it was pushed where it is not HTML as a whole: ${name}`, () => {
      expect(textOfPushed(content)).to.equal(content);
    });

  it('is looked at in a time that grows with its length', () => {
    for (const part of ['</a', '<!--', '](', '<html', '<p ', '**', '<?xml', '<div>x</div>\n- ', '<!doctype html><p']) {
      const began = process.cpuUsage();
      textOfPushed(`<p>${part.repeat(900_000 / part.length)}`);
      textOfPushed(`<html>${part.repeat(900_000 / part.length)}>`);
      const { user, system } = process.cpuUsage(began);
      expect((user + system) / 1_000, part).to.be.below(10_000);
    }
  });

  it('is as it was pushed where its HTML cannot be read', () => {
    const deep = `${'<div>'.repeat(600)}tyre${'</div>'.repeat(600)}`;
    expect(textOfPushed(deep)).to.equal(deep);
  });
});
