// The report of a comparison.

const { title, a, b, counts, summary, about, causes, dialogues } = JSON.parse(byId('data').textContent);
const RESULTS = { differs: 'differs', only_a: 'only_in_A', only_b: 'only_in_B' };
const taken = new Map();
for (const one of dialogues) {
  // Several dialogues can have the same name.
  const number = (taken.get(one.title) || 0) + 1;
  taken.set(one.title, number);
  one.id = number > 1 ? `${one.title} #${number}` : one.title;
  one.result = RESULTS[one.category];
  // Equal turns are in the data once.
  for (const turns of one.steps) if (turns.shared) turns.b = turns.a;
}

const DIALOGUE_FIELDS = {
  title: one => [one.title],
  result: one => [one.result],
  kind: one => one.kind ? [one.kind] : [],
  field: one => one.steps.flatMap(turns => turns.fields.map(field => field.field)),
  cause: one => one.causes.map(String),
  model: one => one.model ? [one.model] : [],
};

/** The name of a side in its color. */
function sideName(side, name) { return el('span.chip.mono', el(`b.side-name.${side}`, side.toUpperCase()), ' ', breakable(name)); }

// The summary.

function drawHead() {
  byId('sentence').replaceChildren(shown(summary[0]));
  const results = [['differs', counts.different], ['only_in_A', counts.only_a], ['only_in_B', counts.only_b], ['not_run', counts.unplayable], ['same', counts.same]];
  drawCounts(byId('verdicts'), byId('legend'), new Map(results.filter(([, count]) => count)));
  byId('sides').append(sideName('a', a), sideName('b', b));
  byId('notes').append(...[...summary.slice(1), ...about].map(line => el('p.quiet.wrap', line)));
}

/** A dialogue in a list, with its weightiest difference. */
function hit(one) {
  return el('a.hit', { href: address(one) }, verdict(one.result), el('span', one.title), quiet(one.change || ''));
}

function drawCauses() {
  section('causes', causes.map((cause, at) => {
    const own = dialogues.filter(one => one.causes.includes(cause.id));
    const first = own.find(one => one.title === cause.example.dialogue);
    const others = own.filter(one => one !== first);
    const card = fold(at < 3, [el('span.grow', breakable(cause.title)), quiet(T.dialogues(cause.dialogues))], () => [
      cause.edits.map(edit => [
        cause.edits.length > 1 ? el('p.quiet.mono.wrap', breakable(edit.was_at || edit.at)) : '',
        editedLines([...edit.removed.map(line => `- ${line}`), ...edit.added.map(line => `+ ${line}`)]),
      ]),
      facts(cause),
      first ? [el('h3', others.length ? T.example : T.dialogue), hit(first), excerpt(first, cause.example.turn)] : '',
      others.length ? others.length > 5 ? fold(false, quiet(T.more(others.length)), () => others.map(hit)) : [el('h3', T.others), others.map(hit)] : '',
    ]);
    card.id = `cause-${cause.id}`;
    return card;
  }));
}

/** The changes of a cause with the numbers of dialogues, and the decisions in its example. */
function facts({ changes, class: classes, by, why, rules }) {
  const pair = (name, was, is, note) => [el('dt', breakable(name)), el('dd',
    same(was, is) ? breakable(inWords(was)) : changeLines(was, is, { sides: ['span', 'span'], classes: ['a-side', 'b-side'] }), note ? quiet(note) : '')];
  const decided = [[T.class, classes], [T.source, by], [T.why, why], [T.rule, rules]]
    .filter(([, sides]) => sides && [sides.a, sides.b].some(side => side && side.length));
  return el('dl.pair', changes.map(change => pair(change.field, change.a, change.b, changes.length > 1 ? T.dialogues(change.dialogues) : '')),
    decided.map(([name, sides]) => pair(name, sides.a, sides.b)));
}

/** The turns of a dialogue around a turn, and the number of the others. */
function excerpt(one, turn) {
  const at = one.steps.findIndex(turns => turn.a !== null ? turns.a?.turn === turn.a : turns.b?.turn === turn.b);
  const from = Math.max(0, at - 1);
  const left = one.steps.slice(from, at + 2);
  const omitted = one.steps.length - left.length;
  return [el('div.compared', sideBySide(left, one.model && pictureOf(one.model))), omitted ? el('p.quiet', T.omitted(omitted)) : ''];
}

// Dialogues side by side.

/** The class of a part of a turn if its field differs. */
function mark({ fields }, name) { return fields.some(({ field }) => field === name || field.startsWith(`${name}.`)) ? '.differs' : ''; }

/** A turn of one side as a conversation, in which the parts that differ are marked. */
function sideOf(turn, turns, svg) {
  const input = turn.input || {};
  const meant = meantBy(input);
  const why = [...turn.why.map(reason => reason.replace(/_/g, ' ')), ...new Set([turn.rule.action, turn.rule.transition].filter(Boolean))].join('; ');
  return [
    input.say || meant ? el(`div.say.user${mark(turns, 'input')}`, input.say || '', meant ? el('span.meant.mono', meant) : '') : '',
    el('div.decided', el(`span${mark(turns, 'state')}`, wayOf(turn.state || {}, svg)),
      turn.class ? el(`span.class${mark(turns, 'class')}`, turn.class) : '',
      turn.contract_class ? el(`span.class${mark(turns, 'contract_class')}`, asText(turn.contract_class)) : '',
      turn.action ? el(`span.mono${mark(turns, 'action')}`, breakable(turn.action)) : ''),
    repliesOf(turn).map(reply => el(`div.say.bot${mark(turns, 'replies')}`, reply)),
    why ? el('p.quiet.wrap', el(`span${mark(turns, 'why')}`, breakable(why))) : '',
  ];
}

/** The turns of both dialogues as a table. Equal turns are shown once. */
function sideBySide(steps, svg) {
  const side = (turns, name) => turns[name] ? el(`td.side-${name}`, sideOf(turns[name], turns, svg)) : el('td.zero');
  const numbers = ({ a: was, b: is }) => was && is && was.turn !== is.turn ? `${was.turn} | ${is.turn}` : (was || is).turn;
  return comparedTable(steps, turns => [
    el('th', { scope: 'row' }, numbers(turns)),
    turns.shared ? el('td', { colspan: 2 }, sideOf(turns.a, turns, svg)) : [side(turns, 'a'), side(turns, 'b')],
  ]);
}

/** The cells of a dialogue in the table. */
function cellsOf(one) {
  return [el('span', { role: 'cell' }, verdict(one.result)),
    el('span', { role: 'cell' }, one.title),
    el('span.mono', { role: 'cell' }, breakable(one.model || '')),
    el('span.quiet', { role: 'cell' }, one.causes.join(', ')),
    el('span.place.mono', { role: 'cell' }, breakable(one.change || ''))];
}

/** The path of a side in a diagram. */
function pathOf(one, side) { return one.steps.map(turns => turns[side]).filter(Boolean).map(turn => ({ ...turn.state, path: turn.path, turn: turn.turn })); }

function drawItem(number) {
  const one = dialogues[number];
  const svg = one.model ? pictureOf(one.model) : null;
  const paths = [pathOf(one, 'a'), pathOf(one, 'b')];
  const states = new Set(paths.flat().flatMap(({ from, to }) => [from, to]).filter(Boolean));
  const unknown = svg ? [...states].filter(state => !nodeOf(svg, state)) : [];
  showItem(
    el('div.crumbs',
      button(T.all, close, { class: 'back' }),
      verdict(one.result), el('h2', { tabindex: '-1' }, one.title)),
    el('div.facts',
      one.model ? el('span.mono.wrap', one.model) : '',
      one.change ? el('span.wrap', one.change) : '',
      one.reconvergence ? el('span', one.reconvergence) : '',
      one.causes.map(cause => el('a', { href: `#cause-${cause}` }, T.cause(cause)))),
    svg ? [frame(svg), el('p.legend-line', sideName('a', a), sideName('b', b), quiet(T.bothPaths))] : '',
    unknown.length ? el('p.quiet.wrap', T.notDrawn(unknown.join(', '))) : '',
    one.steps.length ? el('div.compared', sideBySide(one.steps, svg)) : el('p.quiet', T.onlyOneSide));
  open = { one, turns: one.steps, svg, at: -1 };
  if (svg) drawPaths(svg, ...paths);
  window.scrollTo(0, 0);
  if (one.steps.length) select(one.at, one.at < 3);
  byId('scenario').querySelector('h2').focus({ preventScroll: true });
  document.title = `${one.title} · ${title}`;
}

function select(at, quietly) {
  if (!open || !open.turns[at]) return;
  open.at = at;
  const rows = byId('scenario').querySelectorAll('.compared tbody tr');
  rows.forEach((row, place) => row.classList.toggle('now', place === at));
  if (!quietly) rows[at].scrollIntoView({ block: 'nearest' });
  if (!open.svg) return;
  open.svg.querySelectorAll('.now').forEach(node => node.classList.remove('now'));
  const nodes = ['a', 'b'].map(side => open.turns[at][side]?.state?.to).filter(Boolean).map(state => nodeOf(open.svg, state)).filter(Boolean);
  nodes.forEach(node => node.classList.add('now'));
  if (nodes.length) centre(open.svg.parentElement, nodes[0]);
}

/** Selects the next turn in this direction that differs. */
function selectDifference(by) {
  if (!open) return;
  let at = open.at + by;
  while (open.turns[at]?.shared) at += by;
  select(at);
}

Object.assign(KEYS, { ']': () => selectDifference(1), '[': () => selectDifference(-1) });

drawHead();
drawCauses();
byId('dialogues').hidden = !dialogues.length;
startList(dialogues, DIALOGUE_FIELDS);
