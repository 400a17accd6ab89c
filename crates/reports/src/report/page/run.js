// The report of a run.

const { title, models, scenarios, causes, findings, orphans, pending, flakiness, coverage, sources } = JSON.parse(byId('data').textContent);
for (const one of scenarios) one.title ||= one.id.startsWith(`${one.file}::`) ? one.id.slice(one.file.length + 2) : '';
const byAddress = new Map(scenarios.map((one, at) => [one.id, at]));
const CHUNK = 100;
/** The numbers of the filtered scenarios, and the selected position in this list. */
let left = scenarios.map((_, at) => at);
let picked = -1;
/** The open scenario, its turns, and the selected turn. */
let open = null;

function address(one) { return `#${encodeURI(one.id).replace(/#/g, '%23')}`; }

// The summary.

function drawHead() {
  drawVerdicts(byId('verdicts'), byId('legend'), scenarios);
  byId('models').append(...models.map(model => el('span.chip.mono', breakable(model))));
}

function section(id, children) {
  if (!children.length) return;
  byId(id).hidden = false;
  byId(id).querySelector('.list').append(...children);
}

/** A scenario in a list, with its first failure. */
function hit(one) {
  return el('a.hit', { href: address(one) }, verdict(one.verdict), el('span', one.title || one.file), quiet(firstFailure(one)));
}

function excerpt(place) { return sourceLines(sources[place]); }

/** The causes of failures; findings about the input are listed separately. */
function drawCauses() {
  const known = new Map(scenarios.map(one => [one.id, one]));
  const shownCauses = causes.filter(cause => cause.kind !== 'invalid');
  section('causes', shownCauses.map((cause, at) => {
    const [first, ...others] = cause.scenarios.map(id => known.get(id)).filter(Boolean);
    if (!first) return null;
    const changes = cause.changes.filter(change => change !== cause.title);
    const heading = [el('span.grow', breakable(cause.title)), quiet(T.scenarios(others.length + 1))];
    return fold(at < 3, heading, () => [
      edited(cause, excerpt),
      changes.length ? el('ul.changes', changes.map(change => el('li', change))) : '',
      el('h3', others.length ? T.example : T.scenario),
      example(first),
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
  const files = grouped(scenarios.filter(one => !GOOD.has(one.verdict)), one => one.file);
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

function frame(svg) {
  const box = el('div.picture', { tabindex: '0', role: 'region', 'aria-label': T.diagram }, svg);
  const fit = button(T.fit, () => fit.setAttribute('aria-pressed', box.classList.toggle('fit')), { 'aria-pressed': 'false' });
  return [el('div.tools', fit, quiet(svg.querySelector('desc').textContent)), box];
}

// The table: rows are created when they become visible.

let made = 0;
let sentinel = null;
const watcher = 'IntersectionObserver' in window ? new IntersectionObserver(seen => {
  if (seen.some(one => one.isIntersecting)) moreRows();
}, { rootMargin: '600px' }) : null;

function rowOf(number) {
  const one = scenarios[number];
  return el('a.row', { role: 'row', href: address(one), 'data-number': number },
    el('span', { role: 'cell' }, verdict(one.verdict)),
    el('span', { role: 'cell' }, one.title || one.reason || ''),
    el('span.mono', { role: 'cell' }, one.model ? breakable(one.model + (one.profile && one.profile !== 'documented' ? `@${one.profile}` : '')) : ''),
    el('span.quiet', { role: 'cell' }, (one.tags || []).join(' ')),
    el('span.place.mono', { role: 'cell' }, breakable(`${one.file}:${one.line}`)));
}

function moreRows() {
  if (made >= left.length) return;
  const rows = left.slice(made, made + CHUNK).map(rowOf);
  made += rows.length;
  sentinel.before(el('div.chunk', { role: 'presentation' }, rows));
  if (watcher) {
    watcher.unobserve(sentinel);
    if (made < left.length) watcher.observe(sentinel);
  }
}

function drawRows() {
  made = 0;
  picked = -1;
  sentinel = el('div.end');
  byId('rows').replaceChildren(sentinel);
  moreRows();
}

function allRows() { while (made < left.length) moreRows(); }

function filter() {
  const box = byId('filter');
  const says = byId('filter-says');
  try {
    const test = parseFilter(box.value);
    left = scenarios.flatMap((one, at) => test(one) ? [at] : []);
    says.className = '';
    says.textContent = box.value.trim() ? T.of(left.length, scenarios.length) : '';
    box.removeAttribute('aria-invalid');
    drawRows();
  } catch (error) {
    says.className = 'bad';
    says.textContent = error.message;
    box.setAttribute('aria-invalid', 'true');
  }
}

// One scenario: the conversation, next to the diagram and the selected turn.

function drawScenario(number) {
  const one = scenarios[number];
  const turns = one.turns || [];
  const svg = one.model ? pictureOf(one.model) : null;
  const loose = (one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure)));
  const side = el('div.side-pane', svg ? frame(svg) : '', el('div.inspector', { id: 'inspector' }));
  byId('scenario').replaceChildren(
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
  byId('overview').hidden = true;
  document.querySelector('.top').hidden = true;
  byId('scenario').hidden = false;
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

function close() {
  if (location.hash) history.pushState(null, '', location.pathname + location.search);
  route();
}

function route() {
  let wanted = location.hash.slice(1);
  try { wanted = decodeURIComponent(wanted); } catch { /* not encoded */ }
  const number = byAddress.get(wanted);
  if (number !== undefined) {
    picked = left.indexOf(number);
    drawScenario(number);
    return;
  }
  const was = open;
  open = null;
  byId('scenario').hidden = true;
  byId('scenario').replaceChildren();
  byId('overview').hidden = false;
  document.querySelector('.top').hidden = false;
  document.title = title;
  if (was) pick(picked);
}

// Keys.

function pick(at) {
  if (!left.length || at < 0) return;
  picked = Math.min(at, left.length - 1);
  while (made <= picked) moreRows();
  document.querySelectorAll('.row.picked').forEach(row => row.classList.remove('picked'));
  const row = byId('rows').querySelector(`[data-number="${left[picked]}"]`);
  if (row) {
    row.classList.add('picked');
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }
}

function step(by) {
  const next = picked < 0 ? (by > 0 ? 0 : left.length - 1) : picked + by;
  if (next < 0 || next >= left.length) return;
  if (open) {
    picked = next;
    location.hash = address(scenarios[left[next]]);
  } else pick(next);
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => { if (open) close(); byId('filter').focus(); byId('filter').select(); },
  '?': () => byId('help').showModal(),
  ']': () => open && select(Math.min(open.at + 1, open.turns.length - 1)),
  '[': () => open && select(Math.max(open.at - 1, 0)),
  r: () => { const record = byId('record'); if (record) { record.open = !record.open; record.scrollIntoView({ block: 'nearest' }); } },
  Escape: () => open && close(),
  Enter: () => { if (!open && picked >= 0) location.hash = address(scenarios[left[picked]]); },
};

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.target.matches('input')) {
    if (event.key === 'Escape') event.target.blur();
    if (event.key === 'Enter') { event.target.blur(); pick(0); }
    return;
  }
  if (event.key === 'Enter' && event.target.matches('a, button, summary')) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

let waiting = 0;
byId('filter').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 60); });
window.addEventListener('hashchange', route);
window.addEventListener('popstate', route);
window.addEventListener('beforeprint', allRows);

drawHead();
drawCauses();
drawFailures();
drawFlaky();
drawRest();
drawRows();
route();
