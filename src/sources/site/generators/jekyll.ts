import { dayOfYear, MONTHS, pad, readDate, WEEKDAYS, weekday, type SiteDate } from '../dates.js';
import { isoWeek } from '../../../text/paths/dates.js';
import { isFalse, isTrue, mappingOf, textOf, textsOf } from '../front-matter.js';
import { extensionOf, folderOf, joinPath, nameOf, type SiteRules } from '../site-rules.js';

const STYLES: Record<string, string> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  ordinal: '/:categories/:year/:y_day/:title:output_ext',
  weekdate: '/:categories/:year/W:week/:short_day/:title:output_ext',
  none: '/:categories/:title:output_ext',
};
const EXCLUDED = ['node_modules', 'vendor/bundle', 'vendor/cache', 'vendor/gems', 'vendor/ruby'];
const POST = /^(?:(.*)\/)?_posts\/(?:.*\/)?(\d{2,4}-\d{1,2}-\d{1,2})-(.+)\.[^.]+$/;

/** Jekyll (jekyllrb.com/docs/permalinks, /posts, /collections, jekyll-redirect-from), without Liquid. */
export function jekyllRules(config: Record<string, unknown>, now: number): SiteRules {
  const collections = collectionsOf(config['collections']);
  const parent = textOf(config['collections_dir']) ?? '';
  const excluded = [...EXCLUDED, ...textsOf(config['exclude']), textOf(config['destination']) ?? '_site'].map((path) =>
    path.replace(/^\/|\/(?:\*\*?)?$/g, ''),
  );
  const plugins = textsOf([config['plugins'], config['gems']].flat());
  const needsFront = !plugins.includes('jekyll-optional-front-matter') && config['theme'] !== 'github-pages';
  const style = textOf(config['permalink']) ?? 'date';
  const included = textsOf(config['include']);
  return {
    base:
      textOf(config['url']) === undefined
        ? undefined
        : `${textOf(config['url']) ?? ''}${textOf(config['baseurl']) ?? ''}`,
    roots: [{ folder: textOf(config['source']) ?? '' }],
    isPage: /\.(?:md|markdown|mkd|mkdn|mkdown|html?)$/i,
    served: [''],
    skips: (path) => {
      if (excluded.some((one) => path === one || path.startsWith(`${one}/`))) return true;
      const hidden = path.split('/').filter((part) => part.startsWith('_') && !included.includes(part));
      return hidden.some((part) => !/^_(?:posts|drafts)$/.test(part) && !collections.has(part.slice(1)));
    },
    place: ({ path: file }, document) => {
      if (/(?:^|\/)_drafts\//.test(file)) return { leftOut: 'draft' };
      if (!document.hasFront && (needsFront || extensionOf(file).startsWith('htm'))) return undefined;
      const kind = kindOf(file, parent, collections);
      const front = { ...defaultsFor(config, file, kind.type), ...document.front };
      if (isFalse(front['published'])) return { leftOut: 'not published' };
      if (kind.type !== 'pages' && isTrue(front['draft'])) return { leftOut: 'draft' };
      const place = placeOf(file, front, kind, style, textOf(config['timezone']) ?? 'UTC');
      if (!place) return undefined;
      if (kind.type === 'posts' && place.date && place.date.time > now && !isTrue(config['future']))
        return { leftOut: 'dated in the future' };
      return {
        path: place.path,
        title: textOf(front['title']),
        aliases: textsOf(front['redirect_from']).map((from) => joinPath(from)),
        redirectTo: textsOf(front['redirect_to'])[0],
      };
    },
  };
}

interface Collection {
  output: boolean;
  permalink: string | undefined;
}

function collectionsOf(value: unknown): Map<string, Collection> {
  const named = Array.isArray(value)
    ? textsOf(value).map((name) => [name, {}] as const)
    : Object.entries(mappingOf(value)).map(([name, settings]) => [name, mappingOf(settings)] as const);
  return new Map(
    named.map(([name, settings]: readonly [string, Record<string, unknown>]) => [
      name,
      { output: isTrue(settings['output']) || name === 'posts', permalink: textOf(settings['permalink']) },
    ]),
  );
}

interface Kind {
  /** Its type in `defaults` of the configuration. */
  type: string;
  collection?: Collection | undefined;
  /** Below the collection's folder. */
  path: string;
}

function kindOf(file: string, parent: string, collections: ReadonlyMap<string, Collection>): Kind {
  const below = parent !== '' && file.startsWith(`${parent}/`) ? file.slice(parent.length + 1) : file;
  if (/(?:^|\/)_posts\//.test(file)) return { type: 'posts', path: below, collection: collections.get('posts') };
  const [, name = '', rest = ''] = /^_([^/]+)\/(.*)$/.exec(below) ?? [];
  const collection = collections.get(name);
  return collection ? { type: name, collection, path: rest } : { type: 'pages', path: file };
}

/** Default front matter by path and type; the most specific path overrides others. */
function defaultsFor(config: Record<string, unknown>, file: string, type: string): Record<string, unknown> {
  const all = Array.isArray(config['defaults']) ? (config['defaults'] as unknown[]).map(mappingOf) : [];
  const fitting = all.filter((one) => {
    const scope = mappingOf(one['scope']);
    const path = (textOf(scope['path']) ?? '').replace(/\/$/, '');
    const wanted = textOf(scope['type']);
    return (path === '' || file === path || file.startsWith(`${path}/`)) && (wanted === undefined || wanted === type);
  });
  const depth = (one: Record<string, unknown>): number => (textOf(mappingOf(one['scope'])['path']) ?? '').length;
  return Object.assign(
    {},
    ...fitting.sort((a, b) => depth(a) - depth(b)).map((one) => mappingOf(one['values'])),
  ) as Record<string, unknown>;
}

function placeOf(
  file: string,
  front: Record<string, unknown>,
  kind: Kind,
  style: string,
  timeZone: string,
): { path: string; date?: SiteDate | undefined } | undefined {
  const own = textOf(front['permalink']);
  const name = nameOf(file);
  if (kind.type === 'pages') {
    const folder = folderOf(file);
    const path = own ?? (name === 'index' ? joinPath(folder, '/') : joinPath(folder, name) + suffixOf(style));
    return { path: finish(fill(path, { path: folder, basename: name, output_ext: '.html' })) };
  }
  const [, place = '', day, slug = name] = POST.exec(file) ?? [];
  if (kind.type === 'posts' && day === undefined) return undefined;
  if (kind.collection?.output === false) return undefined;
  const date = readDate(front['date'], timeZone) ?? readDate(day);
  const categories = [
    ...place.split('/').filter((part) => part !== '' && part !== '_posts'),
    ...textsOf(front['categories']).flatMap((one) => (Array.isArray(front['categories']) ? one : one.split(/\s+/))),
    ...textsOf(front['category']),
  ];
  const template =
    own ??
    kind.collection?.permalink ??
    (kind.type === 'posts' ? (STYLES[style] ?? style) : `/:collection/:path${suffixOf(style)}`);
  const path = fill(STYLES[template] ?? template, {
    ...postValues(textOf(front['slug']) ?? slug, categories, date),
    collection: kind.type,
    path: kind.path.replace(/\.[^./]+$/, ''),
    name: slugify(name, false),
  });
  return { path: finish(path), date };
}

/** The ending that a permalink style of posts gives to pages and collections. */
function suffixOf(style: string): string {
  if (Object.hasOwn(STYLES, style)) return style === 'pretty' ? '/' : '.html';
  return style.endsWith('/') ? '/' : style.endsWith(':output_ext') ? '.html' : '';
}

function postValues(slug: string, categories: readonly string[], date: SiteDate | undefined): Record<string, string> {
  return {
    title: slugify(slug, true),
    slug: slugify(slug, false),
    categories: [...new Set(categories.map((one) => one.toLowerCase()))].join('/'),
    slugified_categories: [...new Set(categories.map((one) => slugify(one, false)))].join('/'),
    output_ext: '.html',
    ...(date && dateValues(date)),
  };
}

function dateValues(date: SiteDate): Record<string, string> {
  const { year, week } = isoWeek(date.year, date.month, date.day);
  const month = MONTHS[date.month - 1] ?? '';
  const day = WEEKDAYS[weekday(date)] ?? '';
  return {
    year: pad(date.year, 4),
    short_year: pad(date.year % 100),
    month: pad(date.month),
    i_month: String(date.month),
    short_month: month.slice(0, 3),
    long_month: month,
    day: pad(date.day),
    i_day: String(date.day),
    y_day: pad(dayOfYear(date), 3),
    w_year: String(year),
    week: pad(week),
    w_day: String(weekday(date) || 7),
    short_day: day.slice(0, 3),
    long_day: day,
    hour: pad(date.hour),
    minute: pad(date.minute),
    second: pad(date.second),
  };
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/:([a-z_]+)/g, (whole, name: string) => {
    const known = Object.keys(values)
      .filter((one) => name.startsWith(one))
      .sort((a, b) => b.length - a.length)[0];
    return known === undefined ? whole : (values[known] ?? '') + name.slice(known.length);
  });
}

function finish(path: string): string {
  return joinPath(path).replace(/\/index\.html$/, '/');
}

function slugify(text: string, isTitle: boolean): string {
  const marks = isTitle ? /[^\p{L}\p{M}\p{N}._~!$&'()+,;=@]+/gu : /[^\p{L}\p{M}\p{N}]+/gu;
  const slug = text.replace(marks, '-').replace(/^-|-$/g, '');
  return isTitle ? slug : slug.toLowerCase();
}
