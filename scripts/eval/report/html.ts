import { html, type Html, type HtmlValue } from '#src/text/html.js';

export { escapeHtml, html, Html, type HtmlValue } from '#src/text/html.js';

/** A table whose first column heads its rows; it scrolls by itself where it is wider than the screen. */
export function tableOf(caption: string, columns: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([head, ...cells]) => html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`;
}

/** A plot with its caption, and behind it the same as a table for whoever cannot see it. */
export function figure(caption: string, plot: Html, table: Html): Html {
  return html`<figure>${plot}<figcaption>${caption}</figcaption>
<details><summary>The numbers as a table</summary>${table}</details></figure>`;
}

/** 0.8372 → `84 %` */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** 0.8372 → `0.84` */
export function two(value: number): string {
  return value.toFixed(2);
}
