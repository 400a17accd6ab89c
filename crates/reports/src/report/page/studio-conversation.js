// The conversation: what was said, what was decided, and what comes next on this branch. A turn is drawn once; what changes
// afterwards are its marks.
'use strict';

/** How many turns are filled at a time where there are many. */
const FILLED_AT_ONCE = 24;
/** How many turns are drawn together: those out of sight are passed over as one. */
const TOGETHER = 10;

const talk = {
  /** What is drawn for each moment. */
  items: new Map(),
  /** The moments in the order in which they are drawn. */
  drawn: [],
  /** Those whose place is there, but nothing in it yet. */
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

/** Puts into its place what there is to say of a turn. */
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

/** Shows in its place what an edit of the model changed in a turn. */
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

/** Brings what is drawn to the moments of the branch; what is the same stays. */
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
/** Fills the places that are out of sight when there is nothing else to do, from the end on. */
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

/** Marks the turn that is looked at, and brings it into sight. */
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

/** What there is to do where nothing was said. */
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

/** What an assistant is told in the state, and what is asked back. */
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
  // The colours of phases are those of the picture.
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
