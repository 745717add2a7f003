// The sheet of old urls by keyboard; inbox.js moves along its rows. Comfort only: everything works without it.

const sheet = document.querySelector('form.sheet');

/** Sets what becomes of an old url. */
function set(row, action) {
  const select = row.querySelector('select');
  select.value = action;
  statusLine.textContent = `${row.querySelector('.path').textContent}: ${select.selectedOptions[0].textContent}`;
}

// A page that is chosen is meant as a redirect, and so is one that is typed.
sheet?.addEventListener('click', ({ target }) => {
  if (target.type !== 'radio') return;
  const row = target.closest('li.missing');
  row.querySelector('.decide input').value = '';
  set(row, 'accept');
});
sheet?.addEventListener('input', ({ target }) => {
  if (!target.matches('.decide input')) return;
  const row = target.closest('li.missing');
  for (const radio of row.querySelectorAll('input[type=radio]')) radio.checked = false;
  set(row, 'accept');
});

// All rows of the page at once, shown in each, so that a few can be set otherwise afterwards.
sheet?.elements.all.addEventListener('change', ({ target }) => {
  for (const row of target.value === '' ? [] : sheet.querySelectorAll('li.missing'))
    if (
      target.value !== 'accept' ||
      row.querySelector('input[type=radio]:checked') ||
      row.querySelector('.decide input').value
    )
      set(row, target.value);
  statusLine.textContent = `All rows of this page: ${target.selectedOptions[0].textContent}`;
  target.value = '';
});

if (sheet) {
  for (const [key, action] of Object.entries({ g: 'gone', i: 'ignore', n: 'none', u: 'review' }))
    keys[key] = () => {
      if (current) set(current, action);
      move(1);
    };
  for (const key of [1, 2, 3])
    keys[key] = () => {
      const radio = current?.querySelectorAll('input[type=radio]')[key - 1];
      radio?.click();
      if (radio) move(1);
    };
}
