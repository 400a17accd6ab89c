// The suite: the results of the scenarios, the causes of failures, and pending snapshots.
'use strict';

const suite = { running: false, report: null, isOld: false, progress: null, open: null, review: null, coverage: null };

const suiteFilter = el('input', { type: 'search', id: 'suite-filter', spellcheck: 'false', 'aria-label': 'Filter scenarios', placeholder: 'title, or tag(smoke)', title: 'Which scenarios are shown and run (/)' });
const suiteSays = el('span', { role: 'status', class: 'quiet' });
const runButton = el('button', { type: 'button', id: 'run', class: 'strong', title: 'Runs the scenarios that the filter leaves (R)', on: { click: () => runSuite() } }, 'Run');
const suiteBar = el('div', { class: 'bar', role: 'img', 'aria-label': 'No run yet' });
const suiteLegend = el('p', { class: 'legend-line' });
const suiteProgress = el('progress', { max: '1', value: '0', 'aria-label': 'Progress of the run', hidden: true });
const suiteParts = Object.fromEntries(['review', 'causes', 'failures', 'findings', 'coverage', 'files'].map(name => [name, el('section', { id: `suite-${name}`, hidden: true })]));
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

/** Fetches the results of the last run. */
async function fetchSuite() {
  try {
    const told = await ask('suite');
    suite.running = told.running;
    suite.report = told.report;
    for (const one of suite.report ? suite.report.scenarios : []) one.title ||= one.id.startsWith(`${one.file}::`) ? one.id.slice(one.file.length + 2) : '';
    await fetchCoverage();
    drawDot();
    drawProgress();
    if (currentView() === 'suite') await drawSuite();
  } catch (error) { complain(error); }
}

/** Fetches the coverage of the current model. */
async function fetchCoverage() {
  const isCounted = suite.report?.coverage;
  suite.coverage = isCounted ? await ask('coverage').catch(() => null) : null;
  byId('covered').replaceChildren(...isCounted && !suite.coverage ? [el('span', { class: 'quiet' }, 'Coverage: not measured for this model')]
    : (suite.coverage?.shares || []).filter(([kind]) => kind === 'states' || kind === 'lines').map(([kind, covered, all]) => share(kind, covered, all)));
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

/** Shows the state of the suite in the page header. */
function drawDot() {
  const dot = byId('dot');
  const list = suite.report ? suite.report.scenarios : [];
  const bad = list.filter(one => !GOOD.has(one.verdict)).length;
  const [kind, text] = suite.running ? ['runs', suite.progress ? `${suite.progress.done} of ${suite.progress.of} run` : 'suite runs']
    : !suite.report ? ['none', 'suite not run'] : bad ? ['bad', `${bad} of ${list.length} failed`] : list.length ? ['good', `${list.length} passed`] : ['none', 'no scenario'];
  dot.className = `dot is-${kind}${suite.isOld && !suite.running ? ' is-old' : ''}`;
  dot.replaceChildren(el('span', { class: 'sign', 'aria-hidden': 'true' }, { runs: '◌', none: '○', bad: '✕', good: '✓' }[kind]), text, suite.isOld && suite.report && !suite.running ? el('span', { class: 'quiet' }, ' · files changed since') : '');
}

function part(name, title, children) {
  const box = suiteParts[name];
  box.hidden = !children.length;
  box.replaceChildren(...children.length ? [el('h2', {}, title), ...children] : []);
}

/** The excerpt of a location, which might load later. A location can combine those of an action and a transition. */
function excerptOf(place) {
  return place.split(', ').map(part => part.replace(/^(action|transition) /, '')).filter(at => /:\d+(:\d+)?$/.test(at)).map(at => {
    const box = el('div', {});
    ask('source', { at }).then(found => box.replaceChildren(sourceLines(found, found.line)), () => box.remove());
    return box;
  });
}

function scenarioHit(one, about = firstFailure(one)) {
  return el('button', { type: 'button', class: 'hit plain', 'data-address': one.id, on: { click: () => openScenario(one) } },
    verdict(one.verdict), el('span', {}, one.title || one.file), el('span', { class: 'quiet' }, breakable(about || `${one.file}:${one.line}`)));
}

/** The filtered scenarios. */
function leftScenarios() {
  const all = suite.report ? suite.report.scenarios : [];
  try {
    const test = parseFilter(suiteFilter.value);
    const left = all.filter(test);
    if (!suite.running) suiteSays.textContent = suiteFilter.value.trim() ? `${left.length} of ${all.length}` : all.length ? plural(all.length, 'scenario') : '';
    suiteSays.className = 'quiet';
    return left;
  } catch (error) {
    // The run might support a filter that the page cannot parse.
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
  await drawReview();
  // A scenario is listed once: as pending, otherwise with its first cause, otherwise with its file.
  const listed = new Set(suite.review?.causes.flatMap(cause => cause.scenarios));
  part('causes', 'Causes', causes.map((cause, at) => {
    const own = cause.scenarios.filter(id => byAddress.has(id) && isLeft.has(id) && !listed.has(id));
    own.forEach(id => listed.add(id));
    return own.length ? causeFold(cause, at < 2, own.map(id => byAddress.get(id))) : '';
  }).filter(Boolean));
  const rest = left.filter(one => !listed.has(one.id));
  const failing = rest.filter(one => !GOOD.has(one.verdict));
  const files = list => grouped(list, one => one.file);
  part('failures', listed.size ? 'Other failures' : 'Failures by file', files(failing).map(([file, list]) => fold(failing.length <= 20, [el('span', { class: 'grow mono' }, breakable(file)), el('span', { class: 'quiet' }, list.length)], () => list.map(one => scenarioHit(one)))));
  part('findings', 'Findings', report.findings.map(findingLine));
  part('files', 'Passed', files(rest.filter(one => GOOD.has(one.verdict))).map(([file, list]) =>
    fold(false, [el('span', { class: 'grow mono' }, breakable(file)), el('span', { class: 'quiet' }, plural(list.length, 'scenario'))], () => list.map(one => scenarioHit(one)))));
  drawCoverage();
}

function causeFold(cause, isOpen, known) {
  const changes = cause.changes.filter(change => change !== cause.title);
  return fold(isOpen, [el('span', { class: 'grow' }, breakable(cause.title)), el('span', { class: 'quiet' }, plural(known.length, 'scenario'))], () => [
    edited(cause, excerptOf),
    changes.length ? el('ul', { class: 'changes' }, changes.map(change => el('li', {}, change))) : '',
    // The cause already names the field.
    known.slice(0, 8).map(one => scenarioHit(one, '')),
    known.length > 8 ? fold(false, el('span', { class: 'quiet' }, `${known.length - 8} more`), () => known.slice(8).map(one => scenarioHit(one, ''))) : '',
  ]);
}

// One scenario.

function openScenario(one) {
  suite.open = { one, at: -1 };
  const turns = one.turns || [];
  suiteOne.replaceChildren(
    el('div', { class: 'crumbs' }, el('button', { type: 'button', class: 'back', title: 'Back to all scenarios (esc)', on: { click: closeScenario } }, '← All'), verdict(one.verdict), el('h2', { tabindex: '-1' }, one.title || one.file),
      one.verdict === 'unusable' ? '' : el('button', { type: 'button', title: 'Plays it in the dialogue, to go on from there (o)', on: { click: () => loadScenario(one) } }, 'Open in the dialogue')),
    el('div', { class: 'facts' }, el('span', { class: 'mono wrap' }, `${one.file}:${one.line}`), one.model ? el('span', { class: 'mono wrap' }, `${one.model}@${one.profile || 'documented'}`) : '', (one.tags || []).map(tag => el('span', { class: 'chip' }, tag))),
    one.reason ? el('p', { class: 'note wrap' }, one.reason) : '',
    // Snapshot differences are decided with their cause.
    one.verdict === 'failed' && one.failures?.length && one.failures.every(failure => !failure.against) ? el('p', { class: 'note' }, 'Next: edit the model until the scenario passes. If the new result is correct, write it into the scenario: ',
      el('button', { type: 'button', id: 'update', title: 'Writes what happens now into the expectations of the scenario', on: { click: () => updateScenario(one) } }, 'Update expectations')) : '',
    ...byField((one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure)))).map(miss),
    turns.length ? split(el('ol', { class: 'talk' }, turns.map((turn, at) => turnItem(turn, at, graph.svg, { wrong: failuresOf(one, turn, at), choose: () => lookInto(at) }))), el('div', { class: 'beside inspector', id: 'suite-turn' }))
      : el('p', { class: 'quiet' }, one.verdict === 'unusable' ? 'It was not run. Fix the scenario, then run the suite again.' : 'The report has turns only of scenarios that failed. Open it in the dialogue to see them.'));
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
  byId('suite-turn').replaceChildren(...inspector(one.turns[at], at, { before: at > 0 ? one.turns[at - 1].data || {} : {} }));
}

function closeScenario() {
  const address = suite.open?.one.id;
  suite.open = null;
  suiteOne.hidden = true;
  suiteOverview.hidden = false;
  [...byId('suite').querySelectorAll('[data-address]')].find(hit => hit.dataset.address === address && hit.offsetParent)?.focus();
}

async function updateScenario(one) {
  try {
    const { changed } = await ask('scenario/update', { scenario: one.id });
    say(`updated ${plural(changed, 'expectation')} in \`${one.file}\``);
    closeScenario();
    runSuite();
  } catch (error) { complain(error); }
}

async function loadScenario(one) {
  if (await act('load', { address: one.id })) showView('dialogue');
}

// Pending snapshots.

async function drawReview(decided) {
  try { suite.review = decided || await ask('review'); } catch (error) {
    part('review', 'Waiting for a decision', [el('p', { class: 'quiet' }, error.message)]);
    return;
  }
  const { causes, hindered, orphans } = suite.review;
  const known = new Map((suite.report?.scenarios || []).map(one => [one.id, one]));
  const why = { unplayed: 'it could not be played', outdated: 'it is of another run: run the suite again' };
  part('review', 'Waiting for a decision', [
    ...causes.map((cause, at) => fold(at < 2, [el('span', { class: 'grow' }, breakable(cause.title)), el('span', { class: 'quiet' }, plural(cause.scenarios.length, 'snapshot'))], () => [
      edited(cause, excerptOf),
      (cause.examples || []).slice(0, 2).map(example => el('div', { class: 'example' }, cause.scenarios.length > 1 ? el('p', { class: 'quiet' }, 'for example ', known.get(example.id)?.title || example.id) : '', example.turns.map(turn => el('div', { class: 'turn-change' }, el('b', {}, turn.turn ? `turn ${turn.turn}` : 'the dialogue'),
        el('pre', { class: 'source', tabindex: '0' }, turn.lines.map(([was, is]) => [was ? el('span', { class: 'removed' }, `- ${was}\n`) : '', is ? el('span', { class: 'added' }, `+ ${is}\n`) : ''])))))),
      cause.scenarios.map(id => known.has(id) ? scenarioHit(known.get(id), '') : el('p', { class: 'mono wrap' }, breakable(id))),
      el('div', { class: 'tools' },
        el('button', { type: 'button', class: 'strong', title: 'What the scenarios do now is their snapshot', on: { click: () => decide(cause, true) } }, 'Accept'),
        el('button', { type: 'button', title: 'The snapshots stay as they are', on: { click: () => decide(cause, false) } }, 'Reject')),
    ])),
    // A scenario with unmet expectations cannot be accepted; it is listed with its cause.
    ...hindered.filter(one => one.why !== 'falls_short').map(one => el('p', {}, el('code', { class: 'wrap' }, breakable(one.id)), el('span', { class: 'quiet' }, ` ${why[one.why] || one.why}`))),
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

// Coverage in the source.

function drawCoverage() {
  const told = suite.coverage;
  part('coverage', 'Coverage', told && told.files ? [
    el('p', { class: 'quiet mono' }, breakable(told.model)),
    el('div', { class: 'shares' }, told.shares.map(([kind, covered, all]) => share(kind, covered, all))),
    told.missed.length ? el('p', {}, 'No scenario reached ', told.missed.map((name, at) => [at ? ', ' : '', stateName(name, graph.svg)])) : '',
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
on('view', ({ fresh }) => { if (fresh && suite.report) fetchCoverage().then(drawCoverage); });
on('show', view => { if (view === 'suite') drawSuite(); });
