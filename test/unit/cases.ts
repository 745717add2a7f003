/** A row of a table: its name, the text of a file, and what is read in it. */
export interface TextCase {
  what: string;
  text: string;
  rules: string[];
}

/** Reads lines of `name => text => rule | rule`, where `\n` stands for the end of a line of the text. */
export function casesOf(table: string): TextCase[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [what = '', text = '', rules = ''] = line.trim().split(/ => ?/);
      return { what, text: text.replaceAll(String.raw`\n`, '\n'), rules: rules === '' ? [] : rules.split(' | ') };
    });
}
