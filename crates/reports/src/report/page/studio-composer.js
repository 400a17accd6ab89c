// The next turn: utterance, intent and data.
'use strict';

/** The maximum number of intents of the state that are shown as buttons. */
const READY = 9;

const draft = { intent: '', goto: '', event: '' };

const saying = el('textarea', { id: 'say', rows: '1', 'aria-label': 'User says', placeholder: 'User says…', title: 'User says (/); enter plays the turn', spellcheck: 'false' });
const meaning = choice({
  id: 'intent', label: 'Intent', hint: 'intent', title: 'Intent (i)',
  groups: () => [{ title: 'known to this state', names: intentsHere() }, { title: 'events', names: store.view.here.accepts.events }, { title: 'others', names: store.view.here.others }],
  take: name => { choose({ [store.view.here.accepts.events.includes(name) ? 'event' : 'intent']: name }); saying.focus(); },
});
meaning.field.addEventListener('input', () => { draft.intent = meaning.field.value.trim(); drawReady(); });
const ready = el('div', { class: 'ready', role: 'group', 'aria-label': 'What the state knows' });
const dataForm = el('div', { class: 'data-form', role: 'group', 'aria-label': 'Data that the turn brings' });
const moreForm = el('div', { class: 'data-form' });
const moreBox = el('details', { class: 'more' }, el('summary', {}, 'Mood'), moreForm);
const replyField = el('input', { type: 'text', 'aria-label': 'What the assistant says', placeholder: 'leave empty for no reply' });
const consentFields = ['read', 'write'].map(what => el('select', { 'data-consent': what, 'aria-label': `May data be ${what === 'read' ? 'read' : 'written'}` }, ['', 'yes', 'no'].map(answer => el('option', { value: answer }, answer || 'not said'))));
/** The inputs of a user who plays the assistant or its user. */
const consentBox = el('details', { class: 'more' }, el('summary', {}, 'Consent'), el('div', { class: 'data-form' },
  consentFields.map((field, at) => el('label', { class: 'slot' }, el('span', {}, at ? 'data may be written' : 'data may be read'), field))));
const replyBox = el('label', { class: 'slot reply', hidden: true }, el('span', {}, 'the assistant says'), replyField);
const reader = el('select', { id: 'reader', 'aria-label': 'Who reads what is said', title: 'Who reads what is said' });
const readerBox = el('label', { class: 'reader quiet' }, el('span', {}, 'recognizer '), reader);
const says = el('p', { id: 'composer-says', class: 'composer-says', role: 'status' });
const playButton = el('button', { type: 'submit', class: 'strong', title: 'Play the turn (enter)' }, 'Play');

const extras = el('div', { class: 'extras' }, replyBox, consentBox, dataForm, moreBox, readerBox);

/** The optional fields of a turn: name, label, conversion. */
const MOODS = [['tone', 'tone', String], ['frustration', 'frustration', Number], ['confidence', 'certainty from 0 to 1', Number], ['also', 'also meant', text => text.split(/[\s,]+/).filter(Boolean)]];

/** Selects the intent of the turn, or clears the selection. */
function choose(what) {
  Object.assign(draft, { intent: '', goto: '', event: '' }, what);
  meaning.field.value = draft.intent;
  says.textContent = '';
  drawReady();
}

/** Puts a line into the composer without running it. */
function compose(text) {
  choose({});
  saying.value = text;
  fitSaying();
  saying.focus();
}

function fitSaying() {
  saying.style.height = 'auto';
  saying.style.height = `${Math.min(76, saying.scrollHeight + 2)}px`;
}

/** The intents of the state, starting with those that trigger transitions. */
function intentsHere() {
  const { here } = store.view;
  const leading = new Set();
  for (const edge of graph.svg ? graph.svg.querySelectorAll('.edge.move') : []) {
    if (edge.dataset.from !== here.state) continue;
    for (const line of (edge.querySelector('title')?.textContent || '').split('\n')) leading.add(line.split(/\s/)[0]);
  }
  return [...here.intents.filter(name => leading.has(name)), ...here.intents.filter(name => !leading.has(name))];
}

/** The inputs with a shortcut key. */
function readyOnes() {
  const { here } = store.view;
  // In the consent state, the shortcuts answer both questions; the fields below separate reading and writing.
  if (here.accepts.consent_now) return [true, false].map(isGiven => ({ consent: isGiven }));
  const events = here.accepts.events.map(name => ({ event: name }));
  const moves = here.accepts.moves ? here.moves.map(move => ({ goto: move.target, condition: move.condition })) : [];
  const intents = intentsHere().map(name => ({ intent: name }));
  return (here.opening ? [...events, ...moves, ...intents] : [...moves, ...intents.slice(0, READY - Math.min(events.length, 3)), ...events]).slice(0, READY);
}

function drawReady() {
  const ones = readyOnes();
  const rest = store.view.here.intents.length + store.view.here.others.length - ones.filter(one => one.intent).length;
  ready.replaceChildren(...ones.map((one, at) => {
    if (one.consent !== undefined) {
      return el('button', { type: 'button', class: 'ready-one', title: `Plays it (${at + 1})`, on: { click: () => play({ consent: { read: one.consent, write: one.consent }, reply: '' }) } },
        el('span', { class: 'key', 'aria-hidden': 'true' }, at + 1), one.consent ? 'Yes: read and write' : 'No');
    }
    const [kind, name] = one.event ? ['event', one.event] : one.goto ? ['goto', one.goto] : ['intent', one.intent];
    const pressed = draft[kind] === name;
    const sign = { event: '⚡ ', goto: '→ ', intent: '' }[kind];
    return el('button', {
      type: 'button', class: `ready-one ${kind}`, 'aria-pressed': String(pressed), title: `${name}${one.condition ? `: ${one.condition}` : ''} (${at + 1}); twice plays it`,
      on: { click: () => pressed ? playDraft() : (choose({ [kind]: name }), playButton.focus()) },
    }, el('span', { class: 'key', 'aria-hidden': 'true' }, at + 1), sign, name);
  }), el('button', { type: 'button', class: 'more-ready', id: 'more-ready', 'data-rest': rest, on: { click: showMore } }));
  fitReady();
}

/** Lists all intents; without intents, shows all shortcuts. */
function showMore() {
  if (!meaning.box.hidden) {
    meaning.field.focus();
    return meaning.field.click();
  }
  for (const one of ready.children) one.hidden = one.id === 'more-ready';
  return ready.querySelector('.ready-one').focus();
}

/** Shows as many shortcuts as fit into the composer, and the number of the others. */
function fitReady() {
  const more = byId('more-ready');
  const ones = [...ready.querySelectorAll('.ready-one')];
  if (!more) return;
  // An empty row takes no space.
  ready.hidden = !ones.length && Number(more.dataset.rest) <= 0;
  const roomNow = () => innerHeight / 4 - 22 - [...byId('composer').children].filter(one => one !== ready).reduce((sum, one) => sum + (one.offsetHeight ? one.offsetHeight + 6 : 0), 0);
  // Rows of data are removed before the first row of shortcuts.
  for (const rows of [3, 2, 1]) {
    extras.style.maxHeight = `${30 * rows - 2}px`;
    if (roomNow() >= 24) break;
  }
  const room = roomNow();
  const allowed = 28 * Math.min(3, Math.max(1, Math.floor((room + 4) / 28)));
  for (const one of ones) one.hidden = false;
  for (let count = ones.length; ; count -= 1) {
    const left = Number(more.dataset.rest) + ones.length - count;
    more.textContent = ones.length ? `${left} more` : plural(left, 'intent');
    more.hidden = left <= 0;
    if (count <= 1 || ready.scrollHeight <= allowed) break;
    ones[count - 1].hidden = true;
  }
}

/** A field for a slot, with suggestions. */
function slotField(slot) {
  const list = slot.values.length ? el('datalist', { id: `values-${slot.name}` }, slot.values.map(value => el('option', { value: told(value) }))) : '';
  const field = el('input', {
    type: 'text', 'data-slot': slot.name, 'aria-label': `${slot.name}${slot.need === 'required' ? ', needed' : ''}`, spellcheck: 'false', list: list ? list.id : null,
    placeholder: slot.filled ? `now ${told(slot.value)}` : slot.need === 'required' ? 'needed' : '',
  });
  return el('label', { class: `slot ${slot.need}${slot.filled ? ' filled' : ''}` }, el('span', { class: 'mono', title: slot.name }, slot.name), field, list);
}

function drawForm() {
  const { here } = store.view;
  const kept = new Map([...dataForm.querySelectorAll('[data-slot]')].map(field => [field.dataset.slot, field.value]));
  const wanted = here.slots.filter(slot => slot.need === 'required');
  const rest = here.slots.filter(slot => slot.need !== 'required');
  const others = [...rest.filter(slot => slot.need !== 'other'), ...rest.filter(slot => slot.need === 'other')];
  const wasOpen = dataForm.querySelector('details')?.open;
  dataForm.replaceChildren(...wanted.map(slotField), others.length ? el('details', { class: 'more', open: wasOpen }, el('summary', {}, wanted.length ? `${others.length} more ${others.length === 1 ? 'slot' : 'slots'}` : `Data (${others.length})`), el('div', { class: 'data-form' }, others.map(slotField))) : '');
  for (const field of dataForm.querySelectorAll('[data-slot]')) field.value = kept.get(field.dataset.slot) || '';
  dataForm.hidden = !here.slots.length;
  moreBox.hidden = !here.accepts.intents;
  replyBox.hidden = !here.accepts.moves && !here.accepts.consent;
  consentBox.hidden = !here.accepts.consent;
  meaning.box.hidden = !here.accepts.intents;
  const names = ['nobody', ...store.view.can_ask.filter(name => name !== 'nobody')];
  readerBox.hidden = names.length < 2;
  reader.replaceChildren(...names.map(name => el('option', { value: name }, ({ bank: 'examples', nobody: 'none' })[name] || name)));
  reader.value = store.view.asks || 'nobody';
}

/** Parses a typed value: a number, a boolean or a list; otherwise text. */
function typed(text) {
  const plain = text.trim();
  if (/^(-?\d|true$|false$|null$|[[{"])/.test(plain)) {
    try { return JSON.parse(plain); } catch { /* text */ }
  }
  return plain;
}

function draftData() {
  const data = {};
  for (const field of dataForm.querySelectorAll('[data-slot]')) if (field.value.trim()) data[field.dataset.slot] = typed(field.value);
  return data;
}

/** The turn in the composer, or a complete line, or why it is invalid. */
function draftTurn() {
  const { here, asks } = store.view;
  const text = saying.value.trim();
  const data = draftData();
  const turn = {};
  const intents = [...here.intents, ...here.others];
  const chosen = draft.intent || draft.goto || draft.event;
  const isLine = (here.accepts.intents || here.accepts.moves) && !chosen && (intents.includes(text.split(/\s/)[0]) || /(^|\s)\/\s*\S/.test(text)
    || here.accepts.moves && graph.states.some(state => state.name === text));
  if (isLine && !Object.keys(data).length) return { line: text };
  if (isLine) return { why: 'Write the data into the line, too, or choose the intent in its field.' };
  if (text) turn.say = text;
  if (draft.intent) turn.intent = draft.intent;
  if (draft.goto) turn.goto = draft.goto;
  if (draft.event) turn.event = draft.event;
  if (Object.keys(data).length) {
    turn.data = data;
    // Data needs an informing intent: recognizers drop data without an intent.
    if (!chosen && here.informing) turn.intent = here.informing;
  }
  for (const field of moreForm.querySelectorAll('[data-mood]')) {
    if (field.value.trim()) turn[field.dataset.mood] = MOODS.find(([name]) => name === field.dataset.mood)[2](field.value.trim());
  }
  if (!replyBox.hidden && replyField.value.trim()) turn.reply = replyField.value.trim();
  const consent = Object.fromEntries(consentFields.filter(field => here.accepts.consent && field.value).map(field => [field.dataset.consent, field.value === 'yes']));
  if (Object.keys(consent).length) turn.consent = consent;
  // A single text can be a consent answer: the studio parses it.
  if (text && here.accepts.consent_now && Object.keys(turn).length === 1) return { line: text };
  if (!Object.keys(turn).length) return { why: here.accepts.moves ? 'Say something, or choose where to go.' : 'Say something, or choose what is meant.' };
  if (text && !chosen && !turn.intent && !asks && !here.accepts.text && !turn.reply && !turn.consent) return { ask: true };
  return { turn };
}

async function playDraft() {
  const made = draftTurn();
  if (made.ask) return askMeaning();
  if (made.why) return sayHere(made.why);
  await play(made.turn, made.line);
  return undefined;
}

/** Asks for the intent of a text without a recognizer: the user selects it, or enables the example classifier. */
function askMeaning() {
  const { here, can_ask: readers } = store.view;
  const reading = readers.find(name => name !== 'nobody');
  const read = async () => { if (await act('ask', { who: reading })) await playDraft(); };
  sayHere(here.accepts.moves ? 'Choose where the assistant goes, or write what it says.' : 'No recognizer is set: choose the intent.',
    ...reading ? [' ', el('button', { type: 'button', on: { click: read } }, reading === 'bank' ? 'Let the examples read it' : `Let ${reading} read it`)] : []);
  if (here.accepts.intents) meaning.field.focus();
}

/** Shows a message at the composer. */
function sayHere(...parts) {
  says.replaceChildren(...parts);
  fitReady();
}

/** Shows at the composer why a turn was rejected. Similar names are buttons that replace the wrong one. */
function refuse(error) {
  const told = whyRefused(error);
  const [parts, similar] = [told.split('`'), told.search(/similar|did you mean/i)];
  const wrong = parts[1];
  const take = name => {
    const at = saying.value.lastIndexOf(wrong);
    if (draft.intent === wrong || at < 0) choose({ intent: name });
    else {
      saying.value = saying.value.slice(0, at) + name + saying.value.slice(at + wrong.length);
      sayHere();
    }
    saying.focus();
  };
  let length = 0;
  sayHere(...parts.map((part, at) => {
    length += part.length + 1;
    if (at % 2 === 0) return shown(part);
    return similar >= 0 && length > similar ? el('button', { type: 'button', class: 'mono', on: { click: () => take(part) } }, part) : el('code', {}, part);
  }));
}

/** Runs a turn; on success the composer is cleared, on an error it stays. */
async function play(turn, text) {
  sayHere();
  playButton.disabled = true;
  const view = await act('play', text === undefined ? { turn } : { line: text }, refuse);
  playButton.disabled = false;
  if (!view) return;
  clearDraft();
  const last = store.moments.get(view.at);
  if (last) byId('live').textContent = shown(`Turn ${last.turn}. ${last.why}`);
  // After the end of the dialogue, keys are commands: `u` undoes the turn.
  if (view.here.final) saying.blur();
  else saying.focus();
}

function clearDraft() {
  for (const field of [saying, replyField, ...consentFields, ...byId('composer').querySelectorAll('[data-slot], [data-mood]')]) field.value = '';
  choose({});
  fitSaying();
}

moreForm.append(...MOODS.map(([name, about]) => el('label', { class: 'slot' }, el('span', {}, about), el('input', { type: 'text', 'data-mood': name }))));
byId('composer').append(ready, el('div', { class: 'say-row' }, saying, meaning.box, playButton), says, extras);
byId('composer').addEventListener('submit', event => { event.preventDefault(); playDraft(); });
saying.addEventListener('input', fitSaying);
saying.addEventListener('keydown', event => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  playDraft();
});
reader.addEventListener('change', () => act('ask', { who: reader.value }));

on('view', ({ was }) => {
  if (!was || was.here.state !== store.view.here.state || was.revision !== store.view.revision) choose({});
  drawForm();
  drawReady();
});
on('graph', drawReady);
new ResizeObserver(fitReady).observe(byId('pane-talk'));
