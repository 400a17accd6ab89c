// Simulation: many dialogues with simulated users, their progress and endings, and each dialogue in detail.
'use strict';

const BUILT_IN = ['cooperative', 'reluctant', 'wandering'];
const OPEN_ENDS = new Set(['left', 'loop', 'never ends', 'unanswered']);
const simulated = { asked: null, told: null };

const personaBoxes = BUILT_IN.map(name => el('input', { type: 'checkbox', value: name, checked: true }));
const otherPersonas = el('input', { type: 'text', spellcheck: 'false', placeholder: 'names', title: 'Personas of the project, by name' });
const dialoguesField = el('input', { type: 'number', min: '1', max: '10000', value: '200', required: true });
const seedField = el('input', { type: 'number', min: '0', value: '0', required: true });
const simulateButton = el('button', { class: 'strong', title: 'Play the dialogues (R)' }, 'Simulate');
const simulateSays = el('p', { class: 'quiet', role: 'status' });
const simulationList = el('div', {});
const simulationOne = el('div', { hidden: true });
byId('simulation').append(
  el('h2', { class: 'unseen' }, 'Simulation'),
  el('form', { class: 'simulate', on: { submit: event => { event.preventDefault(); simulate(); } } },
    el('fieldset', {}, el('legend', {}, 'Users'), personaBoxes.map(box => el('label', { class: 'check' }, box, box.value)), el('label', { class: 'check' }, 'other types ', otherPersonas)),
    labelled('Dialogues per user type', dialoguesField), labelled('Seed', seedField), simulateButton),
  simulateSays, simulationList, simulationOne);

async function simulate() {
  const personas = [...personaBoxes.filter(box => box.checked).map(box => box.value), ...otherPersonas.value.split(/[\s,]+/).filter(Boolean)];
  const asked = { personas, dialogues: Number(dialoguesField.value), seed: Number(seedField.value) };
  simulateButton.disabled = true;
  simulateSays.textContent = `Playing ${asked.dialogues} dialogues per user type …`;
  const began = performance.now();
  try {
    simulated.told = await ask('simulate', asked);
    simulated.asked = asked;
    const all = simulated.told.personas.reduce((sum, one) => sum + one.dialogues, 0);
    const seconds = (performance.now() - began) / 1000;
    simulateSays.textContent = `${plural(all, 'dialogue')} in ${seconds < 0.1 ? '< 0.1' : seconds.toFixed(1)} s`;
    simulationOne.hidden = true;
    simulationList.hidden = false;
    simulationList.replaceChildren(...simulated.told.personas.map(personaPart));
  } catch (error) {
    simulateSays.textContent = '';
    complain(error);
  }
  simulateButton.disabled = false;
}

function endName(end) { return end.how === 'finished' ? end.state : `${end.how}${end.state ? ` in ${end.state}` : ''}`; }
function percent(part, all) { return all ? `${Math.round(100 * part / all)} %` : ''; }

/** A bar of parts, each with a class. */
function stack(parts, all, label) {
  let x = 0;
  return drawn('svg', { class: 'stack', viewBox: '0 0 1000 14', preserveAspectRatio: 'none', ...label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' } }, ...parts.map(({ count, name, of, group }) => {
    const width = all ? 1000 * count / all : 0;
    x += width;
    return drawn('g', { class: group || '' }, drawn('rect', { x: (x - width).toFixed(1), width: width.toFixed(1), height: 14, class: of }, drawn('title', {}, name)));
  }));
}

/** The color of a part in the legend. */
function legendKey(part) {
  const key = stack([{ ...part, count: 1, name: '' }], 1);
  key.setAttribute('class', 'key');
  return key;
}

function scrolled(...parts) { return el('div', { class: 'scrolls', tabindex: '0', role: 'region', 'aria-label': 'Table' }, el('table', { class: 'funnel' }, parts)); }

function personaPart(persona) {
  const all = persona.dialogues;
  const phases = persona.funnel.filter(phase => phase.phase);
  const funnel = phases.length ? [...phases, ...persona.funnel.filter(phase => !phase.phase)] : [];
  const ends = [...persona.ends].sort((one, other) => other.dialogues - one.dialogues);
  // The largest parts are shown separately, the rest as one.
  const rest = ends.splice(ends.length > 7 ? 6 : 7);
  if (rest.length) ends.push({ how: 'others', dialogues: rest.reduce((sum, end) => sum + end.dialogues, 0) });
  const shades = { open: 0, end: 0, others: 0 };
  const parts = ends.map(end => {
    const of = end.how === 'others' ? 'others' : OPEN_ENDS.has(end.how) ? 'open' : 'end';
    return { count: end.dialogues, name: `${endName(end)}: ${percent(end.dialogues, all)}`, of, group: `${of[0]}${Math.min(shades[of]++, 5)}` };
  });
  const labels = ends.map(end => {
    const label = el('span', {}, end.dialogues >= all / 8 ? endName(end) : '');
    label.style.flex = end.dialogues;
    return label;
  });
  return el('section', {}, el('h2', {}, persona.name), persona.about ? el('p', { class: 'quiet' }, persona.about) : '',
    el('p', { class: 'facts' }, el('span', {}, plural(all, 'dialogue')), el('span', {}, `${persona.turns.mean.toFixed(1)} turns on average`), el('span', {}, `90% end within ${plural(persona.turns.p90, 'turn')}`)),
    el('div', { class: 'ends quiet', 'aria-hidden': 'true' }, labels), stack(parts, all, 'How dialogues end'),
    el('p', { class: 'legend-line' }, ends.map((end, at) => el('span', { class: OPEN_ENDS.has(end.how) ? 'is-open' : '' }, legendKey(parts[at]), OPEN_ENDS.has(end.how) ? ' ✕ ' : ' ', endName(end), ' ', el('b', {}, percent(end.dialogues, all)), el('span', { class: 'quiet' }, ` ${end.dialogues}`)))),
    funnel.length ? [el('h3', {}, 'Funnel by phase, and where dialogues end'), scrolled(
      el('thead', {}, el('tr', {}, ['phase', 'dialogues in the phase', '', 'ended there'].map(title => el(title ? 'th' : 'td', {}, title)))),
      el('tbody', {}, funnel.map((phase, at) => el('tr', { class: phaseColour(phase.phase, at) }, el('th', { scope: 'row', class: 'wrap' }, phase.phase || 'never entered a phase'),
        el('td', { class: 'wide' }, stack([{ count: phase.dialogues, name: phase.phase, of: 'end' }, { count: all - phase.dialogues, name: '', of: 'rest' }], all)),
        el('td', { class: 'number' }, phase.dialogues, ' ', el('span', { class: 'quiet' }, percent(phase.dialogues, all))),
        el('td', { class: 'quiet wrap' }, phase.ends.map(end => `${endName(end)} ${end.dialogues}`).join(', '))))))] : '',
    persona.causes.length ? [el('h3', {}, 'Outcomes, with an example'), scrolled(
      el('thead', {}, el('tr', {}, ['outcome', 'state', 'reason', 'last turn', 'dialogues', 'example'].map(title => el('th', { class: title === 'dialogues' ? 'number' : '' }, title)))),
      el('tbody', {}, persona.causes.map(cause => el('tr', {}, el('td', { class: OPEN_ENDS.has(cause.how) ? 'is-open' : '' }, OPEN_ENDS.has(cause.how) ? '✕ ' : '', cause.how), el('td', { class: 'wrap' }, stateName(cause.state || '', graph.svg)), el('td', {}, (cause.why || '').replace(/_/g, ' ')),
        el('td', { class: 'quiet wrap' }, `${cause.intent || 'what was said'} → ${cause.action || 'nothing'}`), el('td', { class: 'number' }, cause.dialogues),
        el('td', {}, el('button', { type: 'button', 'data-show': `${persona.name}:${cause.first}`, title: 'Look into the dialogue (enter)', on: { click: () => showDialogue(persona.name, cause.first) } }, `${persona.name}:${cause.first}`))))))] : '',
    numberForm(persona));
}

/** A form for the number of a dialogue. */
function numberForm(persona) {
  const field = el('input', { type: 'number', min: '1', max: String(persona.dialogues), value: '1', required: true, 'aria-label': `Number of a dialogue of ${persona.name}` });
  return el('form', { class: 'tools', on: { submit: event => { event.preventDefault(); showDialogue(persona.name, Number(field.value)); } } }, el('span', { class: 'quiet' }, 'Show dialogue no.'), field, el('button', { title: 'Look into the dialogue' }, 'Show'));
}

/** The color of a phase in the diagram. */
function phaseColour(phase, at) {
  if (!phase) return 'no-phase';
  const drawn = graph.svg && [...graph.svg.querySelectorAll('.phase')].find(one => one.dataset.phase === phase);
  return (drawn && [...drawn.classList].find(name => /^c\d$/.test(name))) || `c${at % 8}`;
}

async function showDialogue(persona, number) {
  const which = { persona, number, seed: simulated.asked.seed, dialogues: simulated.asked.dialogues };
  try {
    const { turns } = await ask('simulate/show', which);
    const side = el('div', { class: 'beside inspector' });
    const list = el('ol', { class: 'talk' });
    const choose = at => {
      list.querySelectorAll('.turn').forEach((item, place) => item.classList.toggle('now', place === at));
      side.replaceChildren(...inspector(turns[at], at, { before: at > 0 ? turns[at - 1].data || {} : {} }));
    };
    list.append(...turns.map((turn, at) => turnItem(turn, at, graph.svg, { choose: () => choose(at) })));
    simulationOne.replaceChildren(el('div', { class: 'crumbs' }, el('button', { type: 'button', class: 'back', title: 'Back to all (esc)', on: { click: closeDialogue } }, '← All'), el('h2', { tabindex: '-1' }, `${persona}:${number}`),
      el('button', { type: 'button', class: 'strong', id: 'open-simulated', title: 'Plays it in the dialogue, on a branch of its own (o)', on: { click: async () => { if (await act('simulate/open', which)) showView('dialogue'); } } }, 'Open in the dialogue')),
    split(list, side));
    simulationOne.hidden = false;
    simulationList.hidden = true;
    byId('simulation').scrollTop = 0;
    if (turns.length) choose(turns.length - 1);
    list.lastElementChild?.scrollIntoView({ block: 'nearest' });
    simulationOne.querySelector('h2').focus({ preventScroll: true });
  } catch (error) { complain(error); }
}

function closeDialogue() {
  simulationOne.hidden = true;
  simulationList.hidden = false;
}

on('view', ({ fresh }) => {
  if (!fresh) return;
  // There is no simulation of another model.
  Object.assign(simulated, { asked: null, told: null });
  simulationList.replaceChildren();
  simulateSays.textContent = '';
  closeDialogue();
});
