// Model edits: their effect on the dialogue, and the errors of an invalid model.
'use strict';

function dismissEdit() {
  store.edit = null;
  store.marks = new Map();
  byId('edit').hidden = true;
  emit('marks', { glow: false });
  emit('look', { quietly: true });
}

/** The changed turns, in branch order. */
function changedTurns() { return store.order.filter(number => store.marks.has(number)); }

/** Selects the next changed turn; after the last one, the first. */
function nextChange() {
  const changed = changedTurns();
  if (!changed.length) return say(T.noneDiffers);
  const at = store.order.indexOf(store.looked);
  return look(changed.find(number => store.order.indexOf(number) > at) || changed[0], { focus: true });
}

function drawEdit() {
  const { edit } = store;
  const box = byId('edit');
  box.hidden = !edit;
  if (!edit) return;
  const changed = changedTurns();
  const files = edit.files.length > 2 ? T.files(edit.files.length) : edit.files.join(', ');
  box.classList.toggle('differs-here', changed.length > 0 || Boolean(edit.stopped));
  const summary = changed.length ? T.differ(changed.length, edit.turns) : edit.stopped ? T.notReplayed : edit.turns ? T.replayed(edit.turns) : T.noReplay;
  box.replaceChildren(
    el('div.tools',
      el('b', changed.length || edit.stopped ? '▲ ' : '✓ ', summary), el('span.quiet.wrap', T.editedFiles(el('span.mono', breakable(files)), edit.milliseconds)),
      el('span.grow'),
      changed.length ? button([T.nextChange, tip('n')], nextChange) : '',
      edit.former ? button(T.before(edit.former), () => act('switch', { branch: edit.former })) : '',
      edit.former ? button(T.compareEdit, () => compareSheet(edit.former, store.view.branch === edit.former ? null : store.view.branch)) : '',
      button(['✕', tip('x')], dismissEdit, { class: 'plain', 'aria-label': T.keys.x })),
    edit.stopped ? el('p.wrap', sentence(edit.stopped)) : '');
}

/** Shows the errors of the model while the last valid version stays in use. */
function drawBroken() {
  const box = byId('broken');
  const { broken } = store;
  box.hidden = !broken;
  if (!broken) return;
  const errors = broken.findings.filter(one => one.severity === 'error').length;
  box.replaceChildren(el('details', { open: true },
    el('summary', el('span.v.v-failed', T.errors(errors || broken.findings.length)), ' ', el('b', T.broken), quiet(T.brokenNote)),
    broken.text ? el('pre.source', { tabindex: '0' }, broken.text) : el('ul.finding-list', broken.findings.map(one => el('li', el('span.mono.quiet', one.code), ' ', sentence(one.title), one.at ? el('span.mono.quiet.wrap', ' ', breakable(one.at)) : '', one.help ? el('div.quiet', '= ', sentence(one.help)) : '')))));
}

on('marks', ({ glow }) => {
  drawEdit();
  if (!glow || !store.edit) return;
  const changed = changedTurns();
  announce(T.editEffect(changed.length, store.edit.stopped));
});
on('view', ({ fresh }) => { if (fresh) drawEdit(); drawBroken(); });
on('broken', broken => {
  const first = !store.broken && broken;
  store.broken = broken;
  drawBroken();
  if (first) announce(T.brokenBy(broken.findings[0]?.title || ''));
});
