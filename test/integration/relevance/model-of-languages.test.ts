import { expect } from 'chai';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';

const PAGES = [
  ['/rechtliches/datenschutz', 'Datenschutzerklärung\n\nWelche persönlichen Daten wir speichern, und wie lange.'],
  ['/hilfe/einrichten', 'Installation\n\nSo richten Sie das Programm auf Ihrem Rechner ein.'],
  ['/hilfe/fehler', 'Fehlermeldungen\n\nWas zu tun ist, wenn das Programm abstürzt.'],
  ['/aktuelles', 'Neuigkeiten\n\nWas in den letzten Wochen geschehen ist.'],
  ['/hilfe/sicherheit', 'Sicherheit\n\nPasswörter, Schlüssel und Anmeldung in zwei Schritten.'],
] as const;

describe('EMBEDDING_MODEL=pathmend-static-v2', function () {
  this.timeout(60_000);
  let test: TestService;
  let project: TestProject;

  before(async () => {
    test = await startTestService({ EMBEDDING_MODEL: 'pathmend-static-v2' });
    project = await test.newProject();
    for (const [path, content] of PAGES) await project.upsert({ url: `https://beispiel.example${path}`, content });
    await project.indexed();
  });

  after(() => test.stop());

  for (const [path, expected] of [
    ['/legal/privacy', '/rechtliches/datenschutz'],
    ['/help/install', '/hilfe/einrichten'],
    ['/news', '/aktuelles'],
  ])
    it(`knows what ${path} means on a German site`, async () => {
      const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
      expect(body.suggestions[0]?.url).to.equal(expected);
    });

  for (const [query, expected] of [
    ['Privatsphäre und Dateien', '/rechtliches/datenschutz'],
    ['how do I install it?', '/hilfe/einrichten'],
    ['Software auf dem Computer installieren', '/hilfe/einrichten'],
  ])
    it(`answers ${query}`, async () => {
      const { body } = await project.post('/v1/semantic-search', { query, options: { searchThreshold: 0 } });
      expect(body.suggestions[0]?.url).to.equal(expected);
    });
});
