// Shared code of all pages: elements and diagrams.
'use strict';

/** The maximum length of a name that stays on one line. */
const LONG_NAME = 16;

/** Creates an element, as `el('p.quiet', {title: 'A'}, 'B')`; the attributes are optional. Text is inserted as text, never as HTML. */
function el(name, ...children) {
  const [tag, ...classes] = name.split('.');
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(' ');
  for (const [key, value] of Object.entries(children[0]?.constructor === Object ? children.shift() : {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'class') made.className = value;
    else if (key === 'on') for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else made.setAttribute(key, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === '') continue;
    made.append(child instanceof Node ? child : shown(String(child)));
  }
  return made;
}

/** Creates a button; `text` is its label, or its label and its tooltip. */
function button(text, click, options) {
  const [label, title] = [text].flat();
  return el('button', { type: 'button', title, ...options, on: { click } }, label);
}

/** Creates a form. */
function form(name, submit, ...children) {
  return el(name, { on: { submit: event => { event.preventDefault(); submit(); } } }, children);
}

/** Secondary text in a line. */
function quiet(...content) { return el('span.quiet', content); }

/** Replaces invisible and text-direction characters with visible escapes. */
function shown(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '\ufffd');
}

function byId(id) { return document.getElementById(id); }

/** Groups the items of a list by a key, as `[key, items]`, in list order. */
function grouped(list, keyOf) {
  const parts = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key).push(one);
  }
  return [...parts];
}

/** Whether two values are equal, in any order of keys. */
function same(one, other) {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every(key => Object.hasOwn(other, key) && same(one[key], other[key]));
}

// Diagrams of models.

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element. */
function drawn(name, options, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(options)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The diagram of a model, or null. */
function pictureOf(model) {
  const kept = [...document.querySelectorAll('template.graph-of')].find(one => one.dataset.model === model);
  const svg = kept && kept.content.querySelector('svg');
  return svg ? document.importNode(svg, true) : null;
}

/** The element of a state in a diagram. */
function nodeOf(svg, state) {
  return [...svg.querySelectorAll('.node')].find(node =>
    node.dataset.state === state || (node.dataset.members || '').split('\n').includes(state));
}

function edgesOf(svg, from, to) { return [...svg.querySelectorAll('.edge')].filter(({ dataset }) => dataset.from === from && dataset.to === to); }
function portsOf(svg, to) { return [...svg.querySelectorAll('.port')].filter(({ dataset }) => dataset.to === to); }

/** The parts of a diagram on the path of turns `{from, to}`: nodes with their turn numbers (`turn`, or list positions), and transitions. */
function passedBy(svg, moves) {
  const nodes = new Map();
  const edges = new Set();
  const visit = (state, number) => {
    const node = nodeOf(svg, state);
    if (!node) return null;
    nodes.set(node, [...(nodes.get(node) || []), ...(number ? [number] : [])]);
    return node.dataset.state;
  };
  moves.forEach(({ from, to, path, turn }, place) => {
    const number = turn || place + 1;
    const stops = [from, ...(path || []).filter(state => state !== from && state !== to), to];
    const names = stops.map((state, at) => visit(state, at ? number : 0));
    for (let at = 1; at < names.length; at += 1) {
      const found = edgesOf(svg, names[at - 1], names[at]);
      // Shared transitions from many states are drawn as one stub.
      const passed = found.length || names[at] === names[at - 1] ? found : portsOf(svg, names[at]);
      for (const edge of passed) edges.add(edge);
    }
  });
  return { nodes, edges };
}

/** Draws the path of turns into a diagram: highlights its parts and adds the turn numbers. */
function drawPath(svg, moves) {
  const { nodes, edges } = passedBy(svg, moves);
  for (const part of [...nodes.keys(), ...edges]) part.classList.add('on');
  for (const [node, numbers] of nodes) if (numbers.length) addSteps(node, numbers);
}

/** Draws the paths of two dialogues into a diagram. Each part has the color of its side, or of both. */
function drawPaths(svg, a, b) {
  const [one, other] = [a, b].map(moves => { const { nodes, edges } = passedBy(svg, moves); return new Set([...nodes.keys(), ...edges]); });
  for (const part of new Set([...one, ...other])) part.classList.add(!other.has(part) ? 'a' : one.has(part) ? 'both' : 'b');
}

function addSteps(node, numbers) {
  const shape = node.querySelector('.shape').getBBox ? node.querySelector('.shape') : node;
  const box = shape.getBBox();
  const runs = [];
  for (const number of numbers) {
    const last = runs[runs.length - 1];
    if (last && last[1] + 1 >= number) last[1] = number;
    else runs.push([number, number]);
  }
  const text = runs.map(([first, last]) => first === last ? `${first}` : `${first}–${last}`).join(', ');
  const width = 6.5 * text.length + 10;
  const right = box.x + box.width + 8;
  // The box of several states has text in this corner.
  const top = box.y - (node.dataset.members ? 18 : 8);
  node.append(drawn('g', { class: 'step' }, drawn('rect', { x: right - width, y: top, width, height: 16, rx: 8 }), drawn('text', { x: right - width / 2, y: top + 12, 'text-anchor': 'middle' }, text)));
}

/** The class with the phase color of a state in the diagram. */
function colorOf(svg, state) {
  const node = svg && nodeOf(svg, state);
  return node ? [...node.classList].find(name => /^c\d$/.test(name)) || '' : '';
}

/** The name of a state; hovering highlights all its occurrences. */
function stateName(name, svg) {
  return el('span', { class: `state ${colorOf(svg, name)}`, 'data-state': name }, breakable(name));
}

/** Lets long names break only after `_` and `/`. */
function breakable(text) {
  if (String(text).length <= LONG_NAME) return [String(text)];
  return String(text).split(/(?<=[_/])/).flatMap((part, at) => at ? [el('wbr'), part] : [part]);
}

document.addEventListener('mouseover', event => light(event.target));
document.addEventListener('focusin', event => light(event.target));

function light(target) {
  const over = target instanceof Element ? target.closest('[data-state]') : null;
  document.querySelectorAll('.lit').forEach(one => one.classList.remove('lit'));
  if (!over) return;
  const name = over.dataset.state;
  document.querySelectorAll('[data-state]').forEach(one => one.classList.toggle('lit', one.dataset.state === name || (one.dataset.members || '').split('\n').includes(name)));
}

/** Makes a diagram zoomable and keeps its center in place; `report` receives each scale. */
function zoomable(box, svg, report) {
  const [width, height] = ['width', 'height'].map(side => Number(svg.getAttribute(side)));
  /** The scale at which the complete diagram is visible. */
  const whole = () => Math.min(1, box.clientWidth / width, box.clientHeight / height);
  const zoom = { scale: 1, whole, isWhole: () => zoom.scale === whole() };
  zoom.show = to => {
    const [x, y] = [(box.scrollLeft + box.clientWidth / 2) / zoom.scale, (box.scrollTop + box.clientHeight / 2) / zoom.scale];
    zoom.scale = Math.min(4, Math.max(0.1, to));
    svg.setAttribute('width', width * zoom.scale);
    svg.setAttribute('height', height * zoom.scale);
    box.scrollTo(x * zoom.scale - box.clientWidth / 2, y * zoom.scale - box.clientHeight / 2);
    report(zoom);
  };
  return zoom;
}
