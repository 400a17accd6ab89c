// Shared code for dialogues: conversations, decisions of a turn, failures and their causes.

const VERDICTS = ['failed', 'invalid', 'unexpected_pass', 'inconclusive', 'unavailable', 'expected_failure', 'skipped', 'passed'];
const GOOD = new Set(['passed', 'expected_failure', 'skipped']);

function verdict(name, count) {
  return el('span', { class: `v v-${name}` }, count === undefined ? '' : `${count} `, name.replace(/_/g, ' '));
}

/** The verdicts of scenarios as a bar with a legend. */
function drawVerdicts(bar, legend, scenarios) {
  const counts = new Map();
  for (const one of scenarios) counts.set(one.verdict, (counts.get(one.verdict) || 0) + 1);
  drawCounts(bar, legend, counts);
}

/** Numbers by verdict as a bar with a legend. */
function drawCounts(bar, legend, counts) {
  const there = VERDICTS.filter(name => counts.has(name)).concat([...counts.keys()].filter(name => !VERDICTS.includes(name)));
  bar.replaceChildren(...there.map(name => {
    const part = el('i', { class: `v-${name}` });
    part.style.flex = `${counts.get(name)} 0 0`;
    return part;
  }));
  bar.setAttribute('aria-label', there.map(name => `${counts.get(name)} ${name.replace(/_/g, ' ')}`).join(', '));
  legend.replaceChildren(...there.map(name => verdict(name, counts.get(name))));
}

/** A value as text for one line. */
function asText(value) {
  if (value === undefined) return T.nothing;
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** The value of a JSON text, or the text. */
function valueOf(text) {
  try { return typeof text === 'string' && /^[[{"]/.test(text) ? JSON.parse(text) : text; } catch { return text; }
}

/** The word for an expected value, from a scenario or from a snapshot. */
function expectedWord(failure) { return failure.against === 'snapshot' ? T.accepted : T.expected; }

/** The expected and the actual value as text. Of long values, the first lines that differ. */
function sidesOf({ expected, actual, diff }) {
  if (!diff) return [expected, actual].map(value => inWords(valueOf(value)));
  return ['-', '+'].map(sign => inWords(diff.find(line => line.startsWith(sign))?.slice(1).trim()));
}

/** The first failure of a scenario, in one line. */
function firstFailure(one) {
  const [first] = one.failures || [];
  if (first && first.field === 'snapshot') return T.noSnapshot;
  if (first) return T.failure(first.turn, first.field, expectedWord(first), ...sidesOf(first));
  return one.reason || '';
}

/** The failures of a turn of a scenario. */
function failuresOf(one, turn, at) {
  return (one.failures || []).filter(failure => failure.turn === (turn.turn === undefined ? at + 1 : turn.turn));
}

/** The failures of a turn by field: expectations of the scenario and the snapshot are grouped. */
function byField(failures) {
  return grouped(failures, failure => failure.field).map(([, part]) => part);
}

/** A finding about the input of a run. */
function findingLine({ severity, title, at, help }) {
  return el('p', el('span', { class: `v v-${severity === 'error' ? 'failed' : 'unexpected_pass'}` }, severity), ` ${title}`, at ? el('span.mono.quiet.wrap', ` ${at}`) : '', help ? quiet(` ${help}`) : '');
}

/** A section that is created when it is opened for the first time. */
function fold(isOpen, summary, make) {
  const made = el('details.card', { open: isOpen }, el('summary', summary));
  const fill = () => {
    if (made.open && made.children.length === 1) made.append(el('div.inside', make()));
  };
  made.addEventListener('toggle', fill);
  fill();
  return made;
}

/** Lines of a file with their numbers, `{first, lines}`; one of them can be highlighted. */
function sourceLines(found, meant) {
  if (!found) return null;
  // Removes the common indentation.
  const indent = Math.min(...found.lines.filter(line => line.trim()).map(line => line.search(/\S/)));
  return el('pre.source', { tabindex: '0' }, found.lines.map(line => line.slice(Number.isFinite(indent) ? indent : 0)).map((line, at) =>
    el('span', { class: found.first + at === meant ? 'meant-line' : undefined }, el('span.at', found.first + at), ' ', breakable(line), '\n')));
}

/** Edited lines: `- ` marks removed lines, `+ ` marks added ones. */
function editedLines(lines) {
  return el('pre.source', { tabindex: '0' }, lines.map(line => el('span', { class: line.startsWith('+') ? 'added' : 'removed' }, `${line}\n`)));
}

/** The lines of a difference: `- ` marks removed lines, `+ ` marks added ones, and `[-…-]` and `{+…+}` words in them. */
function diffLines(lines) {
  const word = part => /^\[-.*-\]$/.test(part) ? el('del', part.slice(2, -2)) : /^\{\+.*\+\}$/.test(part) ? el('ins', part.slice(2, -2)) : part;
  const classOf = line => ({ '-': 'removed', '+': 'added' })[line[0]];
  return el('pre.source', { tabindex: '0' }, lines.map(line => el('span', { class: classOf(line) }, line.split(/(\[-.*?-\]|\{\+.*?\+\})/).map(word), '\n')));
}

/** The edited lines, or the previous and the current location of the deciding rule. */
function edited(cause, excerpt) {
  if (cause.edit && cause.edit.length) return editedLines(cause.edit);
  const places = [cause.was_at, cause.at].filter((place, at, all) => place && all.indexOf(place) === at);
  const word = place => places.length < 2 ? T.decidedBy : place === cause.at ? T.decidedNow : T.decidedBefore;
  return places.map(place => [el('p.quiet', word(place), ' ', el('code', place)), excerpt(place)]);
}

/** A proportion as a bar and as numbers. */
function share([kind, covered, all]) {
  const bar = el('i');
  bar.style.width = `${100 * covered / all}%`;
  return el('span.share', quiet(kind), el('span.meter', bar), `${covered}/${all}`);
}

/** A sentence with names in backticks. */
function sentence(text) { return String(text).split('`').map((part, at) => at % 2 ? el('code', breakable(part)) : breakable(part)); }

/** The input of a turn in one line: intent, navigation, event and data. */
function meantBy(input) {
  return [input.intent ? `/${input.intent}` : '', input.goto ? `→ ${input.goto}` : '', input.event ? T.event(asText(input.event)) : '',
    input.consent ? T.consentGiven(Object.entries(input.consent)) : '',
    input.data ? Object.entries(input.data).map(([key, value]) => `${key}=${asText(value)}`).join(' ') : ''].filter(Boolean).join('  ');
}

/** A value as text: a list as its items, a map as `key: value`. */
function inWords(value) {
  if (Array.isArray(value)) return value.map(inWords).join(', ') || T.nothing;
  if (value && typeof value === 'object') return Object.entries(value).map(([key, part]) => `${key}: ${inWords(part)}`).join('; ') || T.nothing;
  return value === null || value === undefined || value === '' ? T.nothing : String(value);
}

/** The differences between two values as `[name, was, is]`. Maps are compared by key. */
function changesOf(wasTold, isTold, name = '') {
  const [was, is] = [valueOf(wasTold), valueOf(isTold)];
  const isMap = value => value && typeof value === 'object' && !Array.isArray(value);
  if (!isMap(was) || !isMap(is)) return [[name, was, is]];
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(key => !same(was[key], is[key]));
  return keys.flatMap(key => changesOf(was[key], is[key], name ? `${name}.${key}` : key));
}

/** A line `name: …` with the old and the new value. */
function wordLine(name, ...content) {
  return el('div.word-line', name ? [el('span.mono', breakable(name)), ': '] : '', content);
}

/** The old and the new value as text, one line per difference: `lost_or_stolen: lost → stolen`. */
function changeLines(was, is, { name = '', sides = ['del', 'ins'], between = ' → ', classes = [] } = {}) {
  return changesOf(was, is, name).map(([part, ...values]) => wordLine(part, values.map((value, at) => [at ? between : '', el(sides[at], { class: classes[at] }, breakable(inWords(value)))])));
}

/** Two dialogues side by side: `cells` creates the turn number and both sides of a row, and the fields that differ follow. */
function comparedTable(rows, cells) {
  const field = ({ field, a, b }) => [el('dt', breakable(field)), el('dd', changeLines(a, b, { sides: ['span', 'span'], classes: ['a-side', 'b-side'], between: ' | ' }))];
  return el('table', el('thead', el('tr', T.compareColumns.map(title => el('th', title)))),
    el('tbody', rows.map(row => el('tr', cells(row), el('td', el('dl.pair', row.fields.map(field)))))));
}

/** The replies of the assistant in a turn. */
function repliesOf(turn) {
  return (turn.replies || []).map(reply => typeof reply === 'string' ? reply : asText(reply.text === undefined ? reply : reply.text));
}

/** The source and target state of a turn. */
function wayOf(state, svg) {
  return state.from === state.to ? stateName(state.to || '', svg) : [stateName(state.from || '', svg), ' → ', stateName(state.to || '', svg)];
}

/** The decision in a turn, shown as a line between the messages. */
function decided(turn, number, svg, choose) {
  return el('button.decided', { type: 'button', 'aria-label': T.turn(number), on: { click: choose } },
    el('span.number', number),
    el('span.rest', el('span', wayOf(turn.state || {}, svg)),
      turn.class ? el('span.class', turn.class) : '',
      turn.contract_class ? el('span.class', turn.contract_class) : '',
      turn.action && turn.action !== `transition_to_${turn.state?.to}` ? el('span.mono.wrap', breakable(turn.action)) : ''));
}

/** How a recognizer read the text of a turn: intent, confidence, closest example, other intents, and the words of each value. */
function readAs(turn) {
  // An LLM also moves the dialogue, but only a recognizer names an example.
  const found = (turn.answers || []).find(({ need, answer }) => answer && (need === 'classify' || need === 'navigate' && answer.closest));
  if (!found) return '';
  const { answer: { intent, target, confidence, closest, alternatives, data, from }, disposition, intent: decided } = found;
  const share = one => typeof one.confidence === 'number' ? one.confidence.toFixed(2) : '';
  const others = (alternatives || []).map(one => `${one.intent} ${share(one)}`.trim()).join(', ');
  const likely = [share({ confidence }), closest ? T.closest(closest) : ''].filter(Boolean).join(', ');
  const details = [likely, others ? T.also(others) : ''].filter(Boolean).join('; ');
  const values = Object.entries(from || {}).map(([slot, words]) => T.valueFrom(slot, asText(data?.[slot]), asText(words)));
  const doubt = disposition && disposition !== 'execute' ? ` → ${decided} (${disposition})` : '';
  return el('p.aside.quiet', breakable([`${T.readAs(intent || target)}${details ? ` (${details})` : ''}${doubt}`, ...values].join('; ')));
}

/** A turn of a conversation, with its failures below. */
function turnItem(turn, at, svg, { wrong = [], choose } = {}) {
  const input = turn.input || {};
  const meant = meantBy(input);
  return el('li', { class: `turn${wrong.length ? ' bad' : ''}`, 'data-turn': at },
    // A transition or consent without a text is not an utterance of the user.
    !input.say && !input.intent && (input.goto || input.consent) ? el('p.aside.quiet', meant)
      : input.say || meant ? el('div.say.user', /^[.…\s]+$/.test(input.say || '') ? el('i.quiet', T.noText) : input.say, meant ? el('span.meant.mono', meant) : '') : '',
    readAs(turn),
    decided(turn, at + 1, svg, choose),
    repliesOf(turn).map(reply => el('div.say.bot', reply)),
    byField(wrong).map(miss));
}

/** The expected and the actual value of a field, from the failures of this field. */
function miss([failure, ...others]) {
  const more = others.filter(other => other.against !== failure.against || other.expected !== failure.expected);
  const [expected, actual] = [failure.expected, failure.actual].map(value => inWords(valueOf(value)));
  const isDiff = failure.diff && !more.length;
  const isShort = `${expected}${actual}`.length <= 80 && !more.length && !isDiff;
  return el('div.miss', el('b', T.wrong(failure.field, failure.turn), isShort ? T.wrongValue(expectedWord(failure), breakable(expected), breakable(actual)) : ''),
    isDiff ? diffLines(failure.diff) : '',
    el('dl.pair',
      isShort || isDiff ? '' : [[failure, ...more].map(one => [el('dt', expectedWord(one)), el('dd.mono', breakable(inWords(valueOf(one.expected))))]),
        el('dt', T.got), el('dd.mono', breakable(actual))],
      failure.nearest !== undefined && failure.nearest !== null ? [el('dt', T.nearest), el('dd.mono', asText(failure.nearest))] : '',
      failure.accepted ? [el('dt', T.accepted), el('dd.mono', breakable(inWords(valueOf(failure.accepted))))] : '',
      failure.by ? [el('dt', T.decidedBy), el('dd', failure.by.rule.replace(/_/g, ' '), failure.by.at ? [' ', el('code', breakable(failure.by.at))] : '')] : '',
      failure.was_by ? [el('dt', T.decidedBefore), el('dd.mono', breakable(failure.was_by))] : '',
      failure.known ? [el('dt', T.knownFailure), el('dd', failure.known)] : '',
      [el('dt', T.location), el('dd.mono', breakable(failure.at))],
      (failure.used_at || []).map(place => [el('dt', T.usedAt), el('dd.mono', breakable(place))])));
}

/** Scrolls a part of a diagram to the center of its box. */
function centre(box, node) {
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

function table(titles, rows) {
  return el('table', el('thead', el('tr', titles.map(title => el(title ? 'th' : 'td', title)))),
    el('tbody', rows.map(cells => el('tr', cells.map(cell => cell instanceof Node ? cell : el('td', cell))))));
}

/** The data before and after a turn, as text. A missing value is `undefined`. */
function dataLines(rows) {
  return el('div', rows.map(({ slot, before, after }) => before === undefined ? wordLine(slot, el('ins', breakable(inWords(after))), quiet(T.added))
    : after === undefined ? wordLine(slot, el('del', breakable(inWords(before))), quiet(T.removed))
      : same(before, after) ? wordLine(slot, breakable(inWords(after))) : changeLines(before, after, { name: slot })));
}

/** The remaining fields of a turn record. */
function restOf(turn, add) {
  if (turn.missing && turn.missing.length) add(T.missing, el('p.mono', breakable(turn.missing.join(', '))));
  if (turn.effects && turn.effects.length) add(T.effects, turn.effects.map(effectWords));
}

/** An effect as text: its inputs, outcome and reason. The turn record contains it as JSON (`r`). */
function effectWords({ effect, kind, keys, verdict, outcome, why, ...rest }) {
  const came = [verdict === 'allowed' && outcome ? outcome : [verdict, outcome].filter(Boolean).join(', '), why].filter(Boolean).join(': ');
  const about = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
  return el('div.effect', el('p', el('b.mono', breakable(effect || kind || T.effect)), keys ? ` ${inWords(keys)}` : '', came ? ` — ${came.replace(/_/g, ' ')}` : ''),
    about.length ? el('dl.pair', about.map(([name, value]) => [el('dt', breakable(name)), el('dd', breakable(inWords(value)))])) : '');
}

function countersTable(counters) {
  return table(counters.map(([name]) => breakable(name)), [counters.map(([, value]) => value === 0 ? el('td.zero') : asText(value))]);
}

function violationLines(turn) { return (turn.violations || []).map(violation => el('p', asText(violation))); }

function recordFold(turn) {
  return el('details', { id: 'record' }, el('summary.quiet', T.record), el('pre', JSON.stringify(turn, null, 2)));
}

/** All details of one of these turns from its record: deciding rules, rejected proposals, data and counters. */
function inspector(turns, at) {
  const turn = turns[at];
  const before = turns[at - 1]?.data || {};
  const parts = [];
  const add = (title, ...content) => parts.push(el('h3', title), ...content);
  parts.push(el('h2', T.turn(at + 1), turn.class ? quiet(`  ${turn.class}`) : ''));
  const [by, rule] = [turn.by || {}, turn.rule || {}];
  const who = ['action', 'transition'].filter(kind => by[kind] || rule[kind]).map(kind => [kind, breakable((kind === 'action' ? turn.action : (turn.state || {}).to) || ''), by[kind] || '', rule[kind] ? el('td.mono', breakable(rule[kind])) : '']);
  if (who.length) add(T.rules, table(T.ruleColumns, who));
  if (turn.why && turn.why.length) add(T.reasons, el('p', turn.why.map(why => asText(why).replace(/_/g, ' ')).join('; ')));
  if (turn.rejected && turn.rejected.length) {
    add(T.rejected, table(T.rejectedColumns, turn.rejected.map(loser => [breakable(asText(loser.value)), loser.by || '', (loser.why || '').replace(/_/g, ' '), el('td.mono', loser.rule ? breakable(loser.rule) : '')])));
  }
  const after = turn.data || {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length) add(T.data, dataLines(names.map(slot => ({ slot, before: before[slot], after: after[slot] }))));
  restOf(turn, add);
  const counters = Object.entries(turn.counters || {});
  if (counters.length) add(T.counters, countersTable(counters));
  if (turn.violations && turn.violations.length) add(T.violations, violationLines(turn));
  parts.push(recordFold(turn));
  return parts;
}
