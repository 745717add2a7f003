import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

/** Small sites in several languages: words, paths and vectors together. */
const SITES: Record<
  string,
  { pages: [path: string, content: string][]; questions: [string, string][]; dead: [string, string][] }
> = {
  German: {
    pages: [
      [
        '/hilfe/rücksendung',
        'Rücksendung: Schicken Sie Artikel innerhalb von 30 Tagen kostenlos zurück. Das Etikett liegt dem Paket bei.',
      ],
      [
        '/hilfe/versandkosten',
        'Versandkosten und Lieferzeiten nach Österreich und in die Schweiz, auch für sperrige Güter.',
      ],
      ['/produkte/kaffeemühle', 'Die Kaffeemühle mahlt mit Kegelmahlwerk aus Stahl in vierzig Stufen.'],
      ['/über-uns', 'Wir rösten seit 1987 in einer alten Mühle am Fluss und beliefern Cafés in der ganzen Stadt.'],
    ],
    questions: [
      ['Was kostet der Versand in die Schweiz?', '/hilfe/versandkosten'],
      ['kostenlos zurückschicken Etikett', '/hilfe/rücksendung'],
      ['Kegelmahlwerk', '/produkte/kaffeemühle'],
    ],
    dead: [
      ['/hilfe/ruecksendungen/rücksendng', '/hilfe/rücksendung'],
      ['/produkte/kaffeemuhle.html', '/produkte/kaffeemühle'],
      ['/hilfe/versand-kosten', '/hilfe/versandkosten'],
    ],
  },
  Russian: {
    pages: [
      ['/помощь/возврат', 'Возврат товара возможен в течение тридцати дней. Наклейте этикетку на посылку.'],
      ['/помощь/доставка', 'Доставка курьером по городу занимает один день, в регионы до недели.'],
      ['/товары/кофемолка', 'Кофемолка с коническими жерновами из стали.'],
    ],
    questions: [
      ['доставка курьером в регионы', '/помощь/доставка'],
      ['этикетку на посылку', '/помощь/возврат'],
    ],
    dead: [
      ['/помощь/возварт', '/помощь/возврат'],
      ['/магазин/кофемолка.html', '/товары/кофемолка'],
    ],
  },
  Chinese: {
    pages: [
      ['/帮助/退货', '收到商品后三十天内可以免费退货，请把标签贴在包裹上。'],
      ['/帮助/配送', '配送到上海需要两天，运费十元。'],
      ['/产品/咖啡磨豆机', '这款磨豆机采用不锈钢锥形刀盘，有四十档研磨。'],
    ],
    questions: [
      ['怎样免费退货', '/帮助/退货'],
      ['上海运费多少', '/帮助/配送'],
      ['不锈钢刀盘', '/产品/咖啡磨豆机'],
    ],
    dead: [
      ['/help/退货.html', '/帮助/退货'],
      ['/商品/磨豆机', '/产品/咖啡磨豆机'],
    ],
  },
  Arabic: {
    pages: [
      ['/مساعدة/إرجاع', 'يمكنك إرجاع المنتج خلال ثلاثين يوما مجانا.'],
      ['/مساعدة/شحن', 'يستغرق الشحن إلى الرياض ثلاثة أيام.'],
    ],
    questions: [
      ['الشحن إلى الرياض', '/مساعدة/شحن'],
      ['إرجاع المنتج مجانا', '/مساعدة/إرجاع'],
    ],
    dead: [['/مساعدة/إرجا', '/مساعدة/إرجاع']],
  },
};

describe('languages other than English', () => {
  for (const [language, { pages, questions, dead }] of Object.entries(SITES)) {
    describe(language, () => {
      let project: TestProject;

      before(async () => {
        project = await sharedService().newProject();
        for (const [path, content] of pages) await project.upsert({ url: `https://site.example${path}`, content });
        await project.indexed();
      });

      async function first(endpoint: string, body: object): Promise<string> {
        const { body: answer } = await project.post(`/v1/${endpoint}`, { ...body, options: { searchThreshold: 0 } });
        return decodeURIComponent((answer.suggestions as { url: string }[])[0]?.url ?? '');
      }

      for (const [query, expected] of questions) {
        it(`answers ${query}`, async () => {
          expect(await first('semantic-search', { query })).to.equal(expected);
        });
      }

      for (const [path, expected] of dead) {
        it(`mends ${path}, encoded or not`, async () => {
          expect(await first('suggest', { path })).to.equal(expected);
          expect(await first('suggest', { path: encodeURI(path) })).to.equal(expected);
        });
      }
    });
  }
});
