// The state of the page, and its subscribers.
'use strict';

const store = {
  /** The last view of the dialogue. */
  view: null,
  /** All moments of the tree by number. */
  moments: new Map(),
  /** The moments of this branch in order: past ones, then later ones. */
  order: [],
  /** The selected moment; 0 is the start. */
  looked: 0,
  /** The details of a turn by moment, as promises. */
  turns: new Map(),
  /** The changed fields of a turn since the last model edit, by moment. */
  marks: new Map(),
  /** The effect of the last edit. */
  edit: null,
  /** The errors of an invalid model. */
  broken: null,
};

const hearers = new Map();

/** Subscribes to `view`, `look`, `marks`, `broken`, `files`, `suite`, `suite_done`, `show`. */
function on(name, act) { hearers.set(name, [...(hearers.get(name) || []), act]); }
function emit(name, what) { for (const act of hearers.get(name) || []) act(what); }

/** The number of the last known moment. */
function known() { return store.moments.size ? Math.max(...store.moments.keys()) : 0; }

/** Applies a view. Known moments stay as they are. */
function apply(view, isWhole = false) {
  if (view.templates) return drawTemplates(view);
  leaveTemplates();
  const was = store.view;
  if (!isWhole && was && view.tree === was.tree && view.revision < was.revision) return refresh(null);
  const fresh = !was || view.tree !== was.tree;
  if (fresh) {
    for (const kept of [store.moments, store.turns, store.marks]) kept.clear();
    store.edit = null;
  }
  for (const moment of view.moments) store.moments.set(moment.number, moment);
  if (!isWhole && [...view.path, ...view.ahead].some(number => !store.moments.has(number))) return refresh(view.edit);
  if (isWhole) store.turns.clear();
  if (!fresh && !view.edit && identity(view) === identity(was)) {
    for (const note of view.notes || []) say(note);
    return undefined;
  }
  if (was && view.revision !== was.revision) store.turns.clear();
  store.view = view;
  store.order = [...view.path, ...view.ahead];
  store.broken = view.model.broken;
  if (view.edit) {
    store.edit = view.edit;
    store.marks = new Map(view.edit.differing.map(one => [one.number, one.fields]));
  }
  if (fresh || view.at !== was.at || !store.order.includes(store.looked)) store.looked = view.at;
  emit('view', { was, fresh });
  emit('look', {});
  if (view.edit) emit('marks', { glow: true });
  // The effect of an edit is shown at the changed turns.
  if (!view.edit) for (const note of view.notes || []) say(note);
  return undefined;
}

/** The visible parts of a view except its moments: if they are equal, nothing is redrawn, so that typing is not interrupted. */
function identity({ model, revision, asks, at, branch, branches, by_hand: byHand, path, ahead, here }) {
  return JSON.stringify([model, revision, asks, at, branch, branches, byHand, path, ahead, here]);
}

/** Reloads everything after lost events. */
async function refresh(edit) {
  try {
    const view = await ask('view', { known: 0 });
    apply(edit ? { ...view, edit } : view, true);
  } catch (error) { complain(error); }
}

let line = Promise.resolve();

/** Runs an operation on the dialogue after the previous one; returns the view, or nothing if it failed. */
function act(name, body = {}, refused = complain) {
  const done = line.then(async () => {
    try {
      const view = await ask(name, { known: known(), ...body });
      await apply(view);
      return view;
    } catch (error) {
      refused(error);
      return null;
    }
  });
  line = done;
  return done;
}

/** Selects a moment without moving the dialogue. */
function look(number, how = {}) {
  if (number !== 0 && !store.moments.has(number)) return;
  store.looked = number;
  emit('look', how);
}

/** The details of a turn. */
function turnOf(number) {
  if (!store.turns.has(number)) {
    const asked = ask('turn', { number });
    asked.catch(() => store.turns.delete(number));
    store.turns.set(number, asked);
  }
  return store.turns.get(number);
}

/** The moments from the start to the tip of a branch. */
function pathOf(tip) {
  const path = [];
  for (let at = store.moments.get(tip); at; at = store.moments.get(at.before)) path.unshift(at.number);
  return path;
}

/** The tooltip of a control with a shortcut key. */
function tip(key) { return `${T.keys[key]} (${key})`; }

/** Announces a text to screen readers. */
function announce(text) { byId('live').textContent = shown(text); }

/** Shows a message at the bottom, and announces it to screen readers. */
function say(text, isBad = false) {
  const box = byId('says');
  const close = () => { box.hidden = true; };
  box.replaceChildren(el('p', sentence(text)), button('✕', close, { 'aria-label': T.dismiss }));
  box.classList.toggle('bad', isBad);
  box.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(close, isBad ? 12000 : 5000);
  announce(text);
}

/** The error and its help text in one sentence. */
function whyRefused(error) { return error instanceof Refusal ? [error.message, error.help].filter(Boolean).join('; ') : String(error); }

function complain(error) { say(whyRefused(error), true); }
