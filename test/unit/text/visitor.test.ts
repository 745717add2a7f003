import { createRequire } from 'node:module';
import { expect } from 'chai';
import { browserAgent, isHuman, namesVisitor, visitorOf } from '#src/text/visitor.js';

const REAL: Record<string, string[]> = {
  person: [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
    'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 YaBrowser/25.8.0.0 Safari/537.36',
    'Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/377.0 Mobile/15E148 Safari/604.1',
  ],
  search_engine: [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
    'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
    'DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)',
    'Mozilla/5.0 (compatible; Qwantify/2.4w; +https://www.qwant.com/)',
    'Mozilla/5.0 (compatible; Seekport Crawler; http://seekport.com/)',
    'Mozilla/5.0 (compatible; SeznamBot/4.0; +https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/)',
  ],
  assistant: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Claude-User/1.0; +Claude-User@anthropic.com)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)',
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)',
  ],
  scanner: [
    'sqlmap/1.8.4#stable (https://sqlmap.org)',
    'Mozilla/5.0 (compatible; CensysInspect/1.1; +https://about.censys.io/)',
    'Mozilla/5.0 zgrab/0.x',
    'virustotalcloud',
    'SSL Labs (https://www.ssllabs.com/about/assessment.html)',
  ],
  robot: [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
    'CCBot/2.0 (https://commoncrawl.org/faq/)',
    'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Feedly/1.0 (+http://www.feedly.com/fetcher.html; like FeedFetcher-Google)',
    'curl/8.5.0',
    'python-requests/2.32.3',
  ],
};

describe('visitorOf', () => {
  for (const [visitor, agents] of Object.entries(REAL))
    it(`tells by real user agents who is: ${visitor}`, () => {
      for (const agent of agents) expect(visitorOf(agent, '/help/returns'), agent).to.equal(visitor);
    });

  it('knows what the list of crawlers knows: nine of ten search engines and scanners of its examples', () => {
    const list = createRequire(import.meta.url)('crawler-user-agents') as { tags?: string[]; instances?: unknown[] }[];
    for (const [tag, expected] of [
      ['search-engine', ['search_engine', 'assistant']],
      ['scanner', ['scanner']],
    ] as const) {
      const agents = list
        .filter(({ tags }) => tags?.includes(tag) === true)
        .flatMap(
          ({ instances }) => instances?.filter((instance): instance is string => typeof instance === 'string') ?? [],
        );
      const recognized = agents.filter((agent) => (expected as readonly string[]).includes(visitorOf(agent, '/')));
      expect(agents.length).to.be.above(90);
      expect(recognized.length / agents.length, tag).to.be.above(0.9);
    }
  });

  it('calls a probe a scanner whatever its name, and who has no name unknown', () => {
    expect(visitorOf(REAL['person']?.[0] ?? '', '/wp-login.php')).to.equal('scanner');
    expect([visitorOf(null, '/a'), visitorOf(' ', '/a')]).to.deep.equal(['unknown', 'unknown']);
    expect(['person', 'unknown', 'robot', 'assistant'].map((visitor) => isHuman(visitor as 'person'))).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
  });

  it('takes the name of a program for nobody, and that of a browser for a visitor', () => {
    expect(['node', 'curl/8.5.0', 'GuzzleHttp/7'].map(namesVisitor)).to.deep.equal([false, false, false]);
    expect(browserAgent('Symfony HttpClient (Curl)')).to.equal(null);
    expect(browserAgent(REAL['person']?.[2])).to.equal(REAL['person']?.[2]);
  });
});
