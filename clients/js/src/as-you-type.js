/**
 * The script of the search field, the same as pathmend's own page has: 300 ms after a visitor's last key it fetches the
 * page that the form would lead to, by words alone, and shows the links of that page. Enter sends the form.
 */
export const AS_YOU_TYPE = `
(() => {
  const [field, count, found] = ['words', 'count', 'found'].map((id) => document.getElementById(id));
  let timer, asking;
  const show = (text, links) => {
    found.replaceChildren(...links);
    count.textContent = text;
  };
  const ask = async () => {
    const query = field.value.trim();
    if (query.length < 2) return show('', []);
    asking = new AbortController();
    try {
      const url = field.form.action + '?' + new URLSearchParams({ query, by: 'words', limit: 5 });
      const answer = await fetch(url, { headers: { Accept: 'text/html' }, signal: asking.signal });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (answer.ok) show(page.getElementById('count').textContent, page.querySelectorAll('#found > li'));
    } catch {
      // The visitor types on, or nothing answers: Enter still searches.
    }
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    asking?.abort();
    timer = setTimeout(ask, 300);
  });
})();
`;
