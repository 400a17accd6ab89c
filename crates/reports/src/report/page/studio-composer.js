// The next turn: utterance, intent and data.
'use strict';

/** The name that the server uses for no recognizer. */
const NO_READER = 'none';

/** The maximum number of intents of the state that are shown as buttons. */
const READY = 9;

const draft = { intent: '', goto: '', event: '' };

const saying = el('textarea', { id: 'say', rows: '1', ...T.say, spellcheck: 'false' });
const meaning = choice({
  id: 'intent', ...T.intent,
  groups: () => [{ title: T.known, names: intentsHere() }, { title: T.events, names: store.view.here.accepts.events }, { title: T.otherIntents, names: store.view.here.others }],
  take: name => { choose({ [store.view.here.accepts.events.includes(name) ? 'event' : 'intent']: name }); saying.focus(); },
});
meaning.field.addEventListener('input', () => { draft.intent = meaning.field.value.trim(); drawReady(); });
const ready = el('div.ready', { role: 'group', 'aria-label': T.inputs });
const dataForm = el('div.data-form', { role: 'group', 'aria-label': T.values });
const moreForm = el('div.data-form');
const moreBox = el('details.more', el('summary', T.mood), moreForm);
const replyField = el('input', { type: 'text', ...T.replyField });
const consentFields = ['read', 'write'].map((what, at) => el('select', { 'data-consent': what, 'aria-label': T.consents[at] }, Object.entries(T.answers).map(([value, text]) => el('option', { value }, text))));
/** The fields for the consent decisions of the user. */
const consentBox = el('details.more', el('summary', T.consent), el('div.data-form',
  consentFields.map((field, at) => el('label.slot', el('span', T.consents[at]), field))));
const replyBox = el('label.slot.reply', { hidden: true }, el('span', T.reply), replyField);
const reader = el('select', { id: 'reader', ...T.reader });
const readerBox = el('label.reader.quiet', el('span', T.readBy), reader);
const says = el('p.composer-says', { id: 'composer-says', role: 'status' });
const playButton = button(T.send, null, { type: 'submit', class: 'strong' });

const extras = el('div.extras', replyBox, consentBox, dataForm, moreBox, readerBox);

/** The conversions of the optional fields of a turn. */
const MOODS = { tone: String, frustration: Number, confidence: Number, also: text => text.split(/[\s,]+/).filter(Boolean) };

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

/** The intents of the state. Intents that trigger transitions come first. */
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
      return el('button.ready-one', { type: 'button', title: T.sendIt(at + 1), on: { click: () => play({ consent: { read: one.consent, write: one.consent }, reply: '' }) } },
        el('span.key', { 'aria-hidden': 'true' }, at + 1), one.consent ? T.yesBoth : T.noConsent);
    }
    const [kind, name] = one.event ? ['event', one.event] : one.goto ? ['goto', one.goto] : ['intent', one.intent];
    const pressed = draft[kind] === name;
    const sign = { event: '⚡ ', goto: '→ ', intent: '' }[kind];
    return el('button', {
      type: 'button', class: `ready-one ${kind}`, 'aria-pressed': String(pressed), title: T.again(name, one.condition, at + 1),
      on: { click: () => pressed ? playDraft() : (choose({ [kind]: name }), playButton.focus()) },
    }, el('span.key', { 'aria-hidden': 'true' }, at + 1), sign, name === 'resume' && store.view.here.returns_to ? `${name} (${store.view.here.returns_to[0]})` : name);
  }), el('button.more-ready', { type: 'button', id: 'more-ready', 'data-rest': rest, on: { click: showMore } }));
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

/** Shows as many shortcuts as fit into the composer, and the number of hidden ones. */
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
  const space = roomNow();
  const allowed = 28 * Math.min(3, Math.max(1, Math.floor((space + 4) / 28)));
  for (const one of ones) one.hidden = false;
  for (let count = ones.length; ; count -= 1) {
    const left = Number(more.dataset.rest) + ones.length - count;
    more.textContent = ones.length ? T.more(left) : T.intents(left);
    more.hidden = left <= 0;
    if (count <= 1 || ready.scrollHeight <= allowed) break;
    ones[count - 1].hidden = true;
  }
}

/** A field for a slot, with suggestions. */
function slotField(slot) {
  const list = slot.values.length ? el('datalist', { id: `values-${slot.name}` }, slot.values.map(value => el('option', { value: asText(value) }))) : '';
  const field = textField({
    'data-slot': slot.name, 'aria-label': `${slot.name}${slot.need === 'required' ? `, ${T.required}` : ''}`, list: list ? list.id : null,
    placeholder: slot.filled ? T.now(asText(slot.value)) : slot.need === 'required' ? T.required : '',
  });
  return el('label', { class: `slot ${slot.need}${slot.filled ? ' filled' : ''}` }, el('span.mono', { title: slot.name }, slot.name), field, list);
}

function drawForm() {
  const { here } = store.view;
  const kept = new Map([...dataForm.querySelectorAll('[data-slot]')].map(field => [field.dataset.slot, field.value]));
  const wanted = here.slots.filter(slot => slot.need === 'required');
  const rest = here.slots.filter(slot => slot.need !== 'required');
  const others = [...rest.filter(slot => slot.need !== 'other'), ...rest.filter(slot => slot.need === 'other')];
  const wasOpen = dataForm.querySelector('details')?.open;
  dataForm.replaceChildren(...wanted.map(slotField), others.length ? el('details.more', { open: wasOpen }, el('summary', wanted.length ? T.moreSlots(others.length) : T.dataCount(others.length)), el('div.data-form', others.map(slotField))) : '');
  for (const field of dataForm.querySelectorAll('[data-slot]')) field.value = kept.get(field.dataset.slot) || '';
  dataForm.hidden = !here.slots.length;
  moreBox.hidden = !here.accepts.intents;
  replyBox.hidden = !here.accepts.moves && !here.accepts.consent;
  consentBox.hidden = !here.accepts.consent;
  meaning.box.hidden = !here.accepts.intents;
  const names = store.view.can_ask;
  readerBox.hidden = names.length < 2;
  reader.replaceChildren(...names.map(name => el('option', { value: name }, name === NO_READER ? T.none : name)));
  reader.value = store.view.asks || NO_READER;
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
  if (isLine) return { why: T.dataInLine };
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
    if (field.value.trim()) turn[field.dataset.mood] = MOODS[field.dataset.mood](field.value.trim());
  }
  if (!replyBox.hidden && replyField.value.trim()) turn.reply = replyField.value.trim();
  const consent = Object.fromEntries(consentFields.filter(field => here.accepts.consent && field.value).map(field => [field.dataset.consent, field.value === 'yes']));
  if (Object.keys(consent).length) turn.consent = consent;
  // A text without other inputs can be a consent answer, which the studio parses.
  if (text && here.accepts.consent_now && Object.keys(turn).length === 1) return { line: text };
  if (!Object.keys(turn).length) return { why: here.accepts.moves ? T.chooseState : T.chooseIntent };
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
  const { here, can_ask: readers, examples } = store.view;
  const reading = readers.find(name => name !== NO_READER);
  const read = async () => { if (await act('ask', { who: reading })) await playDraft(); };
  if (examples && !reading) sayHere(T.noExamples, el('pre', examples));
  else sayHere(here.accepts.moves ? T.chooseState : T.noReader,
    ...reading ? [' ', button(reading === 'examples' ? T.useExamples : T.use(reading), read)] : []);
  if (here.accepts.intents) meaning.field.focus();
  return undefined;
}

/** Shows a message at the composer. */
function sayHere(...parts) {
  says.replaceChildren(...parts);
  fitReady();
}

/** Shows at the composer why a turn was rejected. Similar names are buttons that replace the wrong one. */
function refuse(error) {
  const message = whyRefused(error);
  const [parts, similar] = [message.split('`'), message.search(/similar/i)];
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
    return similar >= 0 && length > similar ? button(part, () => take(part), { class: 'mono' }) : el('code', part);
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
  if (last) announce(`${T.turn(last.turn)}. ${last.why}`);
  // After the end of the dialogue, keys are commands: `u` undoes the turn.
  if (view.here.final) saying.blur();
  else saying.focus();
}

function clearDraft() {
  for (const field of [saying, replyField, ...consentFields, ...byId('composer').querySelectorAll('[data-slot], [data-mood]')]) field.value = '';
  choose({});
  fitSaying();
}

moreForm.append(...Object.entries(T.moods).map(([name, about]) => el('label.slot', el('span', about), el('input', { type: 'text', 'data-mood': name }))));
byId('composer').append(ready, el('div.say-row', saying, meaning.box, playButton), says, extras);
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
