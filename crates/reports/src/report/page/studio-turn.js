// The selected turn: its explanation, rejected proposals, and changes.
'use strict';

let turnShown = null;

/** A condition as a tree of its evaluation steps. */
function conditionTree(condition) {
  const answer = value => value === true ? el('span.holds', '✓') : value === false ? el('span.fails', '✕') : quiet('?');
  const summary = el('summary', answer(condition.value), ' ', el('span.mono', breakable(condition.name)), condition.description ? quiet(` ${condition.description}`) : '');
  return el('details.condition', summary, condition.error ? el('p.bad', condition.error) : '', el('ul.steps', condition.steps.map(step => {
    const item = el('li', answer(step.value), ' ', step.asked, step.seen !== null && step.seen !== undefined ? quiet(` — ${asText(step.seen)}`) : '');
    item.style.marginLeft = `${step.depth * 16}px`;
    return item;
  })));
}

/** The conditions of a turn, and a field for finding other conditions. */
function conditionsOf(number, conditions) {
  const list = el('div', conditions.map(conditionTree));
  const field = textField({ type: 'search', placeholder: T.check, 'aria-label': T.check });
  let waiting = 0;
  const find = async () => {
    const wanted = field.value.trim();
    if (!wanted) return list.replaceChildren(...conditions.map(conditionTree));
    try {
      const found = await ask('conditions', { number, find: wanted });
      if (field.value.trim() === wanted) list.replaceChildren(...found.conditions.map(conditionTree), found.conditions.length ? '' : el('p.quiet', T.noMatch));
    } catch (error) { complain(error); }
    return undefined;
  };
  field.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(find, 150); });
  return [field, list];
}

function ruleLines(rule) {
  return el('div.rule',
    el('p', quiet(`${rule.what} `), el('b.mono.wrap', breakable(rule.value)), rule.by ? T.ruleBy(rule.by) : '', rule.mixin ? quiet(T.ruleMixin(rule.mixin)) : ''),
    rule.at ? el('p.quiet.mono.wrap', breakable(rule.at)) : '',
    rule.excerpt ? sourceLines(rule.excerpt, rule.excerpt.line) : '');
}

function lostOnes(turn) {
  if (turn.rejected.length) {
    return el('ul.lost-ones', turn.rejected.map(one => el('li', one.explanation || T.proposed(one.by, asText(one.value), (one.why || '').replace(/_/g, ' ')),
      one.at ? el('span.quiet.mono.wrap', ' ', breakable(one.at)) : '')));
  }
  if (turn.lost.length) return el('ul.lost-ones', turn.lost.map(text => el('li', text)));
  return null;
}

/** A form to set a slot. */
function byHandForm() {
  const slots = store.view.here.slots;
  const slot = textField({ ...T.slot, list: 'slots', required: true });
  const value = textField(T.value);
  const set = () => {
    if (slot.value.trim()) act('set', { data: { [slot.value.trim()]: typed(value.value) } });
  };
  return el('details.more', el('summary', T.changeData), form('form.pair-form', set, slot, value,
    el('datalist', { id: 'slots' }, slots.map(one => el('option', { value: one.name }))), button(T.set, null, { type: 'submit' })));
}

/** A form for inputs that would reach another state. */
function whyNotForm() {
  const says = el('div.why-not-says', { role: 'status' });
  const field = choice({
    id: 'why-not', ...T.whyNot, title: tip('w'),
    groups: () => {
      const actions = [...new Set([...store.moments.values()].flatMap(({ record }) => record ? [record.action, ...(record.rejected || []).filter(one => one.kind === 'action').map(one => asText(one.value))] : []).filter(Boolean))];
      return [{ title: T.states, names: graph.states.map(state => state.name) }, { title: T.actions, names: actions }];
    },
    take: to => askWhyNot(to, says),
  });
  const asked = () => { if (field.field.value.trim()) askWhyNot(field.field.value.trim(), says); };
  return form('form.why-not', asked, el('label', { for: 'why-not' }, T.whyNotGo), field.box, button(T.ask, null, { type: 'submit' }), says);
}

async function askWhyNot(to, says) {
  says.replaceChildren(el('p.quiet', T.searching));
  try {
    const found = await ask('why_not', { to });
    says.replaceChildren(el('p', sentence(found.explanation)), ...found.lines ? [
      el('ol.lines.mono', found.undo ? el('li.quiet', T.undoFirst) : '', found.lines.map(line => el('li', line))),
      button(T.runLines(found.undo), () => playLines(found)),
    ] : []);
    announce(found.explanation);
  } catch (error) {
    says.replaceChildren(el('p.bad', error.message), error.help ? el('p.quiet', error.help) : '');
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
  if (!field) return say(T.unexplained, true);
  field.value = to;
  showPane('turn');
  field.focus();
  return askWhyNot(to, field.closest('form').querySelector('.why-not-says'));
}

function drawBeginning() {
  const { here } = store.view;
  byId('turn').replaceChildren(
    el('h2', T.begin),
    el('p', T.startsIn(stateName(standing(), graph.svg))),
    store.view.at === 0 && here.slots.some(slot => slot.filled) ? el('div', el('h3', T.data), dataLines(here.slots.filter(slot => slot.filled).map(slot => ({ slot: slot.name, before: slot.value, after: slot.value })))) : '',
    store.view.at === 0 ? byHandForm() : '',
    store.order.length ? '' : el('p.quiet', T.panel));
}

async function drawTurn() {
  const number = store.looked;
  if (number === 0) return drawBeginning();
  const moment = store.moments.get(number);
  const record = moment.record || {};
  const isHere = number === store.view.at;
  const parts = [
    el('h2', T.turn(moment.turn), record.class ? quiet(`  ${record.class}`) : ''),
    el('p.why', sentence(moment.why)),
    readAs(record),
    isHere ? '' : el('p', button(T.goBack, () => act('moment', { number })), quiet(T.dialogueAt(store.view.path.length))),
  ];
  const box = byId('turn');
  const rest = el('div.rest');
  if (box.dataset.number !== String(number)) box.scrollTop = 0;
  box.dataset.number = number;
  box.replaceChildren(...parts.filter(Boolean), isHere ? whyNotForm() : '', rest);
  let turn;
  try { turn = await turnOf(number); } catch (error) {
    rest.append(el('p.bad', error.message));
    return undefined;
  }
  if (store.looked !== number || !rest.isConnected) return undefined;
  const add = (title, ...content) => rest.append(el('h3', title), ...content.flat());
  const fields = store.marks.get(number);
  if (fields) add(T.editChanges, el('dl.pair', fields.map(({ field, was, is }) => [el('dt', field), el('dd', changeLines(was, is))])));
  if (turn.rules.length) add(T.rules, turn.rules.map(ruleLines));
  const lost = lostOnes(turn);
  if (lost) add(T.rejected, lost);
  const changed = turn.data.filter(one => one.how !== 'kept');
  const kept = turn.data.filter(one => one.how === 'kept');
  // A missing value is `null`: an added slot has no value before.
  const row = one => ({ slot: one.slot, before: one.how === 'added' ? undefined : one.before, after: one.how === 'dropped' ? undefined : one.after });
  if (changed.length) add(T.data, dataLines(changed.map(row)));
  if (kept.length) rest.append(el('details.more', el('summary', T.unchanged(kept.length)), dataLines(kept.map(row))));
  if (isHere) rest.append(byHandForm());
  restOf(turn.record || record, add);
  const count = value => value ?? 0;
  const moved = turn.counters.filter(one => !same(count(one.before), count(one.after)));
  const still = turn.counters.filter(one => same(count(one.before), count(one.after)) && count(one.after) !== 0);
  const cell = (value, name) => count(value) === 0 ? el('td', { class: `zero ${name}` }) : el('td', { class: name }, asText(value));
  if (moved.length || still.length) add(T.counters, table(T.counterColumns, [...moved, ...still].map(one => [el('td.mono', breakable(one.name)), cell(one.before, ''), cell(one.after, moved.includes(one) ? 'changed' : '')])));
  add(T.conditions, conditionsOf(number, turn.conditions));
  if ((record.violations || []).length) add(T.violations, violationLines(record));
  rest.append(recordFold(turn.record || record));
  return undefined;
}

/** A conversation and the selected turn: next to each other, or as tabs on a narrow screen. */
function split(list, side) {
  const tabs = T.tabs.map((name, at) => button(name, () => {
    box.classList.toggle('on-side', at > 0);
    tabs.forEach((tab, place) => tab.setAttribute('aria-pressed', place === at));
  }, { 'aria-pressed': String(!at) }));
  const box = el('div.split', el('div.split-tabs.tools', tabs), list, side);
  return box;
}

on('look', () => { turnShown = drawTurn(); });
