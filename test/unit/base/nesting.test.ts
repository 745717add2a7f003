import { expect } from 'chai';
import { nestsDeeper } from '#src/base/json.js';

const deeper = (text: string, most: number): boolean => nestsDeeper(Buffer.from(text), most);

describe('the depth of JSON text', () => {
  it('counts arrays and objects inside each other', () => {
    expect(deeper('[[[]]]', 3)).to.be.false;
    expect(deeper('[[[]]]', 2)).to.be.true;
    expect(deeper('{"a":{"b":[1]}}', 2)).to.be.true;
    expect(deeper('{"a":{"b":[1]}}', 3)).to.be.false;
  });

  it('does not count those beside each other', () => {
    expect(deeper(`[${'[],'.repeat(50)}{}]`, 2)).to.be.false;
  });

  it('does not count brackets in texts, whatever is escaped there', () => {
    expect(deeper('["[[[[[[", "\\"[[[[", "\\\\", "{{{{"]', 1)).to.be.false;
    expect(deeper('["\\\\",[[]]]', 2)).to.be.true;
  });

  it('takes text that is no JSON', () => {
    expect(deeper(']]]]]]["', 1)).to.be.false;
    expect(deeper('', 1)).to.be.false;
    expect(deeper('"\\', 1)).to.be.false;
  });
});
