// The inbox by keyboard, and results while one types. Comfort only: everything works without it.

const form = document.querySelector('form.deciding');
const statusLine = document.querySelector('.said');
const undo = document.querySelector('.undo');
const rows = () => [...document.querySelectorAll('li.missing:not([hidden])')];
let current;
/** Decisions are sent one after the other. */
let sending = Promise.resolve();
let unsent = 0;
/** In the session: the row that was decided last, to which an undo comes back; and the row to begin with. */
const LAST = `decided ${location.pathname}`;
const NEXT = `next ${location.pathname}`;

function goTo(row) {
  current?.classList.remove('current');
  current = row;
  row?.classList.add('current');
  row?.focus();
  row?.scrollIntoView({ block: 'nearest' });
}

function move(by) {
  const all = rows();
  const at = all.indexOf(current);
  goTo(all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]);
}

/** Posts one decision. Its row is away at once, and back if it was refused. */
function decide(button) {
  const row = button.closest('li.missing');
  const all = rows();
  const next = all[all.indexOf(row) + 1] ?? all[all.indexOf(row) - 1];
  const body = new URLSearchParams(new FormData(form, button));
  row.hidden = true;
  goTo(next);
  const decision = button.getAttribute('aria-label');
  statusLine.textContent = decision;
  // The notice of an earlier action is over.
  document.querySelector('.notice')?.remove();
  sessionStorage.setItem(LAST, row.getAttribute('aria-labelledby'));
  unsent += 1;
  sending = sending.then(async () => {
    const refusal = await post(body);
    unsent -= 1;
    if (refusal !== undefined) {
      row.hidden = false;
      statusLine.textContent = refusal;
      goTo(row);
      return;
    }
    // A redirect that is kept is no change to undo.
    if (undo && !button.value.startsWith('keep')) {
      undo.hidden = false;
      // Not what stands in the status by now: that may be a later decision's.
      undo.querySelector('.url').textContent = decision;
    }
    if (rows().length === 0 && unsent === 0) location.reload();
  });
}

/** Returns why the server refused a decision; undefined if it did not. */
async function post(body) {
  try {
    const response = await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
    if (response.type === 'opaqueredirect') return undefined;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return (
      page.querySelector('.notice.bad')?.textContent ??
      page.querySelector('main p')?.textContent ??
      'The change was refused.'
    );
  } catch {
    return 'Cannot reach the console. Nothing was changed.';
  }
}

/** Four rows at a time ask for the suggestions that are still being looked up, each at most so often. */
const MAX_TRIES = 10;
const tries = new Map();
async function lookUp() {
  for (;;) {
    const waiting = [...document.querySelectorAll('li.missing[data-ask]')].slice(0, 4);
    if (waiting.length === 0) {
      document.querySelector('.looking-up')?.remove();
      return;
    }
    const query = new URLSearchParams(location.search);
    query.set('part', 'rows');
    for (const row of waiting) query.append('row', row.dataset.ask);
    const response = await fetch(`${location.pathname}?${query}`).catch(() => undefined);
    const htmlOf = new Map(response?.ok ? await response.json() : []);
    for (const row of waiting) {
      const hash = row.dataset.ask;
      const text = htmlOf.get(hash);
      delete row.dataset.ask;
      if (text === undefined) continue;
      if (text === '') {
        row.remove();
        continue;
      }
      const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('li');
      const isPicked = row.querySelector('input[type=checkbox]')?.checked;
      tries.set(hash, (tries.get(hash) ?? 0) + 1);
      if (fresh.dataset.ask && tries.get(hash) < MAX_TRIES) row.dataset.ask = hash;
      row.replaceChildren(...fresh.childNodes);
      if (isPicked) row.querySelector('input[type=checkbox]').checked = true;
      writeTimes(row);
    }
  }
}

form?.addEventListener('submit', (event) => {
  if (event.submitter?.name !== 'one') return;
  event.preventDefault();
  decide(event.submitter);
});
form?.addEventListener('focusin', (event) => {
  const row = event.target.closest('li.missing');
  if (row && row !== current) {
    current?.classList.remove('current');
    current = row;
    row.classList.add('current');
  }
});
undo?.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  // The decisions on their way come first.
  sending.then(() => {
    sessionStorage.setItem(NEXT, sessionStorage.getItem(LAST) ?? '');
    event.target.submit();
  });
});

// Whoever leaves the page waits for what is on its way: nothing that was decided is lost.
function stay(event, go) {
  if (unsent === 0 || event.defaultPrevented) return;
  event.preventDefault();
  sending.then(go);
}
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (link && !event.ctrlKey && !event.metaKey) stay(event, () => link.click());
});
document.addEventListener('submit', (event) => stay(event, () => event.target.requestSubmit(event.submitter)));
addEventListener('beforeunload', (event) => unsent > 0 && event.preventDefault());

// On the way to choose another page: the row after this one comes next.
form?.addEventListener('click', (event) => {
  if (!event.target.closest('a[data-key=c]')) return;
  const all = rows();
  const at = all.indexOf(event.target.closest('li.missing'));
  sessionStorage.setItem(NEXT, all[at + 1]?.getAttribute('aria-labelledby') ?? '');
});

const keys = {
  j: () => move(1),
  k: () => move(-1),
  x: () => current?.querySelector('input[type=checkbox]')?.click(),
  z: () => undo?.hidden === false && undo.querySelector('form').requestSubmit(),
  '?': () => document.querySelector('details.keys').toggleAttribute('open'),
};
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input:not([type=checkbox], [type=radio]), select, textarea');
  if (!form || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const button = current?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (event.key === 'a' && current?.querySelector('[data-key=c]') && !button)
    statusLine.textContent = 'No suggestion here. Press c to choose a page.';
  else (keys[event.key] ?? (() => button?.click()))();
});
if (form && !location.hash) {
  const next = sessionStorage.getItem(NEXT);
  sessionStorage.removeItem(NEXT);
  goTo((next && document.getElementById(next)?.closest('li')) || rows()[0]);
}
void lookUp();

// Pages that are searched for, while one types.
const search = document.querySelector('form[role=search]');
const input = search?.querySelector('input[type=search]');
let latest;
input?.addEventListener('input', () => {
  clearTimeout(latest);
  latest = setTimeout(async () => {
    const typed = input.value;
    const query = new URLSearchParams(new FormData(search));
    query.set('part', 'choices');
    const response = await fetch(`${search.action}?${query}`).catch(() => undefined);
    if (!response?.ok || input.value !== typed) return;
    document.querySelector('#choices').innerHTML = (await response.json()).html;
  }, 150);
});
// From the field down into the list, along it, and back; Enter takes what has the focus.
search?.parentElement.addEventListener('keydown', (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const stops = [input, ...document.querySelectorAll('#choices button')];
  const at = stops.indexOf(event.target);
  if (event.key === 'Escape') document.querySelector('a.back').click();
  if (!by || at < 0) return;
  event.preventDefault();
  stops[Math.min(stops.length - 1, Math.max(0, at + by))].focus();
});
