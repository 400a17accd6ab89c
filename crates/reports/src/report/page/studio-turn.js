// The selected turn: its explanation, rejected proposals, and changes.
'use strict';

let turnShown = null;

/** A condition as a tree of its parts. */
function conditionTree(condition) {
  const answer = value => value === true ? el('span', { class: 'holds' }, '✓') : value === false ? el('span', { class: 'fails' }, '✕') : el('span', { class: 'quiet' }, '?');
  const summary = el('summary', {}, answer(condition.value), ' ', el('span', { class: 'mono' }, breakable(condition.name)), condition.description ? el('span', { class: 'quiet' }, ` ${condition.description}`) : '');
  return el('details', { class: 'condition' }, summary, condition.error ? el('p', { class: 'bad' }, condition.error) : '', el('ul', { class: 'steps' }, condition.steps.map(step => {
    const item = el('li', {}, answer(step.value), ' ', step.asked, step.seen !== null && step.seen !== undefined ? el('span', { class: 'quiet' }, ` — ${told(step.seen)}`) : '');
    item.style.marginLeft = `${step.depth * 16}px`;
    return item;
  })));
}

/** The conditions of a turn, and a field to find others. */
function conditionsOf(number, conditions) {
  const list = el('div', {}, conditions.map(conditionTree));
  const field = el('input', { type: 'search', placeholder: 'Check a condition', 'aria-label': 'Check a condition', spellcheck: 'false' });
  let waiting = 0;
  const find = async () => {
    const wanted = field.value.trim();
    if (!wanted) return list.replaceChildren(...conditions.map(conditionTree));
    try {
      const found = await ask('conditions', { number, find: wanted });
      if (field.value.trim() === wanted) list.replaceChildren(...found.conditions.map(conditionTree), found.conditions.length ? '' : el('p', { class: 'quiet' }, 'none is called so'));
    } catch (error) { complain(error); }
    return undefined;
  };
  field.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(find, 150); });
  return [field, list];
}

function ruleLines(rule) {
  return el('div', { class: 'rule' },
    el('p', {}, el('span', { class: 'quiet' }, `${rule.what} `), el('b', { class: 'mono wrap' }, breakable(rule.value)), rule.by ? ` by ${rule.by}` : '', rule.mixin ? el('span', { class: 'quiet' }, `, mixin ${rule.mixin}`) : ''),
    rule.at ? el('p', { class: 'quiet mono wrap' }, breakable(rule.at)) : '',
    rule.excerpt ? sourceLines(rule.excerpt, rule.excerpt.line) : '');
}

function lostOnes(turn) {
  if (turn.rejected.length) {
    return el('ul', { class: 'lost-ones' }, turn.rejected.map(one => el('li', {}, one.told || `${one.by} wanted ${told(one.value)}: ${(one.why || '').replace(/_/g, ' ')}`,
      one.at ? el('span', { class: 'quiet mono wrap' }, ' ', breakable(one.at)) : '')));
  }
  if (turn.lost.length) return el('ul', { class: 'lost-ones' }, turn.lost.map(text => el('li', {}, text)));
  return null;
}

/** A form to set a slot. */
function byHandForm() {
  const slots = store.view.here.slots;
  const slot = el('input', { type: 'text', 'aria-label': 'Slot', placeholder: 'slot', list: 'slots', spellcheck: 'false', required: true });
  const value = el('input', { type: 'text', 'aria-label': 'Value', placeholder: 'value', spellcheck: 'false' });
  const set = event => {
    event.preventDefault();
    if (slot.value.trim()) act('set', { data: { [slot.value.trim()]: typed(value.value) } });
  };
  return el('details', { class: 'more' }, el('summary', {}, 'Change data'), el('form', { class: 'pair-form', on: { submit: set } }, slot, value,
    el('datalist', { id: 'slots' }, slots.map(one => el('option', { value: one.name }))), el('button', { title: 'The next turn begins with it' }, 'Set')));
}

/** A form for inputs that would reach another state. */
function whyNotForm() {
  const says = el('div', { class: 'why-not-says', role: 'status' });
  const field = choice({
    id: 'why-not', label: 'Why not this state or action', hint: 'state', title: 'Why it did not go elsewhere (w)',
    groups: () => {
      const actions = [...new Set([...store.moments.values()].flatMap(({ record }) => record ? [record.action, ...(record.rejected || []).filter(one => one.kind === 'action').map(one => told(one.value))] : []).filter(Boolean))];
      return [{ title: 'states', names: graph.states.map(state => state.name) }, { title: 'actions that were there', names: actions }];
    },
    take: to => askWhyNot(to, says),
  });
  const asked = event => { event.preventDefault(); if (field.field.value.trim()) askWhyNot(field.field.value.trim(), says); };
  return el('form', { class: 'why-not', on: { submit: asked } }, el('label', { for: 'why-not' }, 'Why not go to'), field.box, el('button', { title: 'Searches for the smallest change that leads there' }, 'Ask'), says);
}

async function askWhyNot(to, says) {
  says.replaceChildren(el('p', { class: 'quiet' }, 'searching …'));
  try {
    const found = await ask('why_not', { to });
    says.replaceChildren(el('p', {}, sentence(found.told)), ...found.lines ? [
      el('ol', { class: 'lines mono' }, found.undo ? el('li', { class: 'quiet' }, 'take the last turn back') : '', found.lines.map(line => el('li', {}, line))),
      el('button', { type: 'button', title: 'What was played stays as a branch', on: { click: () => playLines(found) } }, found.undo ? 'Play it instead of the last turn' : 'Play it'),
    ] : []);
    byId('live').textContent = shown(found.told);
  } catch (error) {
    says.replaceChildren(el('p', { class: 'bad' }, error.message), error.help ? el('p', { class: 'quiet' }, error.help) : '');
  }
}

async function playLines({ undo, lines }) {
  if (undo && !await act('undo', { turns: 1 })) return;
  for (const line of lines) {
    if (!await act('play', { line })) return;
  }
}

/** Explains why the turn did not reach a state. */
async function whyNot(to) {
  if (store.looked !== store.view.at) look(store.view.at);
  await turnShown;
  const field = byId('why-not');
  if (!field) return say('there is no turn yet that could have gone elsewhere', true);
  field.value = to;
  showPane('turn');
  field.focus();
  return askWhyNot(to, field.closest('form').querySelector('.why-not-says'));
}

function drawBeginning() {
  const { here } = store.view;
  byId('turn').replaceChildren(
    el('h2', {}, 'Before the first turn'),
    el('p', {}, 'The dialogue begins in ', stateName(standing(), graph.svg), '.'),
    store.view.at === 0 && here.slots.some(slot => slot.filled) ? el('div', {}, el('h3', {}, 'Data'), dataLines(here.slots.filter(slot => slot.filled).map(slot => ({ slot: slot.name, before: slot.value, after: slot.value })))) : '',
    store.view.at === 0 ? byHandForm() : '',
    store.order.length ? '' : el('p', { class: 'quiet' }, 'Each turn is explained here: what decided, by which lines of the model, which proposals were rejected, and what changed.'));
}

async function drawTurn() {
  const number = store.looked;
  if (number === 0) return drawBeginning();
  const moment = store.moments.get(number);
  const record = moment.record || {};
  const isHere = number === store.view.at;
  const parts = [
    el('h2', {}, `Turn ${moment.turn}`, record.class ? el('span', { class: 'quiet' }, `  ${record.class}`) : ''),
    el('p', { class: 'why' }, sentence(moment.why)),
    isHere ? '' : el('p', {}, el('button', { type: 'button', title: 'The dialogue goes on from here (enter)', on: { click: () => act('moment', { number }) } }, 'Return to this turn'), el('span', { class: 'quiet' }, ` the dialogue is at ${store.view.path.length ? `turn ${store.view.path.length}` : 'its beginning'}`)),
  ];
  const box = byId('turn');
  const rest = el('div', { class: 'rest' });
  if (box.dataset.number !== String(number)) box.scrollTop = 0;
  box.dataset.number = number;
  box.replaceChildren(...parts.filter(Boolean), isHere ? whyNotForm() : '', rest);
  let turn;
  try { turn = await turnOf(number); } catch (error) {
    rest.append(el('p', { class: 'bad' }, error.message));
    return undefined;
  }
  if (store.looked !== number || !rest.isConnected) return undefined;
  const add = (title, ...content) => rest.append(el('h3', {}, title), ...content.flat());
  const fields = store.marks.get(number);
  if (fields) add('Changed by the edit', el('dl', { class: 'pair' }, fields.map(({ field, was, is }) => [el('dt', {}, field), el('dd', {}, changeLines(was, is))])));
  if (turn.rules.length) add('Decided by', turn.rules.map(ruleLines));
  const lost = lostOnes(turn);
  if (lost) add('Rejected proposals', lost);
  const changed = turn.data.filter(one => one.how !== 'kept');
  const kept = turn.data.filter(one => one.how === 'kept');
  // A missing value is `null`: an added slot has no value before.
  const row = one => ({ slot: one.slot, before: one.how === 'added' ? undefined : one.before, after: one.how === 'dropped' ? undefined : one.after });
  if (changed.length) add('Data', dataLines(changed.map(row)));
  if (kept.length) rest.append(el('details', { class: 'more' }, el('summary', {}, `${plural(kept.length, 'slot')} unchanged`), dataLines(kept.map(row))));
  if (isHere) rest.append(byHandForm());
  restOf(turn.record || record, add);
  const count = value => value ?? 0;
  const moved = turn.counters.filter(one => !same(count(one.before), count(one.after)));
  const still = turn.counters.filter(one => same(count(one.before), count(one.after)) && count(one.after) !== 0);
  const cell = (value, name) => count(value) === 0 ? el('td', { class: `zero ${name}` }) : el('td', { class: name }, told(value));
  if (moved.length || still.length) add('Counters', table(['counter', 'before', 'after'], [...moved, ...still].map(one => [el('td', { class: 'mono' }, breakable(one.name)), cell(one.before, ''), cell(one.after, moved.includes(one) ? 'changed' : '')])));
  add('Conditions', conditionsOf(number, turn.conditions));
  if ((record.faults || []).length) add('Faults', faultLines(record));
  rest.append(recordFold(turn.record || record));
  return undefined;
}

/** A conversation and the selected turn: next to each other, or as tabs on a narrow screen. */
function split(list, side) {
  const tabs = ['Conversation', 'Turn'].map((name, at) => el('button', { type: 'button', 'aria-pressed': String(!at), on: { click: () => {
    box.classList.toggle('on-side', at > 0);
    tabs.forEach((tab, place) => tab.setAttribute('aria-pressed', String(place === at)));
  } } }, name));
  const box = el('div', { class: 'split' }, el('div', { class: 'split-tabs tools' }, tabs), list, side);
  return box;
}

on('look', () => { turnShown = drawTurn(); });
