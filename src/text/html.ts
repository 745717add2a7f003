/** A text that is HTML already, and never data: {@link html} escapes everything else that enters a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = string | number | Html | false | undefined | readonly HtmlValue[];

/** A template with escaped values, for elements and quoted attributes. Lists are joined; undefined and false vanish. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(strings.map((text, i) => text + render(values[i])).join(''));
}

function render(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  // Control characters are not part of HTML, and direction marks would rearrange the text around them.
  const plain = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
  return plain.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
