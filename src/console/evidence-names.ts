import type { QuestionEvidence, SuggestEvidence } from '../search/ranking/scores/calibration.js';

/** What people call each kind of evidence (src/search/evidence). */
const NAMES: Readonly<Record<keyof SuggestEvidence | keyof QuestionEvidence, string>> = {
  words: 'Words of the path',
  pathTrigrams: 'Letters of the whole path',
  nearCopy: 'Nearly the same path',
  pathEdit: 'Few slips in the path',
  slugTrigrams: 'Letters of the last segment',
  slugEdit: 'Spelling of the last segment',
  prefix: 'Same folders at the start',
  depth: 'Same depth',
  numbers: 'Same numbers',
  noOtherNumber: 'No other number',
  sameLanguage: 'Same language',
  folderTrigrams: 'Letters of the folders',
  slugIsFolder: 'Overview of the folder',
  slugWithin: 'One name within the other',
  shallow: 'Near the top of the site',
  dense: 'Meaning of the content',
  beginning: 'Meaning of the beginning',
  lexical: 'Words of the content',
  headingCover: 'Words of the first line',
  bestHeading: 'Words of the best heading',
  slugLexical: 'Words of the last segment in the content',
  association: 'Words that go together on this site',
  redirectedSection: 'Where redirects of the section lead',
  redirectedFolder: 'Folder that near redirects lead to',
  redirectedPage: 'Page that near redirects lead to',
  renamedWords: 'Words that redirects renamed',
  moved: 'Known moves: redirects, clicks, sections',
};

export function evidenceName(name: string): string {
  return (NAMES as Readonly<Record<string, string>>)[name] ?? name;
}
