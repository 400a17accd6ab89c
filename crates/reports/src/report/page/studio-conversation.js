// The conversation: utterances, decisions, and the later turns of this branch. A turn is drawn once; later changes only
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
  const item = el('div', { class: 'turn unfilled', role: 'listitem', 'data-number': number });
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

/** Shows the changes of a turn by a model edit at the turn. */
function mark(number, glow) {
  const item = talk.items.get(number);
  if (!item || talk.unfilled.has(number)) return;
  item.querySelector('.differs')?.remove();
  const fields = store.marks.get(number);
  item.classList.toggle('changed', Boolean(fields));
  item.classList.remove('glow');
  if (!fields) return;
  item.querySelector('.decided').after(el('div', { class: 'differs' }, el('b', {}, '▲ changed by the edit'),
    el('dl', { class: 'pair' }, fields.map(({ field, was, is }) => [el('dt', {}, field),
      el('dd', {}, changeLines(was, is))]))));
  if (glow) item.classList.add('glow');
}

/** Updates the drawn moments to those of the branch; unchanged elements stay. */
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
    if (!box.lastChild || box.lastChild.children.length >= TOGETHER) box.append(el('div', { class: 'group', role: 'presentation' }));
    box.lastChild.append(placeOf(number));
  }
  talk.drawn = order;
  for (const number of order.slice(-FILLED_AT_ONCE)) fill(number);
  const behind = new Set(store.view.path);
  for (const [number, item] of talk.items) item.classList.toggle('ahead', !behind.has(number));
  drawEmpty();
  drawTold();
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
  byId('talk').querySelectorAll('.stands').forEach(item => item.classList.remove('stands'));
  if (store.view.ahead.length) talk.items.get(store.view.at)?.classList.add('stands');
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
  const line = (text, about) => el('li', {}, el('button', { type: 'button', class: 'mono', title: 'Puts this line below', on: { click: () => compose(text) } }, text), ' ', el('span', { class: 'quiet' }, about));
  // Only a value that the model names is plausible.
  const informs = here.informing;
  const slot = here.slots.find(one => one.need === 'required' && one.values.length) || here.slots.find(one => one.values.length);
  box.replaceChildren(
    el('h2', {}, 'No turns yet'),
    el('p', {}, 'The current state is ', stateName(here.state, graph.svg), here.goal ? `: ${here.goal}` : '', /[.!?…]$/.test(here.goal || '') ? '' : '.'),
    el('p', {}, here.accepts.moves ? 'Type what the assistant says below, and choose the next state.' : 'Type what the user says below, and choose an intent; or write both in one line:'),
    el('ul', {},
      first ? line(first, 'an intent that the state knows') : '',
      second ? line(`${examplePhrase()} / ${second}`, 'what the user says, and its intent') : '',
      informs && slot ? line(`${informs} ${slot.name}=${/^[\p{L}\d._-]+$/u.test(slot.values[0]) ? slot.values[0] : JSON.stringify(slot.values[0])}`, 'an intent with data') : ''),
    el('p', { class: 'quiet' }, 'The Turn panel explains why each turn went where it did. Edit the model in your editor: the dialogue is replayed when you save. ', el('kbd', {}, '?'), ' lists the keys.'));
}

function examplePhrase() { return /[а-яё]/i.test(store.view.here.goal || '') ? 'Слова пользователя' : 'What the user says'; }

/** Shows the instructions of the state, and an open clarification question. */
function drawTold() {
  const { here, by_hand: byHand } = store.view;
  byId('told').replaceChildren(
    ...here.instruction ? [el('details', { class: 'card' }, el('summary', {}, el('span', { class: 'grow' }, 'Instructions for the assistant in this state')), el('div', { class: 'inside' }, el('pre', { class: 'instruction' }, here.instruction)))] : [],
    ...here.question ? [el('div', { class: 'card' }, el('div', { class: 'title' }, el('span', { class: 'grow' }, 'What was meant?')), el('div', { class: 'inside chips' }, here.question.options.map(option =>
      el('button', { type: 'button', on: { click: () => play({ intent: option.intent }) } }, option.label || option.intent))))] : [],
    ...byHand.length ? [el('p', { class: 'note mono' }, 'by hand, for the next turn: ', byHand.join('  '))] : [],
    ...here.final ? [el('p', { class: 'note' }, 'The dialogue has ended. ', el('kbd', {}, 'u'), ' undoes the last turn, ', el('kbd', {}, 'N'), ' starts a new dialogue.')] : []);
}

on('view', ({ fresh }) => drawTalk(fresh));
on('graph', () => {
  // Phases have the same colors as in the diagram.
  for (const [number, item] of talk.items) {
    if (!talk.unfilled.has(number)) for (const name of item.querySelectorAll('.decided .state')) name.className = `state ${colourOf(graph.svg, name.dataset.state)}`;
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
