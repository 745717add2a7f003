import { expect } from 'chai';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';

/**
 * Pages, and English paths and questions about them; most share no word with them. They were written before
 * they were asked; `known` is how many the model answers. The default of 1.0.0, which read English alone,
 * answered 4 of 19, none in Chinese or Japanese.
 */
const SITES: Record<string, { pages: [path: string, content: string][]; cases: [string, string][]; known: number }> = {
  German: {
    pages: [
      ['/rechtliches/datenschutz', 'Datenschutzerklärung\n\nWelche persönlichen Daten wir speichern, und wie lange.'],
      ['/hilfe/kennwort', 'Kennwort vergessen\n\nSo setzen Sie Ihr Kennwort zurück und melden sich wieder an.'],
      ['/hilfe/versand', 'Lieferung und Versand\n\nWie lange ein Paket braucht, und was das Porto kostet.'],
      ['/hilfe/fehler', 'Fehlermeldungen\n\nWas zu tun ist, wenn das Programm abstürzt.'],
      ['/ueber', 'Über uns\n\nWer hinter dem Unternehmen steht.'],
    ],
    known: 4,
    cases: [
      ['/legal/privacy', '/rechtliches/datenschutz'],
      ['/support/forgot-password', '/hilfe/kennwort'],
      ['/support/shipping', '/hilfe/versand'],
      ['/support/error-messages', '/hilfe/fehler'],
      ['/about-us', '/ueber'],
      ['reset my password', '/hilfe/kennwort'],
      ['how long does delivery take', '/hilfe/versand'],
    ],
  },
  Chinese: {
    pages: [
      ['/zh/mima', '忘记密码\n\n如何重置密码并重新登录。'],
      ['/zh/anzhuang', '安装\n\n如何在计算机上安装软件。'],
      ['/zh/cuowu', '错误信息\n\n程序崩溃时应该怎么办。'],
      ['/zh/yinsi', '隐私政策\n\n我们保存哪些个人数据。'],
    ],
    known: 4,
    cases: [
      ['/support/forgot-password', '/zh/mima'],
      ['/docs/install', '/zh/anzhuang'],
      ['/legal/privacy', '/zh/yinsi'],
      ['error messages', '/zh/cuowu'],
    ],
  },
};

describe('the default model', function () {
  this.timeout(60_000);
  async function answers(project: TestProject, input: string): Promise<unknown> {
    const isPath = input.startsWith('/');
    const { body } = await project.post(isPath ? '/v1/suggest' : '/v1/semantic-search', {
      ...(isPath ? { path: input } : { query: input }),
      options: { searchThreshold: 0 },
    });
    return body.suggestions[0]?.url;
  }

  for (const [language, { pages, cases, known }] of Object.entries(SITES))
    it(`finds at least ${known} of ${cases.length} pages in ${language} by English words`, async () => {
      const project = await sharedService().newProject();
      for (const [path, content] of pages) await project.upsert({ url: `https://site.example${path}`, content });
      await project.indexed();
      const right: string[] = [];
      for (const [input, expected] of cases) if ((await answers(project, input)) === expected) right.push(input);
      expect(right.length, right.join(', ')).to.be.at.least(known);
    });
});
