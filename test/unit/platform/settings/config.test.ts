import { Ajv } from 'ajv';
import { expect } from 'chai';
import { parseConfig, parseSettings } from '#src/platform/settings/config.js';
import { SETTINGS } from '#src/platform/settings/settings.js';
import { OperatorError } from '#src/base/errors.js';

describe('settings', () => {
  it('have a schema that is one, and defaults that it allows', () => {
    const ajv = new Ajv({ allErrors: true, keywords: ['must'], validateFormats: false });
    const schema = { type: 'object', properties: SETTINGS };
    expect(ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
    const validate = ajv.compile(schema);
    validate(parseSettings({}));
    expect(ajv.errorsText(validate.errors)).to.equal('No errors');
    expect(ajv.validateSchema({ properties: { PORT: { minimum: 'none' } } })).to.equal(false);
  });

  it("have the contract's defaults when none is given", () => {
    const config = parseConfig({});
    expect(config).to.include({
      port: 8080,
      workerPort: 0,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: './data',
      modelCacheDir: './data/models',
      embeddingModel: 'auto',
      suggestPathEvidence: true,
      eventIpMode: 'truncate',
      eventRetentionDays: 400,
      logLevel: 'info',
    });
    expect(config.tombstones).to.deep.equal({ days: 400, withContent: false });
  });

  it('leave the port of a worker alone where PORT is set: one environment serves both roles', () => {
    expect(parseConfig({ PORT: '8080' })).to.include({ port: 8080, workerPort: 0 });
  });

  it('take the value given, without the spaces around it', () => {
    const config = parseConfig({
      PORT: ' 0 ',
      WORKER_PORT: '9090',
      HOST: '::1',
      DATABASE_URL: 'postgresql://me@db.example/pages',
      DATA_DIR: '/var/lib/pathmend',
      EMBEDDING_MODEL: 'Xenova/all-MiniLM-L6-v2',
      SUGGEST_PATH_EVIDENCE: 'off',
      EVENT_IP_MODE: 'drop',
      LOG_LEVEL: 'debug',
    });
    expect(config).to.include({
      port: 0,
      workerPort: 9090,
      host: '::1',
      databaseUrl: 'postgresql://me@db.example/pages',
      dataDir: '/var/lib/pathmend',
      modelCacheDir: '/var/lib/pathmend/models',
      embeddingModel: 'Xenova/all-MiniLM-L6-v2',
      suggestPathEvidence: false,
      eventIpMode: 'drop',
      logLevel: 'debug',
    });
  });

  it('that are empty count as not given', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '  ']));
    expect(parseConfig(empty)).to.deep.equal(parseConfig({}));
  });

  it('that are wrong are all named at once, each with what would be right', () => {
    const wrong = {
      PORT: '65536',
      DATABASE_POOL: '1',
      LOG_LEVEL: 'loud',
      EVENT_RETENTION_DAYS: '1.5',
      METRICS_PROJECTS: 'many',
    };
    expect(() => parseConfig(wrong))
      .to.throw(OperatorError)
      .with.property('message')
      .that.satisfies((message: string) => {
        const [first, ...lines] = message.split('\n');
        expect(first).to.equal('The settings are not valid:');
        expect(lines.map((line) => line.trim()).sort()).to.deep.equal([
          'DATABASE_POOL: must be at least 2, not "1"',
          'EVENT_RETENTION_DAYS: must be a whole number, not "1.5"',
          'LOG_LEVEL: must be one of error, warn, info, debug, not "loud"',
          'METRICS_PROJECTS: must be a whole number, not "many"',
          'PORT: must be at most 65535, not "65536"',
        ]);
        return true;
      });
  });

  it('never repeat a password that stands in a wrong DATABASE_URL', () => {
    expect(() => parseConfig({ DATABASE_URL: 'mysql://me:hunter2@db.example/pages' }))
      .to.throw(OperatorError, 'DATABASE_URL: must be a url that begins with postgres://')
      .with.property('message')
      .that.does.not.include('hunter2');
  });

  it('name a replica only beside its primary, and repeat no password of it', () => {
    const replica = 'postgres://me:hunter2@replica.example/pages';
    expect(() => parseConfig({ DATABASE_READ_URL: replica })).to.throw(
      OperatorError,
      /DATABASE_READ_URL: needs DATABASE_URL/,
    );
    expect(() => parseConfig({ DATABASE_READ_URL: 'mysql://me:hunter2@db' })).to.throw(/not what was given$/);
    expect(parseConfig({ DATABASE_URL: 'postgres://db/pages', DATABASE_READ_URL: replica }).databaseReadUrl).to.equal(
      replica,
    );
  });

  it('take CONSOLE_URL without a slash at its end, and none that nobody could log in at', () => {
    expect(parseConfig({ CONSOLE_URL: 'https://tools.example/console/' }).consoleUrl).to.equal(
      'https://tools.example/console',
    );
    for (const url of ['console', 'http://tools.example/console', 'https://me:hunter2@tools.example/console'])
      expect(() => parseConfig({ CONSOLE_URL: url }), url).to.throw(OperatorError, /^CONSOLE_URL must/);
  });

  it('cannot be changed once read', () => {
    expect(parseConfig({})).to.be.frozen;
  });

  it('each say what they mean and have a default that they accept', () => {
    for (const [name, { default: fallback, description }] of Object.entries(SETTINGS)) {
      expect(description, name).to.be.a('string').that.is.not.empty;
      expect(() => parseConfig({ [name]: String(fallback) }), name).not.to.throw();
    }
  });
});
