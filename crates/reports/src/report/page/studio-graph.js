// The diagram of the model: the current state, the path to it, and the details of a state.
'use strict';

/** The number of recent turns that are drawn into the diagram. */
const DRAWN_TURNS = 40;

/** Below this scale the labels are unreadable. */
const READABLE = 0.75;

/** The minimum scale for showing both states of a turn. */
const FARTHEST = 0.4;

/** `isFree`: the user has selected the scale, so the diagram is not fitted automatically. */
const graph = { svg: null, zoom: null, revision: null, overlay: 'none', direction: '', pane: '', isFree: false, states: [], state: null };

/** The allowed attributes of SVG elements except `data-…`: none of them loads anything. */
const DRAWN = new Set(['class', 'cx', 'cy', 'd', 'dx', 'dy', 'height', 'points', 'r', 'role', 'rx', 'ry', 'text-anchor', 'transform', 'viewBox', 'width', 'x', 'x1', 'x2', 'xmlns', 'y', 'y1', 'y2']);

/** Returns a sanitized SVG, or null if it contains anything else: its text comes from files. */
function safePicture(text) {
  const read = new DOMParser().parseFromString(text, 'image/svg+xml');
  const svg = read.documentElement;
  if (svg.localName !== 'svg' || svg.namespaceURI !== SVG || read.querySelector('parsererror')) return null;
  const plain = new Set(['svg', 'g', 'path', 'rect', 'circle', 'ellipse', 'line', 'polygon', 'polyline', 'text', 'tspan', 'title', 'desc']);
  for (const part of [svg, ...svg.querySelectorAll('*')]) {
    if (part.namespaceURI !== SVG || !plain.has(part.localName)) return null;
    for (const { name, value } of part.attributes) {
      if (!DRAWN.has(name) && !/^(data|aria)-[a-z]+$/.test(name)) return null;
      // State names are only in `data-…`, where they load nothing.
      if (DRAWN.has(name) && /url\(|javascript:/i.test(value)) return null;
    }
  }
  return document.importNode(svg, true);
}

/** Transitions lead down if the pane is tall. If it is nearly square, the direction stays. */
function wantedDirection() {
  const { clientWidth, clientHeight } = byId('picture');
  const ratio = clientHeight / clientWidth;
  if (!clientWidth) return graph.direction;
  if (innerWidth < 700) return 'down';
  const pane = `${byId('pane-graph').clientWidth} ${byId('pane-graph').clientHeight}`;
  if (pane === graph.pane && ratio < 1.15 && ratio > 0.87) return graph.direction;
  graph.pane = pane;
  return ratio > 1 ? 'down' : 'right';
}

async function fetchGraph(direction = wantedDirection()) {
  const overlay = byId('overlay').value;
  try {
    const found = await ask('graph', { overlay, all: false, direction: direction || 'right' });
    graph.direction = direction;
    graph.states = found.states;
    graph.revision = found.revision;
    graph.overlay = overlay;
    byId('about').textContent = shown(found.about || '');
    const svg = safePicture(found.svg);
    if (!svg) throw new Refusal(T.unsafe);
    const { scale } = graph.zoom || { scale: 1 };
    graph.svg = svg;
    byId('picture').replaceChildren(svg);
    graph.zoom = zoomable(byId('picture'), svg, zoom => {
      byId('fit').setAttribute('aria-pressed', zoom.isWhole());
      pinPhases();
    });
    if (graph.isFree) graph.zoom.show(scale);
    for (const node of svg.querySelectorAll('.node')) {
      node.setAttribute('tabindex', '-1');
      node.setAttribute('role', 'button');
      node.setAttribute('aria-label', T.state(node.dataset.state));
    }
    svg.removeAttribute('role');
    emit('graph', {});
  } catch (error) {
    if (overlay !== 'none' && graph.svg) byId('overlay').value = graph.overlay;
    else byId('picture').replaceChildren(el('p.note', T.noDiagram(error.message)));
    complain(error);
  }
}

/** Keeps the name of each phase at the top left of its visible part. */
function pinPhases() {
  const { scrollLeft, scrollTop } = byId('picture');
  for (const phase of graph.svg?.querySelectorAll('.phase:has(text)') || []) {
    const band = phase.querySelector('rect').getBBox();
    const lines = [...phase.querySelectorAll('text')].map(line => [line, line.getBBox()]);
    const [first, last] = [lines[0][1], lines.at(-1)[1]];
    const put = (seen, begin, size, own) => Math.max(begin, Math.min(seen / graph.zoom.scale, begin + size - own - 16)) + 8;
    const x = put(scrollLeft, band.x, band.width, Math.max(...lines.map(([, { width }]) => width)));
    const y = put(scrollTop, band.y, band.height, last.y + last.height - first.y);
    for (const [line, box] of lines) line.setAttribute('transform', `translate(${x - box.x} ${y - first.y})`);
  }
}

/** The turns up to the selected one. */
function turnsSoFar() { return store.order.slice(0, store.order.indexOf(store.looked) + 1).map(number => store.moments.get(number)).filter(moment => moment.record?.state); }

/** Draws the path of the selected moment, and its state. */
function drawStanding() {
  const { svg } = graph;
  if (!svg || !store.view) return;
  for (const step of svg.querySelectorAll('.step')) step.remove();
  for (const part of svg.querySelectorAll('.on, .now')) part.classList.remove('on', 'now');
  const turns = turnsSoFar();
  drawPath(svg, turns.slice(-DRAWN_TURNS).map(({ turn, record }) => ({ ...record.state, path: record.path, turn })));
  const last = turns.at(-1)?.record;
  if (last && !(last.path || []).length) drawMove(...[last.state.from, last.state.to].map(name => nodeOf(svg, name)));
  const node = nodeOf(svg, standing());
  for (const line of svg.querySelectorAll('[data-was]')) line.textContent = line.dataset.was;
  const line = node?.dataset.members && node.querySelector('text.quiet');
  if (line) {
    line.dataset.was ??= line.textContent;
    // As many characters of the name as fit into the box.
    line.textContent = shown(standing().replace(new RegExp(`^(.{${Math.floor(node.querySelector('.shape').getBBox().width / 6.5) - 3}})....*`), '$1…'));
  }
  for (const other of svg.querySelectorAll('.node')) other.setAttribute('tabindex', other === node ? '0' : '-1');
  if (node) node.classList.add('now');
  if (!graph.isFree) fitPicture();
  else if (node) centre(byId('picture'), node);
}

/** Draws a transition that has no line in the diagram, because it is shared or built in. */
function drawMove(from, to) {
  if (!from || !to || from === to || edgesOf(graph.svg, from.dataset.state, to.dataset.state).length) return;
  const middle = ({ x, y, width, height }) => `${x + width / 2},${y + height / 2}`;
  graph.svg.querySelector('.label, .node').before(drawn('g', { class: 'edge on step' }, drawn('path', { d: `M${[from, to].map(node => middle(node.querySelector('.shape').getBBox())).join('L')}` })));
}

/** Shows the complete diagram if its labels are readable, otherwise the current state with its neighbors. */
function fitPicture() {
  const box = byId('picture');
  if (!graph.zoom || !box.clientWidth) return;
  const whole = graph.zoom.whole();
  if (whole >= READABLE) return graph.zoom.show(whole);
  const node = nodeOf(graph.svg, standing());
  return node ? showAround(node) : graph.zoom.show(READABLE);
}

/** Shows a state with as many neighbors as fit, the nearest first. */
function showAround(node) {
  const box = byId('picture');
  const name = node.dataset.state;
  const joined = new Set([...graph.svg.querySelectorAll('.edge')].flatMap(({ dataset: { from, to } }) => from === name ? [to] : to === name ? [from] : []));
  const frameOf = one => { const { x, y, width, height } = one.getBBox(); return [x, y, x + width, y + height]; };
  const joinedTo = (one, other) => one.map((side, at) => (at < 2 ? Math.min : Math.max)(side, other[at]));
  const scaleOf = ([left, top, right, bottom]) => Math.min((box.clientWidth - 24) / (right - left), (box.clientHeight - 24) / (bottom - top));
  const alone = [node, ...portsOf(graph.svg, name)].map(frameOf).reduce(joinedTo);
  // If the selected turn changed the state, both states are shown, at a smaller scale if necessary.
  const from = nodeOf(graph.svg, store.moments.get(store.looked)?.record?.state?.from);
  const both = from ? joinedTo(alone, frameOf(from)) : alone;
  const own = scaleOf(both) < FARTHEST ? alone : both;
  const far = frame => Math.hypot(frame[0] + frame[2] - own[0] - own[2], frame[1] + frame[3] - own[1] - own[3]);
  const frames = [...graph.svg.querySelectorAll('.node')].filter(one => one !== node && joined.has(one.dataset.state)).map(frameOf).sort((one, other) => far(one) - far(other));
  const [left, top, right, bottom] = frames.reduce((all, one) => scaleOf(joinedTo(all, one)) < READABLE ? all : joinedTo(all, one), own);
  graph.zoom.show(Math.min(1, Math.max(own === both ? FARTHEST : READABLE, scaleOf([left, top, right, bottom]))));
  const fromWhere = (begin, end, size) => (begin + end) / 2 * graph.zoom.scale - size / 2;
  box.scrollTo(fromWhere(left, right, box.clientWidth), fromWhere(top, bottom, box.clientHeight));
}

/** The state after the selected moment. */
function standing() {
  if (store.looked === store.view.at) return store.view.here.state;
  const record = store.moments.get(store.looked)?.record;
  if (record?.state) return record.state.to;
  const next = store.moments.get(store.order[store.order.indexOf(store.looked) + 1])?.record;
  return next?.state ? next.state.from : store.view.here.state;
}

/** The states of the path in sequence; repeated turns in a state are counted. */
function drawSoFar() {
  const turns = turnsSoFar();
  const stops = turns.length ? [{ state: turns[0].record.state.from, turns: 0 }] : [{ state: standing(), turns: 0 }];
  for (const { record } of turns) {
    const last = stops[stops.length - 1];
    if (last.state === record.state.to) last.turns += 1;
    else stops.push({ state: record.state.to, turns: 1 });
  }
  const cut = Math.max(0, stops.length - 24);
  byId('so-far').replaceChildren(...(cut ? [el('li.quiet', T.earlier(cut))] : []), ...stops.slice(cut).map(stop =>
    el('li', stateName(stop.state, graph.svg), stop.turns > 1 ? el('span.quiet', { title: T.turns(stop.turns) }, ` ×${stop.turns}`) : '')));
}

/** Shows the details of a state, and its buttons. */
function drawState(name = graph.state || standing()) {
  const about = graph.states.find(one => one.name === name) || { name };
  const here = store.view.here;
  const isHere = name === here.state;
  const open = isHere ? here.slots.filter(slot => slot.need === 'required' && !slot.filled).map(slot => slot.name) : [];
  const at = about.at || (isHere ? here.at : null);
  const box = el('div.place-source');
  const ways = [...graph.svg?.querySelectorAll('.edge') || []].filter(({ dataset }) => dataset.from === name).map(edge => [edge.dataset.to, edge.querySelector('title')?.textContent || '']);
  byId('state').replaceChildren(
    el('h2', stateName(name, graph.svg), isHere ? quiet(here.final ? T.ended : T.current) : ''),
    about.goal || (isHere && here.goal) ? el('p', about.goal || here.goal) : '',
    isHere && here.returns_to ? el('p.quiet', T.returnsTo, el('span.mono', breakable(here.returns_to.join(', ')))) : '',
    open.length ? el('p.quiet', T.lacking, el('span.mono', breakable(open.join(', ')))) : '',
    el('div.tools',
      at ? button([breakable(at), T.showSource], () => showSource(at, box), { class: 'mono plain' }) : '',
      isHere ? '' : button(T.whyNotHere, () => whyNot(name)),
      isHere ? '' : button(T.goTo, () => act('go', { state: name }))),
    ways.length ? el('details.more', el('summary', T.transitions), el('dl.pair', ways.map(([to, title]) => [el('dt', stateName(to, graph.svg)), el('dd', title)]))) : '',
    box);
}

/** Shows the lines around a location of the model; a second call hides them. */
async function showSource(at, box) {
  if (box.dataset.at === at) {
    box.replaceChildren();
    delete box.dataset.at;
    return;
  }
  try {
    const found = await ask('source', { at });
    box.dataset.at = at;
    box.replaceChildren(sourceLines(found, found.line));
  } catch (error) { complain(error); }
}

/** Moves the selection to a neighbor state in a direction. */
function walkGraph(event) {
  const node = event.target.closest('.node');
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] || [0, 0];
  if (!node) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    event.stopPropagation();
    pickState(node);
    return;
  }
  if (!dx && !dy) return;
  event.preventDefault();
  const middle = one => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [x, y] = middle(node);
  const far = other => { const [ox, oy] = middle(other); const along = (ox - x) * dx + (oy - y) * dy; return along <= 4 ? Infinity : along + 2 * Math.abs((ox - x) * dy + (oy - y) * dx); };
  const near = [...graph.svg.querySelectorAll('.node')].filter(other => other !== node).map(other => [far(other), other]).filter(([distance]) => distance < Infinity).sort((a, b) => a[0] - b[0])[0];
  if (!near) return;
  node.setAttribute('tabindex', '-1');
  near[1].setAttribute('tabindex', '0');
  near[1].focus();
}

function pickState(node) {
  graph.state = node.dataset.members ? null : node.dataset.state;
  drawState();
}

byId('fit').addEventListener('click', toggleFit);
byId('closer').addEventListener('click', () => zoomBy(1.25));
byId('farther').addEventListener('click', () => zoomBy(1 / 1.25));
byId('picture').addEventListener('scroll', pinPhases);
byId('wide').addEventListener('click', toggleWide);
byId('overlay').addEventListener('change', () => fetchGraph());
byId('picture').addEventListener('keydown', walkGraph);
byId('picture').addEventListener('click', event => {
  const node = event.target.closest('.node');
  if (node) pickState(node);
});

function zoomBy(by) {
  graph.isFree = true;
  if (graph.zoom) graph.zoom.show(graph.zoom.scale * by);
}
/** Switches between the complete diagram and the current state at a readable scale. */
function toggleFit() {
  if (!graph.zoom) return;
  const isWhole = graph.zoom.isWhole();
  graph.isFree = !isWhole && graph.zoom.whole() < READABLE;
  if (!graph.isFree) return fitPicture();
  return graph.zoom.show(graph.zoom.whole());
}
function toggleWide() { byId('wide').setAttribute('aria-pressed', byId('columns').classList.toggle('wide')); }

let sizing = 0;
// A pane with a new size gets a new diagram.
new ResizeObserver(() => {
  clearTimeout(sizing);
  sizing = setTimeout(() => {
    if (!byId('picture').clientWidth || !graph.zoom) return;
    const direction = wantedDirection();
    if (direction !== graph.direction) fetchGraph(direction);
    else if (!graph.isFree) fitPicture();
  }, 120);
}).observe(byId('picture'));

on('view', ({ fresh }) => { if (fresh || store.view.revision !== graph.revision) fetchGraph(); });
on('suite_done', () => { if (graph.overlay !== 'none') fetchGraph(); });

let toDraw = 0;
/** Draws the diagram in a separate frame, after the conversation. */
function drawGraph() {
  cancelAnimationFrame(toDraw);
  toDraw = requestAnimationFrame(() => {
    if (!store.view) return;
    drawStanding();
    drawSoFar();
    drawState();
  });
}
on('graph', drawGraph);
on('look', () => { graph.state = null; drawGraph(); });
