// The suite: what the scenarios of the project came to, why, and what waits for a decision.
'use strict';

const suite = { running: false, report: null, isOld: false, progress: null, open: null, review: null, coverage: null };

const suiteFilter = el('input', { type: 'search', id: 'suite-filter', spellcheck: 'false', 'aria-label': 'Filter scenarios', placeholder: 'text in the title, or tag(smoke) & !model(bant*)', title: 'Which scenarios are shown and run (/)' });
const suiteSays = el('span', { role: 'status', class: 'quiet' });
const runButton = el('button', { type: 'button', id: 'run', class: 'strong', title: 'Runs the scenarios that the filter leaves (R)', on: { click: () => runSuite() } }, 'Run');
const suiteBar = el('div', { class: 'bar', role: 'img', 'aria-label': 'No run yet' });
const suiteLegend = el('p', { class: 'legend-line' });
const suiteProgress = el('progress', { max: '1', value: '0', 'aria-label': 'Progress of the run', hidden: true });
const suiteParts = Object.fromEntries(['causes', 'review', 'failures', 'findings', 'coverage', 'files'].map(name => [name, el('section', { id: `suite-${name}`, hidden: true })]));
const suiteOverview = el('div', { id: 'suite-overview' }, el('div', { class: 'filter' }, suiteFilter, suiteSays, runButton), suiteProgress, suiteBar, suiteLegend, Object.values(suiteParts));
const suiteOne = el('div', { id: 'suite-one', hidden: true });
byId('suite').append(el('h2', { class: 'unseen' }, 'Suite'), suiteOverview, suiteOne);

async function runSuite() {
  try {
    suite.running = true;
    suite.progress = null;
    drawDot();
    drawProgress();
    await ask('suite/run', { filter: suiteFilter.value.trim(), coverage: true });
  } catch (error) {
    suite.running = false;
    drawDot();
    drawProgress();
    complain(error);
  }
}

/** Fetches what there is of the last run. */
async function fetchSuite() {
  try {
    const told = await ask('suite');
    suite.running = told.running;
    suite.report = told.report;
    for (const one of suite.report ? suite.report.scenarios : []) one.title ||= one.id.startsWith(`${one.file}::`) ? one.id.slice(one.file.length + 2) : '';
    suite.coverage = suite.report?.coverage ? await ask('coverage').catch(() => null) : null;
    byId('covered').replaceChildren(...(suite.coverage?.shares || []).filter(([kind]) => kind === 'states' || kind === 'lines').map(([kind, covered, all]) => share(kind, covered, all)));
    drawDot();
    drawProgress();
    if (currentView() === 'suite') await drawSuite();
  } catch (error) { complain(error); }
}

function drawProgress() {
  runButton.disabled = suite.running;
  suiteProgress.hidden = !suite.running;
  const { progress } = suite;
  suiteProgress.max = progress ? progress.of || 1 : 1;
  if (progress) suiteProgress.value = progress.done;
  else suiteProgress.removeAttribute('value');
  if (suite.running) suiteSays.textContent = progress ? `${progress.done} of ${progress.of}` : 'running …';
}

/** The state of the suite, in the head of the page. */
function drawDot() {
  const dot = byId('dot');
  const list = suite.report ? suite.report.scenarios : [];
  const bad = list.filter(one => !GOOD.has(one.verdict)).length;
  const [kind, text] = suite.running ? ['runs', suite.progress ? `suite ${suite.progress.done}/${suite.progress.of}` : 'suite runs']
    : !suite.report ? ['none', 'suite not run'] : bad ? ['bad', `suite ${list.length - bad}/${list.length}`] : list.length ? ['good', `suite ${list.length}/${list.length}`] : ['none', 'no scenario'];
  dot.className = `dot is-${kind}${suite.isOld && !suite.running ? ' is-old' : ''}`;
  dot.replaceChildren(el('span', { class: 'sign', 'aria-hidden': 'true' }, { runs: '◌', none: '○', bad: '✕', good: '✓' }[kind]), text, suite.isOld && suite.report && !suite.running ? el('span', { class: 'quiet' }, ' · before the edit') : '');
}

function part(name, title, children) {
  const box = suiteParts[name];
  box.hidden = !children.length;
  box.replaceChildren(...children.length ? [el('h2', {}, title), ...children] : []);
}

/** Lines of files that come later; a place may be that of an action and that of a transition. */
function excerptOf(place) {
  return place.split(', ').map(part => part.replace(/^(action|transition) /, '')).filter(at => /:\d+(:\d+)?$/.test(at)).map(at => {
    const box = el('div', {});
    ask('source', { at }).then(found => box.replaceChildren(sourceLines(found, found.line)), () => box.remove());
    return box;
  });
}

function scenarioHit(one) {
  return el('button', { type: 'button', class: 'hit plain', 'data-address': one.id, on: { click: () => openScenario(one) } },
    verdict(one.verdict), el('span', {}, one.title || one.file), el('span', { class: 'quiet' }, firstFailure(one) || `${one.file}:${one.line}`));
}

/** The scenarios that the filter leaves. */
function leftScenarios() {
  const all = suite.report ? suite.report.scenarios : [];
  try {
    const test = parseFilter(suiteFilter.value);
    const left = all.filter(test);
    if (!suite.running) suiteSays.textContent = suiteFilter.value.trim() ? `${left.length} of ${all.length}` : all.length ? plural(all.length, 'scenario') : '';
    suiteSays.className = 'quiet';
    return left;
  } catch (error) {
    // What the page cannot read may still be a filter of the run.
    if (!suite.running) suiteSays.textContent = `shown are all: ${error.message}`;
    return all;
  }
}

async function drawSuite() {
  if (!suite.report) {
    part('files', 'No run yet', [el('p', { class: 'quiet' }, 'Run plays the scenarios of the project: each dialogue, against what it expects and what was accepted.')]);
    await drawReview();
    return;
  }
  const { report } = suite;
  const byAddress = new Map(report.scenarios.map(one => [one.id, one]));
  const left = leftScenarios();
  const isLeft = new Set(left.map(one => one.id));
  drawVerdicts(suiteBar, suiteLegend, left);
  const causes = report.causes.filter(cause => cause.kind !== 'unusable' && cause.scenarios.some(id => isLeft.has(id)));
  part('causes', 'Causes', causes.map((cause, at) => causeFold(cause, at < 2, byAddress)));
  const failing = left.filter(one => !GOOD.has(one.verdict));
  const files = list => [...list.reduce((groups, one) => groups.set(one.file, [...(groups.get(one.file) || []), one]), new Map())];
  part('failures', 'Failures by file', files(failing).map(([file, list]) => fold(failing.length <= 20, [el('span', { class: 'grow mono' }, breakable(file)), el('span', { class: 'quiet' }, list.length)], () => list.map(scenarioHit))));
  part('findings', 'Findings', report.findings.map(one => el('p', {}, el('span', { class: `v v-${one.severity === 'error' ? 'failed' : 'stale'}` }, one.severity), ` ${one.title}`, one.at ? el('span', { class: 'mono quiet wrap' }, ` ${one.at}`) : '', one.help ? el('span', { class: 'quiet' }, ` ${one.help}`) : '')));
  part('files', 'Scenarios', files(left).map(([file, list]) => {
    const bad = list.filter(one => !GOOD.has(one.verdict)).length;
    return fold(false, [el('span', { class: 'grow mono' }, breakable(file)), bad ? verdict('failed', bad) : '', el('span', { class: 'quiet' }, plural(list.length, 'scenario'))], () => list.map(scenarioHit));
  }));
  drawCoverage();
  await drawReview();
}

function causeFold(cause, isOpen, byAddress) {
  const known = cause.scenarios.map(id => byAddress.get(id)).filter(Boolean);
  const changes = cause.changes.filter(change => change !== cause.title);
  return fold(isOpen, [el('span', { class: 'grow' }, breakable(cause.title)), el('span', { class: 'quiet' }, plural(cause.scenarios.length, 'scenario'))], () => [
    edited(cause, excerptOf),
    changes.length ? el('ul', { class: 'changes' }, changes.map(change => el('li', {}, change))) : '',
    known.slice(0, 8).map(scenarioHit),
    known.length > 8 ? fold(false, el('span', { class: 'quiet' }, `${known.length - 8} more`), () => known.slice(8).map(scenarioHit)) : '',
  ]);
}

// One scenario.

function openScenario(one) {
  suite.open = { one, at: -1 };
  const turns = one.turns || [];
  suiteOne.replaceChildren(
    el('div', { class: 'crumbs' }, el('button', { type: 'button', class: 'back', title: 'Back to all scenarios (esc)', on: { click: closeScenario } }, '← All'), verdict(one.verdict), el('h2', { tabindex: '-1' }, one.title || one.file),
      el('button', { type: 'button', title: 'Plays it in the dialogue, to go on from there (o)', on: { click: () => loadScenario(one) } }, 'Open in the dialogue')),
    el('div', { class: 'facts' }, el('span', { class: 'mono wrap' }, `${one.file}:${one.line}`), one.model ? el('span', { class: 'mono wrap' }, `${one.model}@${one.profile || 'documented'}`) : '', (one.tags || []).map(tag => el('span', { class: 'chip' }, tag))),
    one.reason ? el('p', { class: 'note wrap' }, one.reason) : '',
    (one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure))).map(miss),
    turns.length ? el('div', { class: 'split' }, el('ol', { class: 'talk' }, turns.map((turn, at) => turnItem(turn, at, graph.svg, { wrong: failuresOf(one, turn, at), choose: () => lookInto(at) }))), el('div', { class: 'beside inspector', id: 'suite-turn' }))
      : el('p', { class: 'quiet' }, 'Turns are kept of scenarios that did not pass. Open it in the dialogue to see them.'));
  suiteOverview.hidden = true;
  suiteOne.hidden = false;
  byId('suite').scrollTop = 0;
  const bad = turns.findIndex((turn, at) => failuresOf(one, turn, at).length);
  if (turns.length) lookInto(bad < 0 ? 0 : bad);
  suiteOne.querySelector('h2').focus({ preventScroll: true });
}

function lookInto(at) {
  const { one } = suite.open;
  if (!one.turns || !one.turns[at]) return;
  suite.open.at = at;
  suiteOne.querySelectorAll('.turn').forEach((item, place) => item.classList.toggle('now', place === at));
  suiteOne.querySelectorAll('.turn')[at].scrollIntoView({ block: 'nearest' });
  byId('suite-turn').replaceChildren(...inspector(one.turns[at], at, { wrong: failuresOf(one, one.turns[at], at), before: at > 0 ? one.turns[at - 1].data || {} : {} }));
}

function closeScenario() {
  const address = suite.open?.one.id;
  suite.open = null;
  suiteOne.hidden = true;
  suiteOverview.hidden = false;
  [...byId('suite').querySelectorAll('[data-address]')].find(hit => hit.dataset.address === address && hit.offsetParent)?.focus();
}

async function loadScenario(one) {
  if (await act('load', { address: one.id })) showView('dialogue');
}

// What waits for a decision.

async function drawReview(decided) {
  try { suite.review = decided || await ask('review'); } catch (error) {
    part('review', 'Waiting for a decision', [el('p', { class: 'quiet' }, error.message)]);
    return;
  }
  const { causes, hindered, orphans } = suite.review;
  const why = { falls_short: 'it is not as it expects, so there is nothing to accept', unplayed: 'it could not be played', outdated: 'it is of another run: run the suite again' };
  part('review', 'Waiting for a decision', [
    ...causes.map((cause, at) => fold(at < 2, [el('span', { class: 'grow' }, breakable(cause.title)), el('span', { class: 'quiet' }, plural(cause.scenarios.length, 'snapshot'))], () => [
      edited(cause, excerptOf),
      (cause.examples || []).slice(0, 2).map(example => el('div', { class: 'example' }, el('p', { class: 'mono wrap' }, breakable(example.id)), example.turns.map(turn => el('div', { class: 'turn-change' }, el('b', {}, turn.turn ? `turn ${turn.turn}` : 'the dialogue'),
        el('pre', { class: 'source', tabindex: '0' }, turn.lines.map(([was, is]) => [was ? el('span', { class: 'removed' }, `- ${was}\n`) : '', is ? el('span', { class: 'added' }, `+ ${is}\n`) : ''])))))),
      cause.scenarios.length > 1 ? el('ul', { class: 'changes mono' }, cause.scenarios.map(id => el('li', { class: 'wrap' }, breakable(id)))) : '',
      el('div', { class: 'tools' },
        el('button', { type: 'button', class: 'strong', title: 'What the scenarios do now is their snapshot', on: { click: () => decide(cause, true) } }, 'Accept'),
        el('button', { type: 'button', title: 'The snapshots stay as they are', on: { click: () => decide(cause, false) } }, 'Reject')),
    ])),
    ...hindered.map(one => el('p', {}, el('code', { class: 'wrap' }, breakable(one.id)), el('span', { class: 'quiet' }, ` ${why[one.why] || one.why}`))),
    ...orphans.map(path => el('p', {}, el('code', { class: 'wrap' }, breakable(path)), el('span', { class: 'quiet' }, ' belongs to no scenario'))),
  ]);
}

async function decide(cause, accept) {
  try {
    const left = await ask('review/decide', { cause: cause.id, accept });
    say(`${accept ? 'accepted' : 'rejected'}: ${plural(cause.scenarios.length, 'snapshot')}`);
    await drawReview(left);
    runSuite();
  } catch (error) { complain(error); }
}

// Coverage on the source.

function drawCoverage() {
  const told = suite.coverage;
  part('coverage', 'Coverage', told && told.files ? [
    el('p', { class: 'quiet mono' }, breakable(told.model)),
    el('div', { class: 'shares' }, told.shares.map(([kind, covered, all]) => share(kind, covered, all))),
    told.missed.length ? el('p', {}, 'No scenario came to ', told.missed.map((name, at) => [at ? ', ' : '', stateName(name, graph.svg)])) : '',
    ...told.files.map(file => {
      const counted = file.lines.filter(one => one.hits !== null);
      const hit = counted.filter(one => one.hits > 0).length;
      return fold(false, [el('span', { class: 'grow mono' }, breakable(file.path)), counted.length ? share('lines', hit, counted.length) : ''], () => el('pre', { class: 'source covered', tabindex: '0' }, file.lines.map(one =>
        el('span', { class: one.hits === null ? 'not-counted' : one.hits ? 'hit-line' : 'missed-line' }, el('span', { class: 'at' }, one.line), el('span', { class: 'hits' }, one.hits === null ? '' : one.hits || '✕'), `${one.text}\n`))));
    }),
  ] : []);
}

let filtering = 0;
suiteFilter.addEventListener('input', () => { clearTimeout(filtering); filtering = setTimeout(() => drawSuite(), 120); });
byId('dot').addEventListener('click', () => showView('suite'));
on('suite', progress => { suite.running = true; suite.progress = progress; drawDot(); drawProgress(); });
on('suite_done', () => { suite.isOld = false; suite.progress = null; fetchSuite().then(() => { byId('live').textContent = byId('dot').textContent; }); });
on('files', () => { suite.isOld = true; drawDot(); });
on('show', view => { if (view === 'suite') drawSuite(); });
