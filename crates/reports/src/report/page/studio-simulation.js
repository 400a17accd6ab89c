// Simulation: many dialogues with simulated users, their progress and endings, and each dialogue in detail.
'use strict';

const BUILT_IN = ['cooperative', 'reluctant', 'wandering'];
const OPEN_ENDS = new Set(['abandoned', 'looped', 'turn limit', 'unanswered']);
const simulated = { asked: null, result: null };

const personaBoxes = BUILT_IN.map(name => el('input', { type: 'checkbox', value: name, checked: true }));
const otherPersonas = textField(T.otherNames);
const dialoguesField = el('input', { type: 'number', min: '1', max: '10000', value: '200', required: true });
const seedField = el('input', { type: 'number', min: '0', value: '0', required: true });
const simulateButton = button(T.simulate, null, { type: 'submit', class: 'strong' });
const simulateSays = el('p.quiet', { role: 'status' });
const simulationList = el('div');
const simulationOne = el('div', { hidden: true });
byId('simulation').append(
  el('h2.unseen', T.simulation),
  form('form.simulate', simulate,
    el('fieldset', el('legend', T.personas), personaBoxes.map(box => el('label.check', box, box.value)), el('label.check', T.others, otherPersonas)),
    labeled(T.perPersona, dialoguesField), labeled(T.seed, seedField), simulateButton),
  simulateSays, simulationList, simulationOne);

async function simulate() {
  const personas = [...personaBoxes.filter(box => box.checked).map(box => box.value), ...otherPersonas.value.split(/[\s,]+/).filter(Boolean)];
  const asked = { personas, dialogues: Number(dialoguesField.value), seed: Number(seedField.value) };
  simulateButton.disabled = true;
  simulateSays.textContent = T.simulating(asked.dialogues);
  const began = performance.now();
  try {
    simulated.result = await ask('simulate', asked);
    simulated.asked = asked;
    const all = simulated.result.personas.reduce((sum, one) => sum + one.dialogues, 0);
    const seconds = (performance.now() - began) / 1000;
    simulateSays.textContent = T.simulated(all, seconds < 0.1 ? '< 0.1' : seconds.toFixed(1));
    simulationOne.hidden = true;
    simulationList.hidden = false;
    simulationList.replaceChildren(...simulated.result.personas.map(personaPart));
  } catch (error) {
    simulateSays.textContent = '';
    complain(error);
  }
  simulateButton.disabled = false;
}

function endName({ how, state }) { return how === 'finished' ? state : how === 'others' ? T.otherEnds : state ? T.endIn(how, state) : how; }
function percent(part, all) { return all ? `${Math.round(100 * part / all)} %` : ''; }

/** A bar of segments, each with a class. */
function stack(parts, all, label) {
  let x = 0;
  return drawn('svg', { class: 'stack', viewBox: '0 0 1000 14', preserveAspectRatio: 'none', ...label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' } }, ...parts.map(({ count, name, of, group }) => {
    const width = all ? 1000 * count / all : 0;
    x += width;
    return drawn('g', { class: group || '' }, drawn('rect', { x: (x - width).toFixed(1), width: width.toFixed(1), height: 14, class: of }, drawn('title', {}, name)));
  }));
}

/** The color of a segment in the legend. */
function legendKey(part) {
  const key = stack([{ ...part, count: 1, name: '' }], 1);
  key.setAttribute('class', 'key');
  return key;
}

function scrolled(...parts) { return el('div.scrolls', { tabindex: '0', role: 'region', 'aria-label': T.table }, el('table.funnel', parts)); }

function personaPart(persona) {
  const all = persona.dialogues;
  const phases = persona.funnel.filter(phase => phase.phase);
  const funnel = phases.length ? [...phases, ...persona.funnel.filter(phase => !phase.phase)] : [];
  const ends = [...persona.ends].sort((one, other) => other.dialogues - one.dialogues);
  // The largest segments are shown separately, the others as one.
  const rest = ends.splice(ends.length > 7 ? 6 : 7);
  if (rest.length) ends.push({ how: 'others', dialogues: rest.reduce((sum, end) => sum + end.dialogues, 0) });
  const shades = { open: 0, end: 0, others: 0 };
  const parts = ends.map(end => {
    const of = end.how === 'others' ? 'others' : OPEN_ENDS.has(end.how) ? 'open' : 'end';
    return { count: end.dialogues, name: `${endName(end)}: ${percent(end.dialogues, all)}`, of, group: `${of[0]}${Math.min(shades[of]++, 5)}` };
  });
  const labels = ends.map(end => {
    const label = el('span', end.dialogues >= all / 8 ? endName(end) : '');
    label.style.flex = end.dialogues;
    return label;
  });
  return el('section', el('h2', persona.name), persona.about ? el('p.quiet', persona.about) : '',
    el('p.facts', el('span', T.dialogues(all)), el('span', T.meanTurns(persona.turns.mean.toFixed(1))), el('span', T.p90(persona.turns.p90))),
    el('div.ends.quiet', { 'aria-hidden': 'true' }, labels), stack(parts, all, T.outcomes),
    el('p.legend-line', ends.map((end, at) => el('span', { class: OPEN_ENDS.has(end.how) ? 'is-open' : '' }, legendKey(parts[at]), OPEN_ENDS.has(end.how) ? ' ✕ ' : ' ', endName(end), ' ', el('b', percent(end.dialogues, all)), quiet(` ${end.dialogues}`)))),
    funnel.length ? [el('h3', T.funnel), scrolled(
      el('thead', el('tr', T.funnelColumns.map(title => el(title ? 'th' : 'td', title)))),
      el('tbody', funnel.map((phase, at) => el('tr', { class: phaseColor(phase.phase, at) }, el('th.wrap', { scope: 'row' }, phase.phase || T.noPhase),
        el('td.wide', stack([{ count: phase.dialogues, name: phase.phase, of: 'end' }, { count: all - phase.dialogues, name: '', of: 'rest' }], all)),
        el('td.number', phase.dialogues, ' ', quiet(percent(phase.dialogues, all))),
        el('td.quiet.wrap', phase.ends.map(end => `${endName(end)} ${end.dialogues}`).join(', '))))))] : '',
    persona.causes.length ? [el('h3', T.outcomesBy), scrolled(
      el('thead', el('tr', T.endColumns.map((title, at) => el('th', { class: at === 4 ? 'number' : '' }, title)))),
      el('tbody', persona.causes.map(cause => el('tr', el('td', { class: OPEN_ENDS.has(cause.how) ? 'is-open' : '' }, OPEN_ENDS.has(cause.how) ? '✕ ' : '', cause.how), el('td.wrap', stateName(cause.state || '', graph.svg)), el('td', (cause.why || '').replace(/_/g, ' ')),
        el('td.quiet.wrap', T.lastTurn(cause.intent, cause.action)), el('td.number', cause.dialogues),
        el('td', button([`${persona.name}:${cause.first}`, T.show[1]], () => showDialogue(persona.name, cause.first), { 'data-show': '' }))))))] : '',
    numberForm(persona));
}

/** A form for the number of a dialogue. */
function numberForm(persona) {
  const field = el('input', { type: 'number', min: '1', max: String(persona.dialogues), value: '1', required: true, 'aria-label': T.numberOf(persona.name) });
  return form('form.tools', () => showDialogue(persona.name, Number(field.value)), quiet(T.number), field, button(T.show, null, { type: 'submit' }));
}

/** The color of a phase in the diagram. */
function phaseColor(phase, at) {
  if (!phase) return 'no-phase';
  const drawn = graph.svg && [...graph.svg.querySelectorAll('.phase')].find(one => one.dataset.phase === phase);
  return (drawn && [...drawn.classList].find(name => /^c\d$/.test(name))) || `c${at % 8}`;
}

async function showDialogue(persona, number) {
  const which = { persona, number, seed: simulated.asked.seed, dialogues: simulated.asked.dialogues };
  try {
    const { turns } = await ask('simulate/show', which);
    const side = el('div.side-pane.inspector');
    const list = el('ol.talk');
    const choose = at => {
      list.querySelectorAll('.turn').forEach((item, place) => item.classList.toggle('now', place === at));
      side.replaceChildren(...inspector(turns, at));
    };
    list.append(...turns.map((turn, at) => turnItem(turn, at, graph.svg, { choose: () => choose(at) })));
    simulationOne.replaceChildren(el('div.crumbs', button(T.allDialogues, closeDialogue, { class: 'back' }), el('h2', { tabindex: '-1' }, `${persona}:${number}`),
      button(T.openIn, async () => { if (await act('simulate/open', which)) showView('dialogue'); }, { id: 'open-simulated', class: 'strong' })),
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
  // The results belong to the previous model.
  Object.assign(simulated, { asked: null, result: null });
  simulationList.replaceChildren();
  simulateSays.textContent = '';
  closeDialogue();
});
