// Model edits: their effect on the dialogue, and the errors of an invalid model.
'use strict';

function dismissEdit() {
  store.edit = null;
  store.marks = new Map();
  byId('edit').hidden = true;
  tell('marks', { glow: false });
  tell('look', { quietly: true });
}

/** The changed turns, in branch order. */
function changedTurns() { return store.order.filter(number => store.marks.has(number)); }

/** Selects the next changed turn; after the last one, the first. */
function nextChange() {
  const changed = changedTurns();
  if (!changed.length) return say('no turn differs');
  const at = store.order.indexOf(store.looked);
  return look(changed.find(number => store.order.indexOf(number) > at) || changed[0], { focus: true });
}

function drawEdit() {
  const { edit } = store;
  const box = byId('edit');
  box.hidden = !edit;
  if (!edit) return;
  const changed = changedTurns();
  const files = edit.files.length > 2 ? `${edit.files.length} files` : edit.files.join(', ');
  box.classList.toggle('differs-here', changed.length > 0 || Boolean(edit.stopped));
  const summary = changed.length ? `${changed.length} of ${plural(edit.turns, 'turn')} ${changed.length === 1 ? 'differs' : 'differ'}` : edit.stopped ? 'not completely replayed' : edit.turns ? `${plural(edit.turns, 'turn')} replayed, none differs` : 'no turn to replay';
  box.replaceChildren(
    el('div', { class: 'tools' },
      el('b', {}, changed.length || edit.stopped ? '▲ ' : '✓ ', summary), el('span', { class: 'quiet wrap' }, 'edited ', el('span', { class: 'mono' }, breakable(files)), ` · ${edit.milliseconds} ms`),
      el('span', { class: 'grow' }),
      changed.length ? el('button', { type: 'button', title: 'To the next turn that differs (n)', on: { click: nextChange } }, 'Next') : '',
      edit.former ? el('button', { type: 'button', title: 'To the dialogue as it was before the edit', on: { click: () => act('switch', { branch: edit.former }) } }, 'Before: ', edit.former) : '',
      edit.former ? el('button', { type: 'button', title: 'What was, and what is (c)', on: { click: () => compareSheet(edit.former, store.view.branch === edit.former ? null : store.view.branch) } }, 'Compare') : '',
      el('button', { type: 'button', class: 'plain', title: 'Clear highlights (x)', 'aria-label': 'Clear highlights', on: { click: dismissEdit } }, '✕')),
    edit.stopped ? el('p', { class: 'wrap' }, sentence(edit.stopped)) : '');
}

/** Shows the errors of the model while the last valid version stays in use. */
function drawBroken() {
  const box = byId('broken');
  const { broken } = store;
  box.hidden = !broken;
  if (!broken) return;
  const errors = broken.findings.filter(one => one.severity === 'error').length;
  box.replaceChildren(el('details', { open: true },
    el('summary', {}, el('span', { class: 'v v-failed' }, plural(errors || broken.findings.length, 'error')), ' ', el('b', {}, 'The model does not load.'), el('span', { class: 'quiet' }, ' The last working version is still in use; this closes once the error is fixed.')),
    broken.text ? el('pre', { class: 'source', tabindex: '0' }, broken.text) : el('ul', { class: 'finding-list' }, broken.findings.map(one => el('li', {}, el('span', { class: 'mono quiet' }, one.code), ' ', sentence(one.title), one.at ? el('span', { class: 'mono quiet wrap' }, ' ', breakable(one.at)) : '', one.help ? el('div', { class: 'quiet' }, '= ', sentence(one.help)) : '')))));
}

on('marks', ({ glow }) => {
  drawEdit();
  if (!glow || !store.edit) return;
  const changed = changedTurns();
  byId('live').textContent = shown(changed.length ? `Edited: ${plural(changed.length, 'turn')} differ.` : store.edit.stopped ? 'Edited: the dialogue was not completely replayed.' : 'Edited: no turn differs.');
});
on('view', ({ fresh }) => { if (fresh) drawEdit(); drawBroken(); });
on('broken', broken => {
  const first = !store.broken && broken;
  store.broken = broken;
  drawBroken();
  if (first) byId('live').textContent = shown(`The model does not load: ${broken.findings[0]?.title || ''}`);
});
