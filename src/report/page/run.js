// The report of a run.

const { title, models, scenarios, causes, findings, orphans, pending, coverage, sources } = JSON.parse(byId('data').textContent);
for (const one of scenarios) one.title ||= one.id.startsWith(`${one.file}::`) ? one.id.slice(one.file.length + 2) : '';
const byAddress = new Map(scenarios.map((one, at) => [one.id, at]));
const VERDICTS = ['failed', 'unusable', 'stale', 'inconclusive', 'unavailable', 'expected_failure', 'skipped', 'passed'];
const GOOD = new Set(['passed', 'expected_failure', 'skipped']);
const CHUNK = 100;
/** The scenarios that the filter leaves, by number, and the one that is picked among them. */
let left = scenarios.map((_, at) => at);
let picked = -1;
/** What is open: the scenario, its turns, the turn that is looked at. */
let open = null;

function address(one) { return `#${encodeURI(one.id).replace(/#/g, '%23')}`; }

function verdict(name, count) {
  return el('span', { class: `v v-${name}` }, count === undefined ? '' : `${count} `, name.replace('_', ' '));
}

function firstFailure(one) {
  const [first] = one.failures || [];
  if (first && first.field === 'snapshot') return 'it expects nothing, and has no snapshot';
  if (first) return `${first.turn ? `turn ${first.turn} · ` : ''}${first.field}: ${expectedWord(first)} ${told(first.expected)}, got ${told(first.got)}`;
  return one.reason || '';
}

/** What a failure says of a value: texts without their quotes. */
function valueOf(text) {
  if (text === null || text === undefined) return 'nothing';
  try {
    const value = JSON.parse(text);
    return typeof value === 'string' ? value || '""' : text;
  } catch { return text; }
}

/** How what was expected is called: by the scenario, or by what was accepted. */
function expectedWord(failure) { return failure.against === 'snapshot' ? 'accepted' : 'expected'; }

// The first screen.

function drawHead() {
  const counts = new Map();
  for (const one of scenarios) counts.set(one.verdict, (counts.get(one.verdict) || 0) + 1);
  const there = VERDICTS.filter(name => counts.has(name)).concat([...counts.keys()].filter(name => !VERDICTS.includes(name)));
  const bar = byId('verdicts');
  for (const name of there) {
    const part = el('i', { class: `v-${name}` });
    part.style.flex = `${counts.get(name)} 0 0`;
    bar.append(part);
  }
  bar.setAttribute('aria-label', there.map(name => `${counts.get(name)} ${name.replace('_', ' ')}`).join(', '));
  byId('legend').append(...there.map(name => verdict(name, counts.get(name))));
  byId('models').append(...models.map(model => el('span', { class: 'chip mono' }, breakable(model))));
}

function section(id, children) {
  if (!children.length) return;
  byId(id).hidden = false;
  byId(id).querySelector('.list').append(...children);
}

/** A scenario in a list, with what went wrong first. */
function hit(one) {
  return el('a', { class: 'hit', href: address(one) }, verdict(one.verdict), el('span', {}, one.title || one.file), el('span', { class: 'quiet' }, firstFailure(one)));
}

/** Something that is made when it is opened for the first time. */
function fold(isOpen, summary, make) {
  const made = el('details', { class: 'card', open: isOpen }, el('summary', {}, summary));
  const fill = () => {
    if (made.open && made.children.length === 1) made.append(el('div', { class: 'inside' }, make()));
  };
  made.addEventListener('toggle', fill);
  fill();
  return made;
}

function excerpt(place) {
  const found = sources[place];
  if (!found) return null;
  return el('pre', { class: 'source' }, found.lines.flatMap((line, at) => [el('span', { class: 'at' }, found.first + at), ` ${line}\n`]));
}

/** What scenarios that are not well are put down to, as the run told it; findings tell of the input. */
function drawCauses() {
  const known = new Map(scenarios.map(one => [one.id, one]));
  const told = causes.filter(cause => cause.kind !== 'unusable');
  section('causes', told.map((cause, at) => {
    const [first, ...others] = cause.scenarios.map(id => known.get(id)).filter(Boolean);
    if (!first) return null;
    const changes = cause.changes.filter(change => change !== cause.title);
    const heading = [el('span', { class: 'grow' }, breakable(cause.title)), el('span', { class: 'quiet' }, plural(others.length + 1, 'scenario'))];
    return fold(at < 3, heading, () => [
      edited(cause),
      changes.length ? el('ul', { class: 'changes' }, changes.map(change => el('li', {}, change))) : '',
      el('h3', {}, others.length ? 'Example' : 'Scenario'),
      example(first),
      others.length ? others.length > 5 ? fold(false, el('span', { class: 'quiet' }, `${others.length} more`), () => others.map(hit)) : [el('h3', {}, 'Also'), others.map(hit)] : '',
    ]);
  }).filter(Boolean));
}

/** The lines that were edited, or where what decided stands, before and now. */
function edited(cause) {
  if (cause.edit && cause.edit.length) {
    return el('pre', { class: 'source' }, cause.edit.map(line => el('span', { class: line.startsWith('+') ? 'added' : 'removed' }, `${line}\n`)));
  }
  const places = [cause.was_at, cause.at].filter((place, at, all) => place && all.indexOf(place) === at);
  const word = place => places.length < 2 ? 'decided by ' : place === cause.at ? 'now by ' : 'accepted by ';
  return places.map(place => [el('p', { class: 'quiet' }, word(place), el('code', {}, place)), excerpt(place)]);
}

/** The turns of a scenario up to the first that went wrong, with the two before it. */
function example(one) {
  const turns = one.turns || [];
  const bad = turns.findIndex((turn, at) => failuresOf(one, turn, at).length);
  const from = Math.max(0, (bad < 0 ? 0 : bad) - 2);
  const svg = one.model ? pictureOf(one.model) : null;
  return [hit(one), el('ol', { class: 'talk' }, turns.slice(from, (bad < 0 ? 2 : bad) + 1).map((turn, at) => turnItem(one, turn, from + at, svg)))];
}

function drawFailures() {
  const files = new Map();
  scenarios.filter(one => !GOOD.has(one.verdict)).forEach(one => files.set(one.file, [...(files.get(one.file) || []), one]));
  const all = [...files.values()].reduce((sum, list) => sum + list.length, 0);
  section('failures', [...files].map(([file, list]) => fold(all <= 40, [
    el('span', { class: 'grow mono' }, breakable(file)), el('span', { class: 'quiet' }, `${list.length}`),
  ], () => list.map(hit))));
}

function drawRest() {
  const found = findings.map(one => el('p', {}, el('span', { class: `v v-${one.severity === 'error' ? 'failed' : 'stale'}` }, one.severity), `  ${one.title}`,
    one.at ? el('span', { class: 'mono quiet wrap' }, `  ${one.at}`) : '', one.help ? el('span', { class: 'quiet' }, `  ${one.help}`) : ''));
  const loose = orphans.map(path => el('p', {}, el('code', { class: 'wrap' }, path), ' belongs to no scenario'));
  const waiting = pending.map(path => el('p', {}, el('code', { class: 'wrap' }, path), ' waits for a decision'));
  section('findings', [...found, ...loose, ...waiting]);
  drawCoverage();
  section('pictures', models.filter(model => !coverage.some(one => one.model === model)).map(model => {
    const kept = [...document.querySelectorAll('template.graph-of')].some(one => one.dataset.model === model);
    return kept ? fold(false, el('span', { class: 'grow mono' }, breakable(model)), () => frame(pictureOf(model))) : null;
  }).filter(Boolean));
}

function drawCoverage() {
  section('coverage', coverage.map(one => fold(coverage.length === 1, [
    el('span', { class: 'grow mono' }, breakable(one.model)), ...one.shares.filter(([kind]) => kind === 'states' || kind === 'lines').map(([kind, covered, all]) => share(kind, covered, all)),
  ], () => {
    const svg = pictureOf(one.model);
    if (svg) {
      for (const node of svg.querySelectorAll('.node')) {
        const states = (node.dataset.members || node.dataset.state).split('\n');
        const missed = states.filter(state => one.missed.includes(state)).length;
        node.classList.add(missed === 0 ? 'c-full' : missed < states.length ? 'c-part' : 'c-none');
      }
    }
    return [el('div', { class: 'shares' }, one.shares.map(([kind, covered, all]) => share(kind, covered, all))), svg ? frame(svg) : ''];
  })));
}

/** A share as a bar and as numbers. */
function share(kind, covered, all) {
  const bar = el('i', {});
  bar.style.width = `${100 * covered / all}%`;
  return el('span', { class: 'share' }, el('span', { class: 'quiet' }, kind), el('span', { class: 'meter' }, bar), `${covered}/${all}`);
}

function frame(svg) {
  const box = el('div', { class: 'picture', tabindex: '0', role: 'region', 'aria-label': 'Graph' }, svg);
  const fit = el('button', { type: 'button', 'aria-pressed': 'false', on: { click: () => fit.setAttribute('aria-pressed', box.classList.toggle('fit')) } }, 'Whole');
  return [el('div', { class: 'tools' }, fit, el('span', { class: 'quiet' }, svg.querySelector('desc').textContent)), box];
}

// The table: rows are made as they come into sight.

let made = 0;
let sentinel = null;
const watcher = 'IntersectionObserver' in window ? new IntersectionObserver(seen => {
  if (seen.some(one => one.isIntersecting)) moreRows();
}, { rootMargin: '600px' }) : null;

function rowOf(number) {
  const one = scenarios[number];
  return el('a', { class: 'row', role: 'row', href: address(one), 'data-number': number },
    el('span', { role: 'cell' }, verdict(one.verdict)),
    el('span', { role: 'cell' }, one.title || one.reason || ''),
    el('span', { role: 'cell', class: 'mono' }, one.model ? breakable(one.model + (one.profile && one.profile !== 'documented' ? `@${one.profile}` : '')) : ''),
    el('span', { role: 'cell', class: 'quiet' }, (one.tags || []).join(' ')),
    el('span', { role: 'cell', class: 'place mono' }, breakable(`${one.file}:${one.line}`)));
}

function moreRows() {
  if (made >= left.length) return;
  const rows = left.slice(made, made + CHUNK).map(rowOf);
  made += rows.length;
  sentinel.before(el('div', { class: 'chunk', role: 'presentation' }, rows));
  if (watcher) {
    watcher.unobserve(sentinel);
    if (made < left.length) watcher.observe(sentinel);
  }
}

function drawRows() {
  made = 0;
  picked = -1;
  sentinel = el('div', { class: 'end' });
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
    says.textContent = box.value.trim() ? `${left.length} of ${scenarios.length}` : '';
    box.removeAttribute('aria-invalid');
    drawRows();
  } catch (error) {
    says.className = 'bad';
    says.textContent = error.message;
    box.setAttribute('aria-invalid', 'true');
  }
}

// One scenario: the conversation, and beside it the picture and the turn that is looked at.

function failuresOf(one, turn, at) {
  return (one.failures || []).filter(failure => failure.turn === (turn.turn === undefined ? at + 1 : turn.turn));
}

function turnItem(one, turn, at, svg) {
  const input = turn.input || {};
  const state = turn.state || {};
  const wrong = failuresOf(one, turn, at);
  const meant = [input.intent ? `/${input.intent}` : '', input.goto ? `goto ${input.goto}` : '', input.event ? `event ${told(input.event)}` : '',
    input.data ? Object.entries(input.data).map(([key, value]) => `${key}=${told(value)}`).join(' ') : ''].filter(Boolean).join('  ');
  const replies = (turn.replies || []).map(reply => typeof reply === 'string' ? reply : told(reply.text === undefined ? reply : reply.text));
  return el('li', { class: `turn${wrong.length ? ' bad' : ''}`, 'data-turn': at },
    input.say || meant ? el('div', { class: 'say user' }, input.say, meant ? el('span', { class: 'meant mono' }, meant) : '') : '',
    el('button', { class: 'decided', type: 'button', 'aria-label': `Turn ${at + 1}`, on: { click: () => select(at) } },
      el('span', { class: 'number' }, at + 1),
      el('span', {}, state.from === state.to ? stateName(state.to || '', svg) : [stateName(state.from || '', svg), ' → ', stateName(state.to || '', svg)]),
      turn.class ? el('span', { class: 'class' }, turn.class) : '',
      turn.contract_class ? el('span', { class: 'class' }, turn.contract_class) : '',
      turn.action ? el('span', { class: 'mono wrap' }, breakable(turn.action)) : ''),
    replies.map(reply => el('div', { class: 'say bot' }, reply)),
    wrong.map(miss));
}

function miss(failure) {
  return el('div', { class: 'miss' }, el('b', {}, `✕ ${failure.field}`),
    el('dl', { class: 'pair' },
      el('dt', {}, expectedWord(failure)), el('dd', { class: 'mono' }, valueOf(failure.expected)),
      el('dt', {}, 'got'), el('dd', { class: 'mono' }, valueOf(failure.got)),
      failure.nearest !== undefined && failure.nearest !== null ? [el('dt', {}, 'nearest'), el('dd', { class: 'mono' }, told(failure.nearest))] : '',
      failure.by ? [el('dt', {}, 'by'), el('dd', {}, failure.by.rule.replace(/_/g, ' '), failure.by.at ? [' ', el('code', {}, breakable(failure.by.at))] : '')] : '',
      failure.was_by ? [el('dt', {}, 'was by'), el('dd', { class: 'mono' }, breakable(failure.was_by))] : '',
      failure.known ? [el('dt', {}, 'known'), el('dd', {}, failure.known)] : '',
      [el('dt', {}, 'written'), el('dd', { class: 'mono' }, breakable(failure.at))],
      (failure.used_at || []).map(place => [el('dt', {}, 'used'), el('dd', { class: 'mono' }, breakable(place))])));
}

function drawScenario(number) {
  const one = scenarios[number];
  const turns = one.turns || [];
  const svg = one.model ? pictureOf(one.model) : null;
  const loose = (one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure)));
  const side = el('div', { class: 'beside' }, svg ? frame(svg) : '', el('div', { class: 'inspector', id: 'inspector' }));
  byId('scenario').replaceChildren(
    el('div', { class: 'crumbs' },
      el('button', { class: 'back', type: 'button', on: { click: close } }, '← All'),
      verdict(one.verdict), el('h2', { tabindex: '-1' }, one.title || one.file)),
    el('div', { class: 'facts' },
      el('span', { class: 'mono wrap' }, `${one.file}:${one.line}`),
      one.model ? el('span', { class: 'mono wrap' }, `${one.model}@${one.profile || 'documented'}`) : '',
      (one.tags || []).map(tag => el('span', { class: 'chip' }, tag)),
      one.case ? el('span', { class: 'mono' }, one.case) : '',
      one.seconds ? el('span', {}, `${one.seconds.toFixed(3)} s`) : ''),
    one.reason ? el('p', { class: 'note wrap' }, one.reason) : '',
    loose.map(miss),
    turns.length || svg ? el('div', { class: 'split' },
      el('ol', { class: 'talk' }, turns.map((turn, at) => turnItem(one, turn, at, svg)),
        turns.length ? '' : el('li', { class: 'quiet' }, GOOD.has(one.verdict) ? 'Turns are kept of scenarios that did not pass.' : 'No turn was played.')),
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
  byId('inspector').replaceChildren(...inspector(open.one, turn, at));
}

function centre(box, node) {
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  box.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}

function table(titles, rows) {
  return el('table', {}, el('thead', {}, el('tr', {}, titles.map(title => el('th', {}, title)))),
    el('tbody', {}, rows.map(cells => el('tr', {}, cells.map(cell => cell instanceof Node ? cell : el('td', {}, cell))))));
}

function inspector(one, turn, at) {
  const parts = [];
  const add = (title, ...content) => parts.push(el('h3', {}, title), ...content);
  parts.push(el('h2', {}, `Turn ${at + 1}`, turn.class ? el('span', { class: 'quiet' }, `  ${turn.class}`) : ''));
  const wrong = failuresOf(one, turn, at);
  if (wrong.length) {
    add('Expected, and got', table(['field', wrong.every(failure => failure.against === 'snapshot') ? 'accepted' : 'expected', 'got'], wrong.map(failure => [failure.field, valueOf(failure.expected), el('td', { class: 'changed' }, valueOf(failure.got))])));
  }
  const [by, rule] = [turn.by || {}, turn.rule || {}];
  const who = ['action', 'transition'].filter(kind => by[kind] || rule[kind]).map(kind => [kind, kind === 'action' ? turn.action : (turn.state || {}).to, by[kind] || '', rule[kind] ? el('td', { class: 'mono' }, breakable(rule[kind])) : '']);
  if (who.length) add('Decided by', table(['', 'what', 'source', 'written'], who));
  if (turn.why && turn.why.length) add('Why', el('p', {}, turn.why.map(why => told(why).replace(/_/g, ' ')).join('; ')));
  if (turn.rejected && turn.rejected.length) {
    add('Rejected', table(['what', 'source', 'why', 'written'], turn.rejected.map(loser => [told(loser.value), loser.by || '', (loser.why || '').replace(/_/g, ' '), el('td', { class: 'mono' }, loser.rule ? breakable(loser.rule) : '')])));
  }
  const before = at > 0 ? open.turns[at - 1].data || {} : {};
  const after = turn.data || {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (names.length) {
    add('Data', table(['slot', 'before', 'after'], names.map(name => {
      const changed = !same(before[name], after[name]);
      return [breakable(name), name in before ? told(before[name]) : el('td', { class: 'zero' }), name in after ? el('td', { class: changed ? 'changed' : '' }, told(after[name])) : el('td', { class: 'changed' }, 'gone')];
    }).map(cells => cells.map(cell => Array.isArray(cell) ? el('td', { class: 'mono' }, cell) : cell))));
  }
  if (turn.missing && turn.missing.length) add('Missing', el('p', { class: 'mono' }, turn.missing.join(', ')));
  if (turn.effects && turn.effects.length) add('Effects', table(['effect', 'verdict', ''], turn.effects.map(effect => [told(effect.kind || effect.effect || effect.name || ''), told(effect.verdict || effect.status || ''), told(effect)])));
  const counters = Object.entries(turn.counters || {});
  if (counters.length) add('Counters', table(counters.map(([name]) => breakable(name)), [counters.map(([, value]) => value === 0 ? el('td', { class: 'zero' }) : told(value))]));
  if (turn.faults && turn.faults.length) add('Faults', turn.faults.map(fault => el('p', {}, told(fault))));
  parts.push(el('details', { id: 'record' }, el('summary', { class: 'quiet' }, 'Record'), el('pre', {}, JSON.stringify(turn, null, 2))));
  return parts;
}

function close() {
  if (location.hash) history.pushState(null, '', location.pathname + location.search);
  route();
}

function route() {
  let wanted = location.hash.slice(1);
  try { wanted = decodeURIComponent(wanted); } catch { /* as it stands */ }
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
drawRest();
drawRows();
route();
