import { expect } from 'chai';
import { languageOf } from '#src/text/paths/sanitize-path.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

async function answers(name: string, inputs: readonly string[], more = ''): Promise<(string | null)[]> {
  const rows = await query<{ answer: string | null }>(
    sharedService().service,
    `select pathmend.${name}(i${more}) as answer from unnest($1::text[]) with ordinality as t (i, place) order by place`,
    [inputs],
  );
  return rows.map(({ answer }) => answer);
}

describe('what the views for analysts read in paths and urls', () => {
  it('the language of a path is the one that searches read', async () => {
    const codes = 'en de am id is zh xx fil es EN english q1 2024'.split(' ');
    const locales = [
      ...codes,
      'en-us',
      'pt_BR',
      'zh-hans',
      'zh-Hant-TW',
      'es-419',
      'id-id',
      'en-xx',
      'fil-ph',
      'en-us-x',
    ];
    const paths = locales.flatMap((locale) => [
      `/${locale}`,
      `/${locale}/`,
      `/${locale}/a`,
      `/a/${locale}`,
      `/a/${locale}/b`,
      `/a/b/${locale}/c`,
    ]);
    const languages = paths.map(
      (path) => languageOf(path.split('/').filter((part) => part !== '')).toLowerCase() || null,
    );
    expect(await answers('language_of', paths)).to.deep.equal(languages);
    // The view does not ask about every path.
    const project = await sharedService().newProject();
    await query(sharedService().service, 'select pathmend.ensure_weeks(now(), now())');
    await project.query(
      `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
       select $1, gen_random_uuid(), now(), path, false from unnest($2::text[]) as path`,
      paths,
    );
    const rows = await project.query<{ path: string; language: string | null }>(
      'select path, language from analytics.not_founds where project_id = $1',
    );
    const seen = new Map(rows.map(({ path, language }) => [path, language]));
    expect(paths.map((path) => seen.get(path))).to.deep.equal(languages);
  });

  it('a section is the first folder that is not a language, year or version', async () => {
    const paths = ['/help/returns', '/en-us/help/returns', '/2024/05/news/a', '/v2/api/x', '/help/', '/help', '/', ''];
    expect(await answers('section_of', paths)).to.deep.equal(['help', 'help', 'news', 'api', 'help', null, null, null]);
  });

  it('a parameter is decoded, and stays as it is where its bytes are no text', async () => {
    const values = [
      'spring+sale',
      'a%20b%C3%A9',
      '%F0%9F%98%80',
      '50%25off%21',
      '100%',
      '%ff',
      '%00x',
      '',
      'a%2Bb&x=1',
      'x#y',
    ];
    const paths = values.map((value) => `/a?id=1&utm_source=${value}`);
    expect(await answers('parameter_of', [...paths, '/a', '/a#?utm_source=b'], `, 'utm_source'`)).to.deep.equal([
      ...['spring sale', 'a bé', '😀', '50%off!', '100%', '%ff', '%00x', null, 'a+b', 'x', null, null],
    ]);
  });

  it('a host is in small letters, without port and user, and a text that is no url has none', async () => {
    const urls = [
      'https://WWW.Shop.example:8443/a?b',
      'http://me:pw@shop.example/',
      'https://shop.example?x',
      '/a',
      'shop',
      '',
    ];
    expect(await answers('host_of', urls)).to.deep.equal([
      'www.shop.example',
      'shop.example',
      'shop.example',
      null,
      null,
      null,
    ]);
  });

  it('a referrer is a search engine, a social network or another site', async () => {
    const hosts = [
      'www.google.co.uk',
      'duckduckgo.com',
      'de.search.yahoo.com',
      't.co',
      'l.facebook.com',
      'docs.google.com',
      'notfacebook.com',
      'www.pinterest.com.au',
      'facebook.partner.example',
    ];
    expect(await answers('referrer_kind', hosts)).to.deep.equal([
      'search_engine',
      'search_engine',
      'search_engine',
      'social',
      'social',
      'other',
      'other',
      'social',
      'other',
    ]);
  });
});
