// Time travel: undo and redo, branches as lines, comparing branches, and saving scenarios.
'use strict';

/** The number of turns that are drawn on each side of the current one. */
const SIDE = 24;

const lanes = el('div', { class: 'lanes', role: 'group', 'aria-label': 'Branches' });
const place = el('input', { type: 'range', min: '0', max: '0', value: '0', step: '1', class: 'place', 'aria-label': 'Turn of this branch', title: 'Turn of this branch ([ and ])' });
const placeSays = el('output', { class: 'quiet place-says' });

const timeButtons = {
  undo: ['↶ Undo', 'Takes the last turn back (u)', () => undo()],
  redo: ['↷ Redo', 'Takes it again (U)', () => redo()],
  fork: ['Fork', 'Begins a branch here (f)', () => forkSheet()],
  compare: ['Compare', 'Compares two branches (c)', () => compareSheet()],
  reset: ['New dialogue', 'Begins a new dialogue (N)', () => resetSheet()],
  share: ['Share', 'Writes the conversation into a file for others (e)', () => shareSheet()],
  save: ['Save as scenario', 'Keeps the dialogue as a scenario (s)', () => saveSheet()],
};
const timeTools = Object.fromEntries(Object.entries(timeButtons).map(([name, [text, title, act]]) => [name, el('button', { type: 'button', id: `do-${name}`, title, on: { click: act } }, text)]));

function undo() { return store.view.path.length ? act('undo', { turns: 1 }) : say('there is no turn to take back'); }
function redo() { return store.view.ahead.length ? act('redo', { turns: 1 }) : say('there is no turn ahead'); }
function goTo(number) { if (number !== store.view.at) return act('moment', { number }); look(number); return undefined; }

/** Each branch with its moments: all of the current branch, and those of other branches that it does not contain. */
function branchLines() {
  const { branches, branch } = store.view;
  const mine = branches.find(one => one.name === branch);
  const seen = new Set();
  return [mine, ...branches.filter(one => one !== mine)].filter(Boolean).map(one => {
    const path = one === mine ? store.order : pathOf(one.tip);
    const own = path.filter(number => !seen.has(number));
    own.forEach(number => seen.add(number));
    return { ...one, own, shared: path.length - own.length, isMine: one === mine };
  });
}

function drawLanes() {
  const { view } = store;
  const here = view.path.length;
  const from = Math.max(0, here - SIDE);
  const to = Math.max(here, from) + SIDE;
  lanes.replaceChildren(...branchLines().map(branch => {
    const name = el('button', {
      type: 'button', class: `branch plain${branch.isMine ? ' mine' : ''}`, 'aria-pressed': String(branch.isMine),
      title: branch.isMine ? `This branch: ${plural(branch.turns, 'turn')}` : `To the branch ${branch.name} (b)`,
      on: { click: () => branch.isMine || act('switch', { branch: branch.name }) },
    }, branch.name);
    const first = Math.max(from, branch.shared);
    const dots = branch.own.slice(Math.max(0, from - branch.shared), Math.max(0, to - branch.shared)).map((number, at) => dot(number, first + at, from, branch));
    const line = el('div', { class: 'dots' }, dots);
    line.style.gridAutoColumns = `${Math.max(30, 16 + 7 * String(to).length)}px`;
    if (branch.isMine) line.prepend(beginningDot(from));
    const hidden = branch.own.length - dots.length;
    return el('div', { class: `lane${branch.isMine ? ' mine' : ''}` }, name, line, el('span', { class: 'quiet tip' }, hidden > 0 ? `${hidden} more · ` : '', branch.own.length || !branch.state ? '' : `turn ${branch.shared} · `, branch.state));
  }));
  const standsDot = lanes.querySelector('.stands');
  if (standsDot) standsDot.parentElement.scrollLeft = standsDot.offsetLeft - standsDot.parentElement.clientWidth / 2;
  place.max = String(store.order.length);
  place.value = String(here);
  place.disabled = !store.order.length;
  placeSays.value = `turn ${here} of ${store.order.length}`;
  timeTools.undo.disabled = !view.path.length;
  timeTools.redo.disabled = !view.ahead.length;
  timeTools.fork.disabled = !store.order.length;
  timeTools.compare.disabled = view.branches.length < 2;
  timeTools.share.disabled = timeTools.save.disabled = !view.path.length;
}

function beginningDot(from) {
  const made = el('button', { type: 'button', class: `moment begin${store.view.at === 0 ? ' stands' : ''}`, 'aria-label': 'The beginning', title: from ? `The beginning, ${plural(from, 'turn')} before` : 'The beginning', on: { click: () => goTo(0) } }, from ? '…' : '○');
  made.style.gridColumn = '1';
  return made;
}

function dot(number, depth, from, branch) {
  const moment = store.moments.get(number);
  const state = moment?.record?.state;
  const isAhead = branch.isMine && !store.view.path.includes(number);
  const what = `Turn ${depth + 1}: ${moment?.line || ''}${state ? `, ${state.from === state.to ? state.to : `${state.from} → ${state.to}`}` : ''}${store.marks.has(number) ? ', changed by the edit' : ''}`;
  const made = el('button', {
    type: 'button', 'data-moment': number, 'data-state': state ? state.to : null, title: what, 'aria-label': what,
    class: `moment ${state ? colourOf(graph.svg, state.to) : ''}${number === store.view.at ? ' stands' : ''}${number === store.looked ? ' looked' : ''}${isAhead ? ' ahead' : ''}${store.marks.has(number) ? ' differs-here' : ''}`,
    'aria-current': number === store.view.at ? 'step' : null, on: { click: () => goTo(number) },
  }, depth + 1);
  made.style.gridColumn = String(depth - from + 2);
  return made;
}

let sliding = 0;
place.addEventListener('input', () => {
  placeSays.value = `turn ${place.value} of ${store.order.length}`;
  clearTimeout(sliding);
  sliding = setTimeout(() => goTo(Number(place.value) ? store.order[Number(place.value) - 1] : 0), 80);
});

byId('time').append(el('div', { class: 'tools' }, timeTools.undo, timeTools.redo, place, placeSays, timeTools.fork, timeTools.compare, timeTools.reset, el('span', { class: 'grow' }), timeTools.share, timeTools.save), lanes);
on('look', drawLanes);
on('graph', drawLanes);
on('marks', drawLanes);

// Sheets: small forms above the page.

/** Opens a form above the page; the sheet stays open if `done` returns false. */
function sheet(title, content, button, done) {
  const bad = el('p', { class: 'bad', role: 'alert' });
  const send = async event => {
    event.preventDefault();
    bad.textContent = '';
    try {
      if (await done(bad) !== false) byId('sheet').close();
    } catch (error) { bad.replaceChildren(el('span', {}, sentence(whyRefused(error)))); }
  };
  byId('sheet').classList.remove('broad');
  byId('sheet').replaceChildren(el('h2', { id: 'sheet-title' }, title), el('form', { on: { submit: send } }, content, bad, el('div', { class: 'tools end' },
    el('button', { type: 'button', on: { click: () => byId('sheet').close() } }, 'Close'), button ? el('button', { class: 'strong' }, button) : '')));
  byId('sheet').showModal();
}

function labelled(text, field, note) { return el('label', { class: 'asked' }, el('span', {}, text), field, note ? el('span', { class: 'quiet' }, note) : ''); }

function forkSheet() {
  const name = el('input', { type: 'text', spellcheck: 'false', placeholder: 'found by itself' });
  sheet('A branch from here', [labelled('Its name', name)], 'Fork', () => act('fork', name.value.trim() ? { name: name.value.trim() } : {}));
}

function resetSheet() {
  const start = el('input', { type: 'text', class: 'mono', spellcheck: 'false', placeholder: '{state: close, data: {company_size: 50}}' });
  sheet('A new dialogue', [labelled('How it starts', start, 'as under `start` of a scenario; empty: at the beginning. What was played is kept: `fsmsim sessions list` names it.')], 'Begin', () => act('reset', start.value.trim() ? { start: start.value.trim() } : {}));
}

function saveSheet() {
  const title = el('input', { type: 'text', required: true });
  const file = el('input', { type: 'text', class: 'mono', spellcheck: 'false', placeholder: 'found by itself' });
  let replaced;
  sheet('Save as scenario', [labelled('Title', title, 'what the dialogue shows'), labelled('File', file, 'in the folder of scenarios, such as studio/full_sale.yaml')], 'Save', async bad => {
    const body = { title: title.value.trim() };
    if (file.value.trim()) body.file = file.value.trim();
    if (replaced && replaced === body.file) body.replace = true;
    let kept;
    try { kept = await ask('save', body); } catch (error) {
      if (!error.exists) throw error;
      const replace = ({ target }) => { replaced = body.file; target.form.requestSubmit(); };
      bad.replaceChildren(el('span', {}, sentence(`${error.message}. `)), el('button', { type: 'button', on: { click: replace } }, `Replace ${body.file}`));
      return false;
    }
    const isGood = GOOD.has(kept.verdict);
    sheet('Scenario saved', [
      el('p', {}, 'Saved as ', el('code', { class: 'wrap' }, breakable(kept.file)), ', and run: ', verdict(kept.verdict)),
      kept.reason ? el('p', { class: 'wrap' }, kept.reason) : '', byField(kept.failures || []).map(miss),
      el('p', { class: 'quiet' }, isGood ? 'Next: edit the model. The suite checks each edit against this scenario.' : 'Next: run the suite, and open the scenario there: the turn that failed shows the deciding lines.'),
    ], 'Run the suite', () => { showView('suite'); runSuite(); });
    byId('notice').textContent = `saved ${clock()}`;
    byId('live').textContent = shown(`Saved as ${kept.file}, ${kept.verdict}`);
    return false;
  });
}

function compareSheet(first = store.view.branch, second = null) {
  const names = store.view.branches.map(one => one.name);
  if (names.length < 2) return say('there is only one branch: go back and then another way, or fork');
  const select = (value, label, side) => { const made = el('select', { 'aria-label': label, class: side }, names.map(name => el('option', { value: name }, name))); made.value = value; return made; };
  const a = select(first, 'A', 'a-side');
  const b = select(second || names.find(name => name !== first), 'B', 'b-side');
  const out = el('div', { class: 'compared', tabindex: '0', role: 'region', 'aria-label': 'What differs' });
  const draw = async () => {
    try { out.replaceChildren(...compared(await ask('compare', { a: a.value, b: b.value }))); } catch (error) { out.replaceChildren(el('p', { class: 'bad' }, error.message)); }
  };
  a.addEventListener('change', draw);
  b.addEventListener('change', draw);
  sheet('Two branches', [el('div', { class: 'tools' }, el('span', { class: 'side-name a' }, 'A'), a, el('span', { class: 'side-name b' }, 'B'), b), out], '', () => true);
  byId('sheet').classList.add('broad');
  draw();
  return undefined;
}

function compared({ parted, rows }) {
  const side = (number, name) => {
    const moment = number === null || number === undefined ? null : store.moments.get(number);
    if (!moment) return el('td', { class: 'zero' });
    return el('td', { class: name }, el('div', { class: 'mono wrap' }, moment.line), moment.record?.state ? el('div', { class: 'quiet' }, wayOf(moment.record.state, graph.svg), moment.record.action ? [' ', el('span', { class: 'mono wrap' }, breakable(moment.record.action))] : '') : '');
  };
  if (!rows.length) return [el('p', {}, 'They are the same.')];
  return [
    el('p', { class: 'quiet' }, parted ? `They are the same up to turn ${parted}.` : 'They part at the beginning.'),
    el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'turn'), el('th', {}, 'A'), el('th', {}, 'B'), el('th', {}, 'what differs'))),
      el('tbody', {}, rows.map(row => el('tr', {}, el('th', { scope: 'row' }, row.turn), side(row.a, 'side-a'), side(row.b, 'side-b'),
        el('td', {}, el('dl', { class: 'pair' }, row.fields.map(field => [el('dt', {}, field.field), el('dd', {}, changeLines(field.a, field.b, { sides: ['span', 'span'], classes: ['a-side', 'b-side'], between: ' | ' }))]))))))),
  ];
}

function clock() { return new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }); }
