// The conversation: utterances, decisions, and the undone turns of this branch. A turn is drawn once; later changes only
// update its marks.
'use strict';

/** The number of turns that are filled at a time. */
const FILLED_AT_ONCE = 24;
/** The number of turns per group: the browser skips groups out of sight. */
const TOGETHER = 10;

const talk = {
  /** The element of each moment. */
  items: new Map(),
  /** The moments in drawing order. */
  drawn: [],
  /** Moments with an empty element. */
  unfilled: new Set(),
};

const inSight = new IntersectionObserver(seen => {
  for (const { isIntersecting, target } of seen) if (isIntersecting) fill(Number(target.dataset.number));
}, { root: byId('scroll'), rootMargin: '400px' });

function placeOf(number) {
  const item = el('div.turn.unfilled', { role: 'listitem', 'data-number': number });
  talk.items.set(number, item);
  talk.unfilled.add(number);
  inSight.observe(item);
  return item;
}

/** Fills the element of a turn. */
function fill(number) {
  const item = talk.items.get(number);
  if (!item || !talk.unfilled.delete(number)) return;
  inSight.unobserve(item);
  const moment = store.moments.get(number);
  if (!moment) return;
  const spoken = who => moment.said.filter(one => one.by === who && one.text.trim()).map(one => one.text);
  const record = moment.record || {};
  const input = record.input || {};
  const say = spoken('user').join('\n') || input.say;
  const turn = { ...record, input: moment.record ? { ...input, say } : { say: say || moment.line }, replies: spoken('assistant') };
  const made = turnItem(turn, moment.turn - 1, graph.svg, { choose: () => look(number) });
  item.replaceChildren(...made.childNodes);
  item.classList.remove('unfilled');
  mark(number, false);
  if (number === store.looked) item.classList.add('now');
}

/** Marks a turn with the changes that a model edit caused. */
function mark(number, glow) {
  const item = talk.items.get(number);
  if (!item || talk.unfilled.has(number)) return;
  item.querySelector('.differs')?.remove();
  const fields = store.marks.get(number);
  item.classList.toggle('changed', Boolean(fields));
  item.classList.remove('glow');
  if (!fields) return;
  item.querySelector('.decided').after(el('div.differs', el('b', T.changed),
    el('dl.pair', fields.map(({ field, was, is }) => [el('dt', field),
      el('dd', changeLines(was, is))]))));
  if (glow) item.classList.add('glow');
}

/** Draws the moments of the current branch. Unchanged elements stay. */
function drawTalk(fresh) {
  const order = store.order;
  if (fresh) {
    talk.items.clear();
    talk.unfilled.clear();
    talk.drawn = [];
    byId('talk').replaceChildren();
  }
  let kept = 0;
  while (kept < talk.drawn.length && talk.drawn[kept] === order[kept]) kept += 1;
  for (const number of talk.drawn.slice(kept)) {
    const item = talk.items.get(number);
    inSight.unobserve(item);
    item.remove();
    talk.items.delete(number);
    talk.unfilled.delete(number);
  }
  const box = byId('talk');
  while (box.lastChild && !box.lastChild.hasChildNodes()) box.lastChild.remove();
  for (const number of order.slice(kept)) {
    if (!box.lastChild || box.lastChild.children.length >= TOGETHER) box.append(el('div.group', { role: 'presentation' }));
    box.lastChild.append(placeOf(number));
  }
  talk.drawn = order;
  for (const number of order.slice(-FILLED_AT_ONCE)) fill(number);
  const past = new Set(store.view.path);
  for (const [number, item] of talk.items) item.classList.toggle('ahead', !past.has(number));
  drawEmpty();
  drawNotes();
  later();
}

let waitingFor = 0;
/** Fills elements out of sight when the browser is idle, from the end. */
function later() {
  if (!talk.unfilled.size || waitingFor) return;
  waitingFor = requestIdleCallback(rest => {
    waitingFor = 0;
    for (const number of [...talk.unfilled].reverse()) {
      if (rest.timeRemaining() < 4) break;
      fill(number);
    }
    later();
  });
}

/** Highlights the selected turn and scrolls to it. */
function drawLooked({ quietly, focus } = {}) {
  byId('talk').querySelectorAll('.now').forEach(item => {
    item.classList.remove('now');
    item.querySelector('.decided')?.removeAttribute('aria-current');
  });
  byId('talk').querySelectorAll('.current').forEach(item => item.classList.remove('current'));
  if (store.view.ahead.length) talk.items.get(store.view.at)?.classList.add('current');
  const item = talk.items.get(store.looked);
  if (!item) {
    if (store.looked === 0 && !quietly) byId('scroll').scrollTop = 0;
    return;
  }
  fill(store.looked);
  item.classList.add('now');
  const button = item.querySelector('.decided');
  button.setAttribute('aria-current', 'step');
  if (focus) button.focus({ preventScroll: true });
  if (quietly) return;
  if (store.looked === store.order[store.order.length - 1]) byId('scroll').scrollTop = byId('scroll').scrollHeight;
  else item.scrollIntoView({ block: 'nearest' });
}

/** Shows possible inputs before the first turn. */
function drawEmpty() {
  const { here, order } = { here: store.view.here, order: store.order };
  const box = byId('empty');
  box.hidden = order.length > 0;
  if (order.length) return;
  const [first, second] = intentsHere();
  const line = (text, about) => el('li', button([text, T.copy], () => compose(text), { class: 'mono' }), ' ', quiet(about));
  // Suggest only a value that the model names.
  const informs = here.informing;
  const slot = here.slots.find(one => one.need === 'required' && one.values.length) || here.slots.find(one => one.values.length);
  box.replaceChildren(
    el('h2', T.empty),
    el('p', T.stateIs(stateName(here.state, graph.svg), here.goal)),
    el('p', here.accepts.moves ? T.chooseState : T.emptyHint),
    el('ul',
      first ? line(first, T.lineIntent) : '',
      second ? line(`${T.phrase(/[а-яё]/i.test(here.goal || ''))} / ${second}`, T.lineSay) : '',
      informs && slot ? line(`${informs} ${slot.name}=${/^[\p{L}\d._-]+$/u.test(slot.values[0]) ? slot.values[0] : JSON.stringify(slot.values[0])}`, T.lineData) : ''),
    el('p.quiet', T.emptyNote(kbd)));
}

function kbd(key) { return el('kbd', key); }

/** Shows the instructions of the state, and an open clarification question. */
function drawNotes() {
  const { here, by_hand: byHand } = store.view;
  byId('notes').replaceChildren(
    ...here.instruction ? [el('details.card', el('summary', el('span.grow', T.instructions)), el('div.inside', el('pre.instruction', here.instruction)))] : [],
    ...here.question ? [el('div.card', el('div.title', el('span.grow', T.select)), el('div.inside.chips', here.question.options.map(option =>
      button(option.label || option.intent, () => play({ intent: option.intent })))))] : [],
    ...byHand.length ? [el('p.note.mono', T.changes, byHand.join('  '))] : [],
    ...here.final ? [el('p.note', T.endedNote(kbd))] : []);
}

on('view', ({ fresh }) => drawTalk(fresh));
on('graph', () => {
  // Phases have the same colors as in the diagram.
  for (const [number, item] of talk.items) {
    if (!talk.unfilled.has(number)) for (const name of item.querySelectorAll('.decided .state')) name.className = `state ${colorOf(graph.svg, name.dataset.state)}`;
  }
  drawEmpty();
});
on('marks', ({ glow }) => {
  const [first] = changedTurns();
  if (glow && first) fill(first);
  for (const number of talk.items.keys()) mark(number, glow);
  if (glow && first) talk.items.get(first).scrollIntoView({ block: 'nearest' });
});
on('look', drawLooked);
