// What the page knows of the dialogue, and who wants to hear of it.
'use strict';

const store = {
  /** The last view of the dialogue. */
  view: null,
  /** All moments of the tree by number. */
  moments: new Map(),
  /** The moments of this branch in their order: those behind, then those ahead. */
  order: [],
  /** The moment that is looked at; 0 is the beginning. */
  looked: 0,
  /** What is known of a turn by its moment, as promises. */
  turns: new Map(),
  /** The fields in which a turn differs since the model was edited, by moment. */
  marks: new Map(),
  /** What the last edit did. */
  edit: null,
  /** Of what the model lost its soundness. */
  broken: null,
};

const hearers = new Map();

/** Hears of `view`, `look`, `marks`, `broken`, `files`, `suite`, `suite_done`, `show`. */
function on(name, act) { hearers.set(name, [...(hearers.get(name) || []), act]); }
function tell(name, what) { for (const act of hearers.get(name) || []) act(what); }

/** The last moment that is known. */
function known() { return store.moments.size ? Math.max(...store.moments.keys()) : 0; }

/** Takes a view in. What is there already stays as it is. */
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
  if (!fresh && !view.edit && standsAs(view) === standsAs(was)) {
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
  tell('view', { was, fresh });
  tell('look', {});
  if (view.edit) tell('marks', { glow: true });
  // What an edit did stands where it was done.
  if (!view.edit) for (const note of view.notes || []) say(note);
  return undefined;
}

/** All that is seen of a view beside its moments: where it is the same, nothing is drawn again, and nobody's typing is disturbed. */
function standsAs({ model, revision, asks, at, branch, branches, by_hand: byHand, path, ahead, here }) {
  return JSON.stringify([model, revision, asks, at, branch, branches, byHand, path, ahead, here]);
}

/** Asks for all there is, where something was missed. */
async function refresh(edit) {
  try {
    const view = await ask('view', { known: 0 });
    apply(edit ? { ...view, edit } : view, true);
  } catch (error) { complain(error); }
}

let line = Promise.resolve();

/** Does something with the dialogue, one thing behind the other; gives the view, or nothing where it was refused. */
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

/** Looks at a moment, without moving the dialogue. */
function look(number, how = {}) {
  if (number !== 0 && !store.moments.has(number)) return;
  store.looked = number;
  tell('look', how);
}

/** All about a turn. */
function turnOf(number) {
  if (!store.turns.has(number)) {
    const asked = ask('turn', { number });
    asked.catch(() => store.turns.delete(number));
    store.turns.set(number, asked);
  }
  return store.turns.get(number);
}

/** The last moment of a branch, and those before it, from the beginning. */
function pathOf(tip) {
  const path = [];
  for (let at = store.moments.get(tip); at; at = store.moments.get(at.before)) path.unshift(at.number);
  return path;
}

/** Says what happened: in a line of its own at the bottom, and to those who listen to the page. */
function say(text, isBad = false) {
  const box = byId('says');
  const close = () => { box.hidden = true; };
  box.replaceChildren(el('p', {}, sentence(text)), el('button', { type: 'button', 'aria-label': 'Close the message', on: { click: close } }, '✕'));
  box.classList.toggle('bad', isBad);
  box.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(close, isBad ? 12000 : 5000);
  byId('live').textContent = shown(text);
}

/** Why something was refused, and what to do about it, in a sentence. */
function whyRefused(error) { return error instanceof Refusal ? [error.message, error.help].filter(Boolean).join(': ') : String(error); }

function complain(error) { say(whyRefused(error), true); }
