// Comfort only: everything works without it.

// Moments as the reader's clock has them.
const asWritten = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
function writeTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    time.title = time.textContent;
    time.textContent = asWritten.format(new Date(time.dateTime));
  }
}
writeTimes(document);

// A row of links may be wider than the screen: the link to this page is scrolled into view.
for (const here of document.querySelectorAll('nav [aria-current=page]')) {
  const row = here.closest('ul') ?? here.closest('nav');
  row.scrollLeft += here.getBoundingClientRect().right - row.getBoundingClientRect().right + 48;
}

// The browser asks before an action that nobody can undo.
document.addEventListener('submit', (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question !== undefined && !confirm(question)) event.preventDefault();
});

// One box for all boxes of a form that are shown.
for (const all of document.querySelectorAll('.select-all')) {
  all.closest('label').hidden = false;
  const boxes = () =>
    [...all.form.querySelectorAll('input[type=checkbox][name]')].filter((box) => !box.closest('[hidden]'));
  all.addEventListener('change', () => boxes().forEach((box) => (box.checked = all.checked)));
  all.form.addEventListener('change', () => (all.checked = boxes().every((box) => box.checked)));
}

// A button beside what is shown once, and beside lines to paste.
for (const shown of document.querySelectorAll('.secret input, details[name=server] pre')) {
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'button';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    shown.select?.();
    await navigator.clipboard.writeText(shown.value ?? shown.textContent);
    copy.textContent = 'Copied';
  });
  shown.after(copy);
}

// A slider beside the threshold: what it would have answered shows at once.
for (const number of document.querySelectorAll('[data-slider]')) {
  const slider = document.createElement('input');
  slider.type = 'range';
  slider.min = '0';
  slider.max = '1';
  slider.step = '0.01';
  slider.value = number.value;
  slider.setAttribute('aria-label', 'Threshold, as a slider');
  const show = () => {
    const threshold = Number(number.value);
    const answers = [...document.querySelectorAll('[data-score]')];
    for (const answer of answers) {
      const reaches = Number(answer.dataset.score) >= threshold;
      answer.classList.toggle('below', !reaches);
      const badge = answer.querySelector('.verdict .badge');
      badge.textContent = reaches ? 'answered' : 'below the threshold';
      badge.className = `badge ${reaches ? 'good' : 'quiet'}`;
    }
    const count = document.querySelector('#reaching');
    if (count) count.textContent = String(answers.filter((answer) => !answer.classList.contains('below')).length);
  };
  slider.addEventListener('input', () => {
    number.value = slider.value;
    show();
  });
  number.addEventListener('input', () => {
    slider.value = number.value;
    show();
  });
  number.after(slider);
}
