// Views, tabs and shortcut keys. Fields handle their own keys.
'use strict';

const VIEWS = ['dialogue', 'suite', 'simulation'];

function currentView() { return VIEWS.find(name => !byId(name).hidden); }

function showView(name) {
  for (const view of VIEWS) {
    byId(view).hidden = view !== name;
    const tab = byId(`to-${view}`);
    tab.setAttribute('aria-selected', view === name);
    tab.setAttribute('tabindex', view === name ? '0' : '-1');
  }
  emit('show', name);
  if (name === 'dialogue') emit('look', {});
}

/** Selects the visible pane on a narrow screen. */
function showPane(name) {
  byId('columns').dataset.pane = name;
  for (const tab of document.querySelectorAll('.panes [role=tab]')) {
    const isIt = tab.dataset.pane === name;
    tab.setAttribute('aria-selected', isIt);
    tab.setAttribute('tabindex', isIt ? '0' : '-1');
  }
  if (name === 'graph' && store.view) drawStanding();
}

/** Lets arrow keys select tabs. */
function walkTabs(event) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const tabs = [...event.currentTarget.querySelectorAll('[role=tab]')];
  const next = tabs[(tabs.indexOf(event.target) + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
}

/** Selects the next or previous item of the view. */
function stepBy(by) {
  const view = currentView();
  if (view === 'dialogue') {
    const at = store.order.indexOf(store.looked);
    const to = Math.min(store.order.length - 1, Math.max(-1, at + by));
    return look(to < 0 ? 0 : store.order[to], { focus: true });
  }
  if (suite.open && view === 'suite') return lookInto(suite.open.at + by);
  const listed = [...byId(view).querySelectorAll(view === 'suite' ? '[data-address], #suite summary' : '[data-show], #simulation .turn .decided')].filter(one => one.offsetParent);
  const next = listed[Math.min(listed.length - 1, Math.max(0, listed.indexOf(document.activeElement) + by))];
  if (next) next.focus();
  return undefined;
}

/** Moves the dialogue by one turn on this branch. */
function travel(by) {
  const at = store.view.path.length + by;
  if (at < 0 || at > store.order.length) return say(by < 0 ? T.atStart : T.atEnd);
  return goTo(at ? store.order[at - 1] : 0);
}

function nextBranch() {
  const { branches, branch } = store.view;
  if (branches.length < 2) return say(T.oneBranch);
  return act('switch', { branch: branches[(branches.findIndex(one => one.name === branch) + 1) % branches.length].name });
}

function leave() {
  if (suite.open) return closeScenario();
  if (!simulationOne.hidden && currentView() === 'simulation') return closeDialogue();
  if (graph.state) { graph.state = null; return drawState(); }
  return currentView() === 'dialogue' ? undefined : showView('dialogue');
}

function inDialogue(act) {
  return () => {
    if (currentView() !== 'dialogue') showView('dialogue');
    return act();
  };
}

/** The shortcut keys by group: key, action. */
const KEYS = [
  [
    ['/', () => currentView() === 'suite' ? suiteFilter.focus() : (showView('dialogue'), showPane('talk'), saying.focus())],
    ['i', inDialogue(() => { showPane('talk'); meaning.field.focus(); })],
    ['1 … 9'],
    ['d', inDialogue(() => { showPane('talk'); dataForm.querySelector('summary')?.parentElement.setAttribute('open', ''); dataForm.querySelector('input')?.focus(); })],
    ['enter'],
  ],
  [
    ['j', () => stepBy(1)],
    ['k', () => stepBy(-1)],
    ['Enter', () => currentView() === 'dialogue' && goTo(store.looked)],
    ['[', inDialogue(() => travel(-1))],
    [']', inDialogue(() => travel(1))],
    ['w', inDialogue(() => { showPane('turn'); byId('why-not')?.focus(); })],
    ['r', () => { const record = [...document.querySelectorAll('#record')].find(one => one.offsetParent); if (record) { record.open = !record.open; record.scrollIntoView({ block: 'nearest' }); } }],
  ],
  [
    ['u', inDialogue(undo)],
    ['U', inDialogue(redo)],
    ['f', inDialogue(forkSheet)],
    ['b', inDialogue(nextBranch)],
    ['c', inDialogue(compareSheet)],
    ['s', inDialogue(saveSheet)],
    ['e', inDialogue(shareSheet)],
    ['N', inDialogue(resetSheet)],
  ],
  [
    ['n', inDialogue(nextChange)],
    ['x', inDialogue(dismissEdit)],
    ['L', () => act('reload')],
  ],
  [
    ['p', inDialogue(toggleFit)],
    ['g', inDialogue(() => { showPane('graph'); toggleWide(); })],
    ['o', openOrOverlay],
    ['+', inDialogue(() => zoomBy(1.25))],
    ['-', inDialogue(() => zoomBy(1 / 1.25))],
  ],
  [
    ['D', () => showView('dialogue')],
    ['S', () => showView('suite')],
    ['M', () => showView('simulation')],
    ['R', () => currentView() === 'simulation' ? simulate() : (showView('suite'), runSuite())],
    ['m', () => { modelChoice.field.focus(); modelChoice.field.click(); }],
    ['?', openHelp],
    ['Escape', leave],
  ],
];
const KEY_ACTS = new Map(KEYS.flat().filter(([, act]) => act));

function openOrOverlay() {
  if (suite.open && currentView() === 'suite') return loadScenario(suite.open.one);
  if (currentView() === 'simulation') return simulationOne.hidden ? undefined : byId('open-simulated').click();
  return byId('overlay').focus();
}

function drawHelp() {
  byId('help').replaceChildren(el('h2', { id: 'help-title' }, T.shortcuts), el('div.key-lists', KEYS.map((keys, at) => el('section', el('h3', T.keyGroups[at]), el('dl', keys.map(([key]) => [el('dt', kbd(T.keyNames[key] || key)), el('dd', T.keys[key])]))))),
    el('p.quiet', T.keyNote),
    el('form', { method: 'dialog' }, el('button', T.close)));
}

function openHelp() {
  byId('help').showModal();
  byId('help').scrollTop = 0;
}

/** The key by its character, or by its position in another alphabet. */
function keyOf(event) {
  if (/^[\x20-\x7e]$/.test(event.key) || event.key.length > 1) return event.key;
  const match = /^Key([A-Z])$/.exec(event.code);
  if (match) return event.shiftKey ? match[1] : match[1].toLowerCase();
  return { BracketLeft: '[', BracketRight: ']', Slash: event.shiftKey ? '?' : '/' }[event.code] || event.key;
}

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented || !store.view) return;
  if (byId('help').open || byId('sheet').open) return;
  // A field of a closed dialog can keep the focus for a moment.
  const target = event.target.closest('dialog:not([open])') ? document.body : event.target;
  if (target.matches('input:not([type=checkbox], [type=range]), textarea, select')) {
    if (event.key === 'Escape') target.blur();
    return;
  }
  const key = keyOf(event);
  if ((key === 'Enter' || key === ' ') && target.matches('a, button, summary, input')) return;
  if (/^[1-9]$/.test(key) && currentView() === 'dialogue') {
    const one = ready.querySelectorAll('.ready-one')[Number(key) - 1];
    if (one) { event.preventDefault(); showPane('talk'); one.click(); }
    return;
  }
  const act = KEY_ACTS.get(key === '=' ? '+' : key);
  if (!act) return;
  event.preventDefault();
  act();
});

for (const name of VIEWS) byId(`to-${name}`).addEventListener('click', () => showView(name));
for (const tab of document.querySelectorAll('.panes [role=tab]')) tab.addEventListener('click', () => showPane(tab.dataset.pane));
for (const list of document.querySelectorAll('[role=tablist]')) list.addEventListener('keydown', walkTabs);
byId('keys').addEventListener('click', openHelp);
drawHelp();
