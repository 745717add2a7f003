import { expect } from 'chai';
import { parseTemplate, type TemplateData } from '#src/search/dead-urls/template.js';

const NASTY = `"><script>alert('1')</script>&amp;{{path}}`;
const DATA: TemplateData = {
  heading: 'Page not found',
  path: NASTY,
  isGone: false,
  suggestions: [
    { href: 'https://shop.example/a?b=1&c=2', title: NASTY },
    { href: 'https://shop.example/d', title: 'D' },
  ],
};

const refusal = (source: string): string => {
  try {
    parseTemplate(source, 'not-found.html');
  } catch (error) {
    return String(error);
  }
  return 'nothing refused';
};

describe('a template of the page for a 404', () => {
  it('shows values, sections and each suggestion, with every value escaped', () => {
    const template = parseTemplate(
      '\uFEFF<title>{{heading}}</title><p title="{{ path }}">{{path}}</p>{{#gone}}gone{{/gone}}{{^gone}}missing{{/gone}}' +
        '{{#found}}<ul>{{#suggestions}}<li><a href="{{url}}">{{title}}</a></li>{{/suggestions}}</ul>{{/found}}{{^found}}none{{/found}}',
      'not-found.html',
    );
    const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;{{path}}';
    expect(template.render(DATA)).to.equal(
      `<title>Page not found</title><p title="${escaped}">${escaped}</p>missing` +
        `<ul><li><a href="https://shop.example/a?b=1&amp;c=2">${escaped}</a></li><li><a href="https://shop.example/d">D</a></li></ul>`,
    );
    expect(template.render({ ...DATA, isGone: true, suggestions: [] })).to.match(/gonenone$/);
  });

  it('allows its own styles, and no script', () => {
    const { contentSecurityPolicy } = parseTemplate('<style>p{color:red}</style><p>{{path}}', 'not-found.html');
    expect(contentSecurityPolicy)
      .to.include("default-src 'none'")
      // printf 'p{color:red}' | openssl dgst -sha256 -binary | base64
      .and.include("style-src 'self' https: 'sha256-p0bF+un5yUb9MBO6xRb8kPHlY2BdpHVtLiFkDrZPF64='")
      .and.not.include('script-src');
  });

  for (const [source, message] of [
    ['<p>\n{{pth}}', ':2: there is no placeholder {{pth}}'],
    ['<p>{{{path}}}', ':1: three braces'],
    ['a\n\n{{ path', ':3: {{ begins no placeholder'],
    ['{{title}}', ':1: {{title}} has a meaning between'],
    ['\n{{#gone}}', ':2: {{#gone}} is not closed'],
    ['{{#gone}}{{/found}}', 'closes {{#gone}}'],
    ['{{/gone}}', 'closes no section'],
    ['{{#each}}{{/each}}', 'there is no section'],
    ['{{>header}}', 'there is no placeholder'],
    ['{{^suggestions}}{{/suggestions}}', 'write {{^found}}'],
    ['{{path}}'.repeat(201), 'more than 200 placeholders'],
    ['{{#gone}}'.repeat(9), 'more than 8 sections'],
    ['\n<script src="/a.js"></script>', ':2: no script runs'],
    ...[
      '<style>a{b:{{path}}}</style>',
      '<a href={{path}}>',
      '<a href="{{path}}">',
      '<a title={{path}}>',
      '<a title=x{{path}}>',
      '<a onclick="{{path}}">',
      '<a style="{{path}}">',
      '<a {{path}}>',
      '<{{path}}>',
      '<a{{path}}>',
      '</{{path}}>',
      '<!{{path}}>',
      '<!-- {{path}} -->',
      '<meta http-equiv="refresh" content="0;url={{path}}">',
      '<iframe srcdoc="{{path}}">',
      '{{#found}}<style>{{/found}}{{path}}',
      '{{#gone}}<!--{{/gone}}{{path}}',
      '{{#gone}}<a title="{{/gone}}<a href={{path}}>',
      '{{#suggestions}}<a href="{{url}}#x">x</a>{{/suggestions}}',
      '{{#suggestions}}<a href="/out?{{title}}">x</a>{{/suggestions}}',
    ].map((markup) => [`\n${markup}`, ':2: {{'] as const),
  ] as const) {
    it(`is refused for ${JSON.stringify(source.slice(0, 60))}`, () => {
      expect(refusal(source)).to.include('not-found.html:').and.include(message);
    });
  }
});
