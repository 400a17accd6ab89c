// Time travel: undo and redo, branches as lines, comparing branches, and saving scenarios.
'use strict';

/** The number of turns that are drawn on each side of the current one. */
const SIDE = 24;

const lanes = el('div.lanes', { role: 'group', 'aria-label': T.branches });
const place = el('input.place', { type: 'range', min: '0', max: '0', value: '0', step: '1', ...T.place });
const placeSays = el('output.quiet.place-says');

/** The buttons: key, action. */
const timeActs = {
  undo: ['u', undo],
  redo: ['U', redo],
  fork: ['f', forkSheet],
  compare: ['c', () => compareSheet()],
  reset: ['N', resetSheet],
  share: ['e', () => shareSheet()],
  save: ['s', saveSheet],
};
const timeTools = Object.fromEntries(Object.entries(timeActs).map(([name, [key, act]]) => [name, button([T.time[name], tip(key)], act, { id: `do-${name}` })]));

function undo() { return store.view.path.length ? act('undo', { turns: 1 }) : say(T.noUndo); }
function redo() { return store.view.ahead.length ? act('redo', { turns: 1 }) : say(T.noRedo); }
function goTo(number) { if (number !== store.view.at) return act('moment', { number }); look(number); return undefined; }

/** Each branch with its moments: all moments of the current branch, and the moments that only other branches contain. */
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
      title: branch.isMine ? T.thisBranch(branch.turns) : T.switchTo(branch.name),
      on: { click: () => branch.isMine || act('switch', { branch: branch.name }) },
    }, branch.name);
    const first = Math.max(from, branch.shared);
    const dots = branch.own.slice(Math.max(0, from - branch.shared), Math.max(0, to - branch.shared)).map((number, at) => dot(number, first + at, from, branch));
    const line = el('div.dots', dots);
    line.style.gridAutoColumns = `${Math.max(30, 16 + 7 * String(to).length)}px`;
    if (branch.isMine) line.prepend(beginningDot(from));
    const hidden = branch.own.length - dots.length;
    return el('div', { class: `lane${branch.isMine ? ' mine' : ''}` }, name, line, el('span.quiet.tip', hidden > 0 ? `${T.more(hidden)} · ` : '', branch.own.length || !branch.state ? '' : T.atTurn(branch.shared), branch.state));
  }));
  const currentDot = lanes.querySelector('.current');
  if (currentDot) currentDot.parentElement.scrollLeft = currentDot.offsetLeft - currentDot.parentElement.clientWidth / 2;
  place.max = String(store.order.length);
  place.value = String(here);
  place.disabled = !store.order.length;
  placeSays.value = T.turnOf(here, store.order.length);
  timeTools.undo.disabled = !view.path.length;
  timeTools.redo.disabled = !view.ahead.length;
  timeTools.fork.disabled = !store.order.length;
  timeTools.compare.disabled = view.branches.length < 2;
  timeTools.share.disabled = timeTools.save.disabled = !view.path.length;
}

function beginningDot(from) {
  const made = el('button', { type: 'button', class: `moment begin${store.view.at === 0 ? ' current' : ''}`, 'aria-label': T.start, title: from ? T.startEarlier(from) : T.start, on: { click: () => goTo(0) } }, from ? '…' : '○');
  made.style.gridColumn = '1';
  return made;
}

function dot(number, depth, from, branch) {
  const moment = store.moments.get(number);
  const state = moment?.record?.state;
  const isAhead = branch.isMine && !store.view.path.includes(number);
  const what = T.dot(depth + 1, moment?.line || '', state && (state.from === state.to ? state.to : `${state.from} → ${state.to}`), store.marks.has(number));
  const made = el('button', {
    type: 'button', 'data-moment': number, 'data-state': state ? state.to : null, title: what, 'aria-label': what,
    class: `moment ${state ? colorOf(graph.svg, state.to) : ''}${number === store.view.at ? ' current' : ''}${number === store.looked ? ' looked' : ''}${isAhead ? ' ahead' : ''}${store.marks.has(number) ? ' differs-here' : ''}`,
    'aria-current': number === store.view.at ? 'step' : null, on: { click: () => goTo(number) },
  }, depth + 1);
  made.style.gridColumn = String(depth - from + 2);
  return made;
}

let sliding = 0;
place.addEventListener('input', () => {
  placeSays.value = T.turnOf(place.value, store.order.length);
  clearTimeout(sliding);
  sliding = setTimeout(() => goTo(Number(place.value) ? store.order[Number(place.value) - 1] : 0), 80);
});

byId('time').append(el('div.tools', timeTools.undo, timeTools.redo, place, placeSays, timeTools.fork, timeTools.compare, timeTools.reset, el('span.grow'), timeTools.share, timeTools.save), lanes);
on('look', drawLanes);
on('graph', drawLanes);
on('marks', drawLanes);

// Sheets: small forms above the page.

/** Opens a form above the page; the sheet stays open if `done` returns false. */
function sheet(title, content, label, done) {
  const bad = el('p.bad', { role: 'alert' });
  const send = async () => {
    bad.textContent = '';
    try {
      if (await done(bad) !== false) byId('sheet').close();
    } catch (error) { bad.replaceChildren(el('span', sentence(whyRefused(error)))); }
  };
  byId('sheet').classList.remove('broad');
  byId('sheet').replaceChildren(el('h2', { id: 'sheet-title' }, title), form('form', send, content, bad, el('div.tools.end',
    button(T.close, () => byId('sheet').close()), label ? el('button.strong', label) : '')));
  byId('sheet').showModal();
}

/** A field with its label; `text` can be a list of the label and a note. */
function labeled(text, field) {
  const [label, note] = [text].flat();
  return el('label.asked', el('span', label), field, note ? quiet(note) : '');
}

function forkSheet() {
  const name = textField({ placeholder: T.auto });
  sheet(T.newBranch, [labeled(T.name, name)], T.time.fork, () => act('fork', name.value.trim() ? { name: name.value.trim() } : {}));
}

function resetSheet() {
  const start = textField({ class: 'mono', placeholder: T.startExample });
  sheet(T.time.reset, [labeled(T.startAs, start)], T.startButton, () => act('reset', start.value.trim() ? { start: start.value.trim() } : {}));
}

function saveSheet() {
  const title = el('input', { type: 'text', required: true });
  const file = textField({ class: 'mono', placeholder: T.auto });
  let replaced;
  sheet(T.time.save, [labeled(T.title, title), labeled(T.file, file)], T.save, async bad => {
    const body = { title: title.value.trim() };
    if (file.value.trim()) body.file = file.value.trim();
    if (replaced && replaced === body.file) body.replace = true;
    let kept;
    try { kept = await ask('save', body); } catch (error) {
      if (!error.exists) throw error;
      const replace = ({ target }) => { replaced = body.file; target.form.requestSubmit(); };
      bad.replaceChildren(el('span', sentence(`${error.message}. `)), button(T.replace(body.file), replace));
      return false;
    }
    const isGood = GOOD.has(kept.verdict);
    sheet(T.savedTitle, [
      el('p', T.savedAs(el('code.wrap', breakable(kept.file)), verdict(kept.verdict))),
      kept.reason ? el('p.wrap', kept.reason) : '', byField(kept.failures || []).map(miss),
      el('p.quiet', isGood ? T.nextEdit : T.nextRun),
    ], T.runSuite, () => { showView('suite'); runSuite(); });
    byId('notice').textContent = T.saved(clock());
    announce(T.savedAs(kept.file, kept.verdict).join(''));
    return false;
  });
}

function compareSheet(first = store.view.branch, second = null) {
  const names = store.view.branches.map(one => one.name);
  if (names.length < 2) return say(T.oneBranch);
  const select = (value, label, side) => { const made = el('select', { 'aria-label': label, class: side }, names.map(name => el('option', { value: name }, name))); made.value = value; return made; };
  const a = select(first, 'A', 'a-side');
  const b = select(second || names.find(name => name !== first), 'B', 'b-side');
  const out = el('div.compared', { tabindex: '0', role: 'region', 'aria-label': T.differs });
  const draw = async () => {
    try { out.replaceChildren(...compared(await ask('compare', { a: a.value, b: b.value }))); } catch (error) { out.replaceChildren(el('p.bad', error.message)); }
  };
  a.addEventListener('change', draw);
  b.addEventListener('change', draw);
  sheet(T.keys.c, [el('div.tools', el('span.side-name.a', 'A'), a, el('span.side-name.b', 'B'), b), out], '', () => true);
  byId('sheet').classList.add('broad');
  draw();
  return undefined;
}

function compared({ parted, rows }) {
  const side = (number, name) => {
    const moment = number === null || number === undefined ? null : store.moments.get(number);
    if (!moment) return el('td.zero');
    return el('td', { class: name }, el('div.mono.wrap', moment.line), moment.record?.state ? el('div.quiet', wayOf(moment.record.state, graph.svg), moment.record.action ? [' ', el('span.mono.wrap', breakable(moment.record.action))] : '') : '');
  };
  if (!rows.length) return [el('p', T.equal)];
  const cells = row => [el('th', { scope: 'row' }, row.turn), side(row.a, 'side-a'), side(row.b, 'side-b')];
  return [el('p.quiet', T.diverge(parted)), comparedTable(rows, cells)];
}

function clock() { return new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false }); }
