import { expect } from 'chai';
import { casesOf } from '../../cases.js';
import { extractPage } from '#src/sources/html/extract-page.js';

const COOKIES =
  'We and our partners store and read cookies on your device to measure visits and to show advertisements that fit you. ';
const NOTICE =
  'We and our partners store and read cookies on your device to measure visits and to show advertisements that fit you, and you can agree or refuse for each purpose in the settings below. ';
const HINWEIS =
  'Wir und unsere Partner speichern Informationen auf Ihrem Gerät und verarbeiten personenbezogene Daten, um Anzeigen zu messen; Sie können Ihre Einwilligung jederzeit widerrufen. ';
const AVIS =
  'Nous et nos partenaires utilisons des cookies pour mesurer la visite et afficher des publicités; vous pouvez accepter ou refuser à tout moment dans les paramètres. ';
const NEWS = 'The library has moved into the old mill this morning. Readers keep their cards.';
const PROSE = 'Set the fence square to the blade, lock it, and push the wood through at an even pace. ';

const contentOf = (body: string): string =>
  extractPage(
    `<!doctype html><html lang=en><head><title>T</title></head><body>${body}</body></html>`,
    'https://a.example/',
  ).content;

/** Each line has what stands around or in the main part, a body, and what its content lacks; it has the news. */
const BOUNDS = String.raw`
  a long notice before it => <div class=policy><h2>Cookies</h2><p>{cookies}</p></div><main><article><h1>T</h1><p>{news}</p></article></main> => cookies
  a long notice after it, and no <main> => <article><h1>T</h1><p>{news}</p></article><div><p>{cookies}</p></div> => cookies
  a window above it, which hides it => <main aria-hidden=true><h1>T</h1><p>{news}</p></main><div role=dialog aria-modal=true><p>{cookies}</p></div> => cookies
  a window above it, which hides all around it => <div id=root aria-hidden=true><main><p>{news}</p></main></div><div role=alertdialog><p>{cookies}</p></div> => cookies
  an <article> that a window hides => <div inert aria-hidden=true><article><p>{news}</p></article></div><dialog open>{cookies}</dialog> => cookies
  a <main> that a script shows => <main style="display: none"><p>{news}</p></main> =>
  a notice within it => <main><div id=cookie-banner><p>{cookies}</p></div><div class="modal cookie-consent">{cookie}</div><p>{news}</p></main> => cookies
  a second one that is hidden => <main hidden><p>other</p></main><main><p>{news}</p></main> => other
  a name by which it tells that a notice is open => <main class="main cookie-consent-page"><p>{news}</p></main><div class=cookie-consent>{cookies}</div> => cookies
  notices as their makers name them => <div class=eu-cookie-compliance-banner>{cookies}</div><div id=BorlabsCookieBox>{cookies}</div><div class=page><h1>T</h1><p>{news}</p></div> => cookies
  none, and a long notice that nothing names => <div class=layer><h2>Your privacy</h2><p>{notices}</p><button>Accept</button></div><div class=x><h1>T</h1><p>{news}</p></div> => cookies | Accept
  none, and such a notice in German behind it => <div><h1>T</h1><p>{news}</p></div><div class=a><h2>Datenschutz-Einstellungen</h2><p>{hinweiss}</p></div> => Partner
  none, and such a notice in French before it => <div class=a><h2>Votre vie privée</h2><p>{aviss}</p></div><div><h1>T</h1><p>{news}</p></div> => partenaires
  only a notice in it => <main><div class=asks><p>{notices}</p></div></main><div><h1>T</h1><p>{news}</p></div> => cookies
  a wrapper that tells so => <div class="page cookie-banner-visible"><main><p>{news}</p></main></div><div class=cookie-banner>{cookie}</div> => cookies
  none, in a wrapper that a window hides => <div id=__next aria-hidden=true><h1>T</h1><p>{news}{news}{news}</p></div><div role=dialog aria-modal=true>{cookies}</div> => cookies
  nothing in it => <main></main><div><p>{news}</p></div> =>
`;

/** Each line has what a control opens, a body, and what its content has. */
const OPENED = String.raw`
  panels of tabs => <div role=tablist><button role=tab aria-selected=true>Linux</button><button role=tab>Windows</button></div>\n<div role=tabpanel><pre><code>apt install saw</code></pre></div>\n<div role=tabpanel hidden><pre><code>winget install saw</code></pre><p>As an administrator.</p></div> => apt install saw | winget install saw | As an administrator.
  panels that tabs name => <ul><li><a role=tab href="#mac">Mac</a></li></ul><section id=mac style="display:none"><p>brew install saw</p></section> => brew install saw
  panels to which links lead => <ul><li><a href="#one">Linux</a></li><li><a href="#two">Mac</a></li><li><a href="#three">BSD</a></li></ul>\n<div id=one><p>apt install saw</p></div><div id=two hidden><p>brew install saw</p></div>\n<div id=three aria-hidden=true style="display:none"><p>pkg install saw</p></div> => apt install saw | brew install saw | pkg install saw
  panels that radio buttons choose => <input type=radio name=t id=t1 checked><label for=t1>Linux</label><input type=radio name=t id=t2><label for=t2>Mac</label>\n<div class=panel><p>apt install saw</p></div><div class=panel hidden><p>brew install saw</p></div> => Linux | Mac | apt install saw | brew install saw
  panels in a part beside the radio buttons => <div><label><input type=radio name=t> Linux</label><label><input type=radio name=t> Mac</label></div>\n<div class=all><div style="display:none">apt install saw</div><div style="display:none">brew install saw</div></div> => apt install saw | brew install saw
  panels each behind its radio button => <ul><li><input type=radio id=t1><label for=t1>Linux</label><div hidden>apt install saw</div></li>\n<li><input type=radio id=t2><label for=t2>Mac</label><div hidden>brew install saw</div></li></ul> => apt install saw | brew install saw
  what a box to tick shows => <input type=checkbox id=more><label for=more>May I?</label><div hidden>Yes.</div> => May I? | Yes.
  panels that are hidden from those who hear the page => <div class=tab-pane aria-hidden=true><p>brew install saw</p></div> => brew install saw
  <details> => <details><summary>Proxy</summary><p>Set HTTPS_PROXY first.</p></details><details><summary>Long?</summary>Five days.</details> => Proxy | Set HTTPS_PROXY first. | Long? | Five days.
  an accordion whose buttons are in headings => <h3><button aria-expanded=false aria-controls=p1>May I?</button></h3><div id=p1 role=region hidden><p>Yes.</p></div> => May I? | Yes.
  an accordion whose buttons are not => <button aria-expanded=false aria-controls=p1>May I?</button><div id=p1 hidden><p>Yes.</p></div> => May I? | Yes.
  answers that nothing names => <dl><dt>May I?</dt><dd hidden>Yes.</dd></dl><h3>And then?</h3><div style="display:none">No.</div> => May I? | Yes. | And then? | No.
  answers that a class names => <div class=faq-item><p>May I?</p><p hidden>Yes.</p></div> => May I? | Yes.
  Bootstrap's accordion => <p><a data-bs-toggle=collapse data-bs-target="#c1">May I?</a></p><hr><div id=c1 hidden>Yes.</div> => May I? | Yes.
  what is found by searching the page => <div hidden=until-found><p>Yes.</p></div> => Yes.
`;

/** Puts the long texts where a body names them; in the plural, nine times. */
const fill = (body: string): string =>
  body
    .replaceAll('{news}', NEWS)
    .replace(
      /\{(cookie|notice|hinweis|avis)(s?)\}/g,
      (_, name: string, many: string) =>
        ({ cookie: COOKIES, notice: NOTICE, hinweis: HINWEIS, avis: AVIS })[name]?.repeat(many ? 9 : 1) ?? '',
    );

describe("a page's main part", () => {
  it('has what a page about cookies says of them', () => {
    for (const [title, heading] of [
      ['Cookie policy', 'How we work'],
      ['Legal', 'Privacy'],
    ])
      expect(
        extractPage(
          `<title>${title ?? ''}</title><div><h1>${heading ?? ''}</h1><p>${NEWS}</p></div><div><p>${NOTICE.repeat(9)}</p></div>`,
          'https://a.example/',
        ).content,
      ).to.contain('partners store');
    const content = contentOf(`<div><h1>T</h1><p>${NEWS}</p><p>${NOTICE}</p></div>`.replace('T</h1>', 'Cookies</h1>'));
    expect(content).to.contain('partners store');
  });

  it('is read where the page tells by its own name that a notice is open', () => {
    for (const [html, body] of [
      ['cookie-banner-visible no-js', ''],
      ['', 'cookie-consent-open'],
    ])
      expect(
        extractPage(
          `<html class="${html ?? ''}"><body class="${body ?? ''}"><h1>T</h1><p>${NEWS}</p>`,
          'https://a.example/',
        ).content,
      ).to.contain(NEWS);
  });

  for (const { what, text, rules: hasNot } of casesOf(BOUNDS))
    it(`bounds what is taken, with ${what}`, () => {
      const content = contentOf(fill(text));
      expect(content).to.contain(NEWS);
      for (const words of hasNot) expect(content).not.to.contain(words);
    });

  it('is all of them where a page has several', () => {
    expect(contentOf(`<main><p>${NEWS}</p></main><main><p>more of it</p></main>`))
      .to.contain(NEWS)
      .and.contain('more of it');
  });

  for (const { what, text: body, rules: has } of casesOf(OPENED))
    it(`has what a control opens: ${what}`, () => {
      for (const long of ['', `<p>${PROSE.repeat(12)}</p>`]) {
        for (const element of ['main', 'article', 'div']) {
          const content = contentOf(`<${element}><h1>T</h1><p>Choose.</p>${long}${body}</${element}>`);
          // Without a main part, of long pages what the extractor finds is what counts.
          if (element !== 'div' || long === '') for (const words of has) expect(content, element).to.contain(words);
        }
      }
    });

  it('has what is hidden only from those who hear the page', () => {
    expect(contentOf(`<main><p>${NEWS}</p><div aria-hidden=true><p>Second slide.</p></div></main>`)).to.contain(
      'slide',
    );
  });

  it('has not what nothing on the page opens, nor windows, menus and copies', () => {
    const content = contentOf(`<main><h1>T</h1><p>${NEWS}</p><p hidden>Your message was sent.</p>
      <button data-bs-target="#m">Order</button><div id=m class="modal fade" aria-hidden=true>Order form</div>
      <span style="display:none">secret</span><i aria-hidden=true>icon_name</i><div class="slide cloned" aria-hidden=true>Copy</div>
      <button>Buy now</button><button aria-expanded=false aria-controls=nothing>More</button></main>`);
    expect(content).to.equal(NEWS);
  });

  it('has not what links and boxes outside of it open: menus, and windows', () => {
    const content =
      contentOf(`<header><a href="#menu">Menu</a><a href="#login">Log in</a></header><nav><a href="#map">Map</a></nav>
      <input type=checkbox id=m><label for=m>Menu</label><ul hidden><li><a href=/a>zebra</a></li></ul>
      <div id=menu hidden><a href=/a>zebra</a></div><div id=login hidden>zebra password</div><div id=map hidden>zebra map</div>
      <main><h1>T</h1><p>${NEWS}</p><form><input type=radio name=s><input type=radio name=s><p hidden>zebra</p></form></main>`);
    expect(content).to.equal(NEWS);
    const burger = '<input type=checkbox id=m><label for=m>Menu</label><ul hidden><li><a href=/a>zebra</a></li></ul>';
    expect(contentOf(`<div>${burger}</div><div><h1>T</h1><p>${NEWS}</p></div>`)).not.to.contain('zebra');
  });

  it('loses nothing but navigation, whatever its parts are called', () => {
    const parts = 'banner comment extra footer header legends menu related sidebar social sponsor'.split(' ');
    const sections = parts.map(
      (name) => `<section class="${name}"><h2>About ${name}</h2><p>Words of ${name}.</p></section>`,
    );
    const content = contentOf(`<main><h1>T</h1><p>${PROSE.repeat(12)}</p>${sections.join('')}
      <aside>A note.</aside><header>Lead.</header><footer>Sources.</footer><form><label>Name of the saw</label></form>
      <table><tr><td>Oak</td><td>slow</td></tr></table><ul><li><a href=/a>First blade</a></li></ul>
      <nav><a href=/x>zebra</a></nav><div role=navigation>zebra</div><p class=breadcrumbs><a href=/>zebra</a> / <a href=/b>zebra</a></p>
      <div class=related-posts><ul>${'<li><a href=/y>zebra crossing</a></li>'.repeat(6)}</ul></div></main>`);
    for (const name of parts) expect(content).to.contain(`About ${name}`).and.to.contain(`Words of ${name}.`);
    for (const words of ['A note.', 'Lead.', 'Sources.', 'Name of the saw', '| Oak | slow |', 'First blade'])
      expect(content).to.contain(words);
    expect(content).not.to.contain('zebra');
  });
});
