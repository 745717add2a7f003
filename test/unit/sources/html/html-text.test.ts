import { expect } from 'chai';
import { htmlText } from '#src/sources/html/html-text.js';

describe('the text of HTML', () => {
  it('has blocks and rows on lines of their own, without scripts and navigation', () => {
    const html =
      '<nav>Home</nav><h1>Care &amp; repair</h1><p>Wipe\n it <b>well</b>.<br>Dry it.</p><ul><li>a<li>b</ul>' +
      '<table><tr><td>1</td><td>2</td></tr></table><pre>  x\n  y</pre><script>z</script>';
    expect(htmlText(html)).to.equal('Care & repair\n\nWipe it well.\nDry it.\n\na\n\nb\n\n1 2\n\n  x\n  y');
  });
});
