// The suite: the results of the scenarios, the causes of failures, and pending snapshots.
'use strict';

const suite = { running: false, report: null, isOld: false, progress: null, open: null, review: null, coverage: null };

const suiteFilter = textField({ type: 'search', id: 'suite-filter', ...T.filter });
const suiteSays = el('span.quiet', { role: 'status' });
const runButton = button(T.run, () => runSuite(), { id: 'run', class: 'strong' });
const suiteBar = el('div.bar', { role: 'img', 'aria-label': T.noRun });
const suiteLegend = el('p.legend-line');
const suiteProgress = el('progress', { max: '1', value: '0', 'aria-label': T.progress, hidden: true });
const suiteParts = Object.fromEntries(['review', 'causes', 'failures', 'findings', 'coverage', 'files'].map(name => [name, el('section', { id: `suite-${name}`, hidden: true })]));
const suiteOverview = el('div', { id: 'suite-overview' }, el('div.filter', suiteFilter, suiteSays, runButton), suiteProgress, suiteBar, suiteLegend, Object.values(suiteParts));
const suiteOne = el('div', { id: 'suite-one', hidden: true });
byId('suite').append(el('h2.unseen', T.suite), suiteOverview, suiteOne);

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
    const found = await ask('suite');
    suite.running = found.running;
    suite.report = found.report;
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
  byId('covered').replaceChildren(...isCounted && !suite.coverage ? [quiet(T.unmeasured)]
    : (suite.coverage?.shares || []).filter(([kind]) => kind === 'states' || kind === 'lines').map(share));
}

function drawProgress() {
  runButton.disabled = suite.running;
  suiteProgress.hidden = !suite.running;
  const { progress } = suite;
  suiteProgress.max = progress ? progress.of || 1 : 1;
  if (progress) suiteProgress.value = progress.done;
  else suiteProgress.removeAttribute('value');
  if (suite.running) suiteSays.textContent = progress ? T.of(progress.done, progress.of) : T.running;
}

/** Shows the state of the suite in the page header. */
function drawDot() {
  const dot = byId('dot');
  const list = suite.report ? suite.report.scenarios : [];
  const bad = list.filter(one => !GOOD.has(one.verdict)).length;
  const [kind, text] = suite.running ? ['runs', suite.progress ? T.suiteAt(suite.progress.done, suite.progress.of) : T.suiteRuns]
    : !suite.report ? ['none', T.suiteNotRun] : bad ? ['bad', T.suiteFailed(bad, list.length)] : list.length ? ['good', T.suitePassed(list.length)] : ['none', T.noScenarios];
  dot.className = `dot is-${kind}${suite.isOld && !suite.running ? ' is-old' : ''}`;
  dot.replaceChildren(el('span.sign', { 'aria-hidden': 'true' }, { runs: '◌', none: '○', bad: '✕', good: '✓' }[kind]), text, suite.isOld && suite.report && !suite.running ? quiet(T.stale) : '');
}

function part(name, title, children) {
  const box = suiteParts[name];
  box.hidden = !children.length;
  box.replaceChildren(...children.length ? [el('h2', title), ...children] : []);
}

/** The excerpt of a location, which might load later. A location can combine the locations of an action and a transition. */
function excerptOf(place) {
  return place.split(', ').map(part => part.replace(/^(action|transition) /, '')).filter(at => /:\d+(:\d+)?$/.test(at)).map(at => {
    const box = el('div');
    ask('source', { at }).then(found => box.replaceChildren(sourceLines(found, found.line)), () => box.remove());
    return box;
  });
}

function scenarioHit(one, about = firstFailure(one)) {
  return el('button.hit.plain', { type: 'button', 'data-address': one.id, on: { click: () => openScenario(one) } },
    verdict(one.verdict), el('span', one.title || one.file), quiet(breakable(about || `${one.file}:${one.line}`)));
}

/** The filtered scenarios. */
function leftScenarios() {
  const all = suite.report ? suite.report.scenarios : [];
  try {
    const test = parseFilter(suiteFilter.value);
    const left = all.filter(test);
    if (!suite.running) suiteSays.textContent = suiteFilter.value.trim() ? T.of(left.length, all.length) : all.length ? T.scenarios(all.length) : '';
    suiteSays.className = 'quiet';
    return left;
  } catch (error) {
    // The run might support a filter that the page cannot parse.
    if (!suite.running) suiteSays.textContent = T.showingAll(error.message);
    return all;
  }
}

async function drawSuite() {
  if (!suite.report) {
    part('files', T.noRun, [el('p.quiet', T.noRunNote)]);
    await drawReview();
    return;
  }
  const { report } = suite;
  const byAddress = new Map(report.scenarios.map(one => [one.id, one]));
  const left = leftScenarios();
  const isLeft = new Set(left.map(one => one.id));
  drawVerdicts(suiteBar, suiteLegend, left);
  const causes = report.causes.filter(cause => cause.kind !== 'invalid' && cause.scenarios.some(id => isLeft.has(id)));
  await drawReview();
  // A scenario is listed once: as pending, otherwise with its first cause, otherwise with its file.
  const listed = new Set(suite.review?.causes.flatMap(cause => cause.scenarios));
  part('causes', T.causes, causes.map((cause, at) => {
    const own = cause.scenarios.filter(id => byAddress.has(id) && isLeft.has(id) && !listed.has(id));
    own.forEach(id => listed.add(id));
    return own.length ? causeFold(cause, at < 2, own.map(id => byAddress.get(id))) : '';
  }).filter(Boolean));
  const rest = left.filter(one => !listed.has(one.id));
  const failing = rest.filter(one => !GOOD.has(one.verdict));
  const files = list => grouped(list, one => one.file);
  part('failures', listed.size ? T.otherFailures : T.failures, files(failing).map(([file, list]) => fold(failing.length <= 20, [el('span.grow.mono', breakable(file)), quiet(list.length)], () => list.map(one => scenarioHit(one)))));
  part('findings', T.findings, report.findings.map(findingLine));
  part('files', T.passedFiles, files(rest.filter(one => GOOD.has(one.verdict))).map(([file, list]) =>
    fold(false, [el('span.grow.mono', breakable(file)), quiet(T.scenarios(list.length))], () => list.map(one => scenarioHit(one)))));
  drawCoverage();
}

function causeFold(cause, isOpen, known) {
  const changes = cause.changes.filter(change => change !== cause.title);
  return fold(isOpen, [el('span.grow', breakable(cause.title)), quiet(T.scenarios(known.length))], () => [
    edited(cause, excerptOf),
    changes.length ? el('ul.changes', changes.map(change => el('li', change))) : '',
    // The cause already names the field.
    known.slice(0, 8).map(one => scenarioHit(one, '')),
    known.length > 8 ? fold(false, quiet(T.more(known.length - 8)), () => known.slice(8).map(one => scenarioHit(one, ''))) : '',
  ]);
}

// One scenario.

function openScenario(one) {
  suite.open = { one, at: -1 };
  const turns = one.turns || [];
  suiteOne.replaceChildren(
    el('div.crumbs', button(T.allScenarios, closeScenario, { class: 'back' }), verdict(one.verdict), el('h2', { tabindex: '-1' }, one.title || one.file),
      one.verdict === 'invalid' ? '' : button(T.openIn, () => loadScenario(one))),
    el('div.facts', el('span.mono.wrap', `${one.file}:${one.line}`), one.model ? el('span.mono.wrap', one.model + (one.profile ? `@${one.profile}` : '')) : '', (one.tags || []).map(tag => el('span.chip', tag))),
    one.reason ? el('p.note.wrap', one.reason) : '',
    // Snapshot differences are accepted or rejected with their cause.
    one.verdict === 'failed' && one.failures?.length && one.failures.every(failure => !failure.against) ? el('p.note', T.updateNote,
      button(T.update, () => updateScenario(one), { id: 'update' })) : '',
    ...byField((one.failures || []).filter(failure => !turns.some((turn, at) => failuresOf(one, turn, at).includes(failure)))).map(miss),
    turns.length ? split(el('ol.talk', turns.map((turn, at) => turnItem(turn, at, graph.svg, { wrong: failuresOf(one, turn, at), choose: () => lookInto(at) }))), el('div.side-pane.inspector', { id: 'suite-turn' }))
      : el('p.quiet', one.verdict === 'invalid' ? T.notRun : [T.turnsOfFailed, T.seeTurns]));
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
  byId('suite-turn').replaceChildren(...inspector(one.turns, at));
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
    say(T.updated(changed, one.file));
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
    part('review', T.toReview, [el('p.quiet', error.message)]);
    return;
  }
  const { causes, hindered, orphans } = suite.review;
  const known = new Map((suite.report?.scenarios || []).map(one => [one.id, one]));
  part('review', T.toReview, [
    ...causes.map((cause, at) => fold(at < 2, [el('span.grow', breakable(cause.title)), quiet(T.snapshots(cause.scenarios.length))], () => [
      edited(cause, excerptOf),
      (cause.examples || []).slice(0, 2).map(example => el('div.example', cause.scenarios.length > 1 ? el('p.quiet', T.forExample(known.get(example.id)?.title || example.id)) : '', example.turns.map(turn => el('div.turn-change', el('b', T.changeAt(turn.turn)),
        diffLines(turn.lines))))),
      cause.scenarios.map(id => known.has(id) ? scenarioHit(known.get(id), '') : el('p.mono.wrap', breakable(id))),
      el('div.tools',
        button(T.accept, () => decide(cause, true), { class: 'strong' }),
        button(T.reject, () => decide(cause, false))),
    ])),
    // A scenario with unmet expectations cannot be accepted; it is listed with its cause.
    ...hindered.filter(one => one.why !== 'is_failure').map(one => el('p', el('code.wrap', breakable(one.id)), quiet(` ${T.hindered[one.why] || one.why}`))),
    ...orphans.map(path => el('p.quiet', T.orphaned(el('code.wrap', breakable(path))))),
  ]);
}

async function decide(cause, accept) {
  try {
    const left = await ask('review/decide', { cause: cause.id, accept });
    say(T.reviewed(accept, cause.scenarios.length));
    await drawReview(left);
    runSuite();
  } catch (error) { complain(error); }
}

// Coverage in the source.

function drawCoverage() {
  const measured = suite.coverage;
  part('coverage', T.coverage, measured && measured.files ? [
    el('p.quiet.mono', breakable(measured.model)),
    el('div.shares', measured.shares.map(share)),
    measured.missed.length ? el('p', T.unreached(measured.missed.map((name, at) => [at ? ', ' : '', stateName(name, graph.svg)]))) : '',
    ...measured.files.map(file => {
      const counted = file.lines.filter(one => one.hits !== null);
      const hit = counted.filter(one => one.hits > 0).length;
      return fold(false, [el('span.grow.mono', breakable(file.path)), counted.length ? share([T.lines, hit, counted.length]) : ''], () => el('pre.source.covered', { tabindex: '0' }, file.lines.map(one =>
        el('span', { class: one.hits === null ? 'not-counted' : one.hits ? 'hit-line' : 'missed-line' }, el('span.at', one.line), el('span.hits', one.hits === null ? '' : one.hits || '✕'), `${one.text}\n`))));
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
