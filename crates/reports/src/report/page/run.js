// The report of a run.

const { title, models, scenarios, causes, findings, orphans, pending, flakiness, coverage, sources } = JSON.parse(byId('data').textContent);
for (const one of scenarios) one.title ||= one.id.startsWith(`${one.file}::`) ? one.id.slice(one.file.length + 2) : '';

// The summary.

function drawHead() {
  drawVerdicts(byId('verdicts'), byId('legend'), scenarios);
  byId('models').append(...models.map(model => el('span.chip.mono', breakable(model))));
}

/** A scenario in a list, with its first failure. */
function hit(one) {
  return el('a.hit', { href: address(one) }, verdict(one.verdict), el('span', one.title || one.file), quiet(firstFailure(one)));
}

function excerpt(place) { return sourceLines(sources[place]); }

/** The scenarios that are already listed with a cause. Each scenario is listed once. */
const listed = new Set();

/** The causes of failures; findings about the input are listed separately. */
function drawCauses() {
  const known = new Map(scenarios.map(one => [one.id, one]));
  const shownCauses = causes.filter(cause => cause.kind !== 'invalid');
  section('causes', shownCauses.map((cause, at) => {
    const own = cause.scenarios.filter(id => known.has(id));
    if (!own.length) return null;
    const [first, ...others] = own.filter(id => !listed.has(id)).map(id => known.get(id));
    own.forEach(id => listed.add(id));
    const changes = cause.changes.filter(change => change !== cause.title);
    const heading = [el('span.grow', breakable(cause.title)), quiet(T.scenarios(own.length))];
    return fold(at < 3, heading, () => [
      edited(cause, excerpt),
      changes.length ? el('ul.changes', changes.map(change => el('li', change))) : '',
      first ? [el('h3', others.length ? T.example : T.scenario), example(first)] : '',
      others.length ? others.length > 5 ? fold(false, quiet(T.more(others.length)), () => others.map(hit)) : [el('h3', T.others), others.map(hit)] : '',
    ]);
  }).filter(Boolean));
}

/** The turns of a scenario up to the first failure, with the two before it. */
function example(one) {
  const turns = one.turns || [];
  const bad = turns.findIndex((turn, at) => failuresOf(one, turn, at).length);
  const from = Math.max(0, (bad < 0 ? 0 : bad) - 2);
  const svg = one.model ? pictureOf(one.model) : null;
  return [hit(one), el('ol.talk', turns.slice(from, (bad < 0 ? 2 : bad) + 1).map((turn, at) => turnItem(turn, from + at, svg, { wrong: failuresOf(one, turn, from + at), choose: () => select(from + at) })))];
}

function drawFailures() {
  const files = grouped(scenarios.filter(one => !GOOD.has(one.verdict) && !listed.has(one.id)), one => one.file);
  const all = files.reduce((sum, [, list]) => sum + list.length, 0);
  section('failures', files.map(([file, list]) => fold(all <= 40, [
    el('span.grow.mono', breakable(file)), quiet(`${list.length}`),
  ], () => list.map(hit))));
}

function drawRest() {
  const found = findings.map(findingLine);
  const loose = orphans.map(path => el('p', T.orphaned(el('code.wrap', path))));
  const waiting = pending.map(path => el('p', T.pending(el('code.wrap', path))));
  section('findings', [...found, ...loose, ...waiting]);
  drawCoverage();
  section('pictures', models.filter(model => !coverage.some(one => one.model === model)).map(model => {
    const kept = [...document.querySelectorAll('template.graph-of')].some(one => one.dataset.model === model);
    return kept ? fold(false, el('span.grow.mono', breakable(model)), () => frame(pictureOf(model))) : null;
  }).filter(Boolean));
}

/** Scenarios with varying results, sorted by pass rate; then states and intents. */
function drawFlaky() {
  if (!flakiness) return;
  const differing = flakiness.scenarios.filter(one => (one.questions || []).length || one.passed && one.failed)
    .sort((one, other) => one.passing.share - other.passing.share);
  const interval = of => T.range(Math.round(of.low * 100), Math.round(of.high * 100));
  const known = new Map(scenarios.map(one => [one.id, one]));
  const question = one => el('tr', el('td.number', one.turn), el('td.wrap', one.state), el('td', one.need),
    el('td.wrap', one.answers.map(said => el('div', said.answer, quiet(` ${said.trials}`)))),
    el('td.number', one.entropy.toFixed(2)), el('td.quiet.wrap', one.to.map(to => `${to.state} ${to.trials}`).join(', ')));
  const rows = (what, parts) => parts.some(part => part.differing) ? el('table.funnel',
    el('thead', el('tr', T.flakyColumns(what).map(title => el('th', title)))),
    parts.filter(part => part.differing).map(part => el('tr', el('td.wrap', part.name), el('td.number', part.questions), el('td.number', part.differing),
      el('td.number', `${(part.agreement.share * 100).toFixed(1)} %`), el('td.number', interval(part.agreement)), el('td.number', part.entropy.toFixed(2))))) : '';
  section('flaky', differing.map((one, at) => fold(at < 3, [
    el('span.grow', known.get(one.id) ? el('a', { href: address(one) }, known.get(one.id).title || one.id) : one.id),
    share([T.passed, one.passed, one.trials]), quiet(T.interval(interval(one.passing))),
  ], () => (one.questions || []).length ? el('table.funnel',
    el('thead', el('tr', T.requestColumns.map(title => el('th', title)))), one.questions.map(question)) :
    el('p.quiet', T.answersAgree)))
    .concat(differing.length ? [rows(T.flakyStates, flakiness.states), rows(T.flakyIntents, flakiness.intents)] : []));
}

function drawCoverage() {
  section('coverage', coverage.map(one => fold(coverage.length === 1, [
    el('span.grow.mono', breakable(one.model)), ...one.shares.filter(([kind]) => kind === 'states' || kind === 'lines').map(share),
  ], () => {
    const svg = pictureOf(one.model);
    if (svg) {
      for (const node of svg.querySelectorAll('.node')) {
        const states = (node.dataset.members || node.dataset.state).split('\n');
        const missed = states.filter(state => one.missed.includes(state)).length;
        node.classList.add(missed === 0 ? 'c-full' : missed < states.length ? 'c-part' : 'c-none');
      }
    }
    return [el('div.shares', one.shares.map(share)), svg ? frame(svg) : ''];
  })));
}

/** The cells of a scenario in the table. */
function cellsOf(one) {
  return [el('span', { role: 'cell' }, verdict(one.verdict)),
    el('span', { role: 'cell' }, one.title || one.reason || ''),
    el('span.mono', { role: 'cell' }, one.model ? breakable(one.model + (one.profile && one.profile !== 'documented' ? `@${one.profile}` : '')) : ''),
    el('span.quiet', { role: 'cell' }, (one.tags || []).join(' ')),
    el('span.place.mono', { role: 'cell' }, breakable(`${one.file}:${one.line}`))];
}

// One scenario: the conversation, next to the diagram and the selected turn.

function drawItem(number) {
  const one = scenarios[number];
  const turns = one.turns || [];
  const svg = one.model ? pictureOf(one.model) : null;
  const loose = (one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure)));
  const side = el('div.side-pane', svg ? frame(svg) : '', el('div.inspector', { id: 'inspector' }));
  showItem(
    el('div.crumbs',
      button(T.all, close, { class: 'back' }),
      verdict(one.verdict), el('h2', { tabindex: '-1' }, one.title || one.file)),
    el('div.facts',
      el('span.mono.wrap', `${one.file}:${one.line}`),
      one.model ? el('span.mono.wrap', one.model + (one.profile ? `@${one.profile}` : '')) : '',
      (one.tags || []).map(tag => el('span.chip', tag)),
      one.case ? el('span.mono', one.case) : '',
      one.seconds ? el('span', `${one.seconds.toFixed(3)} s`) : ''),
    one.reason ? el('p.note.wrap', one.reason) : '',
    byField(loose).map(miss),
    turns.length || svg ? el('div.split',
      el('ol.talk', turns.map((turn, at) => turnItem(turn, at, svg, { wrong: failuresOf(one, turn, at), choose: () => select(at) })),
        turns.length ? '' : el('li.quiet', GOOD.has(one.verdict) ? T.turnsOfFailed : T.noTurns)),
      side) : '');
  open = { one, turns, svg, at: -1 };
  if (svg && turns.length) drawPath(svg, turns.map(turn => ({ ...turn.state, path: turn.path })));
  const bad = turns.findIndex((turn, at) => failuresOf(one, turn, at).length);
  window.scrollTo(0, 0);
  if (turns.length) select(bad < 0 ? 0 : bad, bad < 3);
  byId('scenario').querySelector('h2').focus({ preventScroll: true });
  document.title = `${one.title} · ${title}`;
}

function select(at, quietly) {
  if (!open || !open.turns[at]) return;
  open.at = at;
  const items = byId('scenario').querySelectorAll('.turn');
  items.forEach((item, place) => {
    item.classList.toggle('now', place === at);
    item.querySelector('.decided').setAttribute('aria-pressed', place === at);
  });
  if (!quietly) items[at].scrollIntoView({ block: 'nearest' });
  const turn = open.turns[at];
  if (open.svg) {
    open.svg.querySelectorAll('.now').forEach(node => node.classList.remove('now'));
    const node = nodeOf(open.svg, turn.state && turn.state.to);
    if (node) {
      node.classList.add('now');
      centre(open.svg.parentElement, node);
    }
  }
  byId('inspector').replaceChildren(...inspector(open.turns, at));
}

Object.assign(KEYS, {
  ']': () => open && select(Math.min(open.at + 1, open.turns.length - 1)),
  '[': () => open && select(Math.max(open.at - 1, 0)),
  r: () => { const record = byId('record'); if (record) { record.open = !record.open; record.scrollIntoView({ block: 'nearest' }); } },
});

drawHead();
drawCauses();
drawFailures();
drawFlaky();
drawRest();
startList(scenarios, FIELDS);
