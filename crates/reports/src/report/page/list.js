// Shared code of reports with a list: its filter, its rows, its keys, and one open item. The script of a page defines the cells of
// a row (`cellsOf`) and draws an item (`drawItem`).

const CHUNK = 100;
/** The items, the numbers of the filtered ones, the selected position among these, and the number of created rows. */
const list = { items: [], left: [], picked: -1, made: 0, end: null, fields: {} };
const byAddress = new Map();
/** The open item, its turns, and the selected turn. */
let open = null;

function address(one) { return `#${encodeURI(one.id).replace(/#/g, '%23')}`; }

/** The diagram of a model with its tools. */
function frame(svg) {
  const box = el('div.picture', { tabindex: '0', role: 'region', 'aria-label': T.diagram }, svg);
  const fit = button(T.fit, () => fit.setAttribute('aria-pressed', box.classList.toggle('fit')), { 'aria-pressed': 'false' });
  return [el('div.tools', fit, quiet(svg.querySelector('desc').textContent)), box];
}

/** Shows a section if it has content. */
function section(id, children) {
  if (!children.length) return;
  byId(id).hidden = false;
  byId(id).querySelector('.list').append(...children);
}

// The table: rows are created when they become visible.

const watcher = 'IntersectionObserver' in window ? new IntersectionObserver(seen => {
  if (seen.some(one => one.isIntersecting)) moreRows();
}, { rootMargin: '600px' }) : null;

function moreRows() {
  if (list.made >= list.left.length) return;
  const rows = list.left.slice(list.made, list.made + CHUNK).map(number => {
    const one = list.items[number];
    return el('a.row', { role: 'row', href: address(one), 'data-number': number }, cellsOf(one));
  });
  list.made += rows.length;
  list.end.before(el('div.chunk', { role: 'presentation' }, rows));
  if (watcher) {
    watcher.unobserve(list.end);
    if (list.made < list.left.length) watcher.observe(list.end);
  }
}

function drawRows() {
  list.made = 0;
  list.picked = -1;
  list.end = el('div.end');
  byId('rows').replaceChildren(list.end);
  moreRows();
}

function allRows() { while (list.made < list.left.length) moreRows(); }

function filter() {
  const box = byId('filter');
  const says = byId('filter-says');
  try {
    const test = parseFilter(box.value, list.fields);
    list.left = list.items.flatMap((one, at) => test(one) ? [at] : []);
    says.className = '';
    says.textContent = box.value.trim() ? T.of(list.left.length, list.items.length) : '';
    box.removeAttribute('aria-invalid');
    drawRows();
  } catch (error) {
    says.className = 'bad';
    says.textContent = error.message;
    box.setAttribute('aria-invalid', 'true');
  }
}

// One item.

/** Shows an item instead of the list. */
function showItem(...children) {
  byId('scenario').replaceChildren(...children.flat(Infinity));
  byId('overview').hidden = true;
  document.querySelector('.top').hidden = true;
  byId('scenario').hidden = false;
}

function close() {
  if (location.hash) history.pushState(null, '', location.pathname + location.search);
  route();
}

function route() {
  let wanted = location.hash.slice(1);
  try { wanted = decodeURIComponent(wanted); } catch { /* not encoded */ }
  const number = byAddress.get(wanted);
  if (number !== undefined) {
    list.picked = list.left.indexOf(number);
    drawItem(number);
    return;
  }
  const was = open;
  open = null;
  byId('scenario').hidden = true;
  byId('scenario').replaceChildren();
  byId('overview').hidden = false;
  document.querySelector('.top').hidden = false;
  document.title = title;
  const card = byId(wanted);
  if (card && card.matches('details')) {
    card.open = true;
    card.scrollIntoView({ block: 'nearest' });
  } else if (was) pick(list.picked);
}

// Keys.

function pick(at) {
  if (!list.left.length || at < 0) return;
  list.picked = Math.min(at, list.left.length - 1);
  while (list.made <= list.picked) moreRows();
  document.querySelectorAll('.row.picked').forEach(row => row.classList.remove('picked'));
  const row = byId('rows').querySelector(`[data-number="${list.left[list.picked]}"]`);
  if (row) {
    row.classList.add('picked');
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }
}

function step(by) {
  const next = list.picked < 0 ? (by > 0 ? 0 : list.left.length - 1) : list.picked + by;
  if (next < 0 || next >= list.left.length) return;
  if (open) {
    list.picked = next;
    location.hash = address(list.items[list.left[next]]);
  } else pick(next);
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  '/': () => { if (open) close(); byId('filter').focus(); byId('filter').select(); },
  '?': () => byId('help').showModal(),
  Escape: () => open && close(),
  Enter: () => { if (!open && list.picked >= 0) location.hash = address(list.items[list.left[list.picked]]); },
};

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.target.matches('input')) {
    if (event.key === 'Escape') event.target.blur();
    if (event.key === 'Enter') { event.target.blur(); pick(0); }
    return;
  }
  if (event.key === 'Enter' && event.target.matches('a, button, summary')) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

/** Shows a list; `fields` are the functions of its filter. */
function startList(items, fields) {
  Object.assign(list, { items, fields, left: items.map((_, at) => at) });
  items.forEach((one, at) => byAddress.set(one.id, at));
  let waiting = 0;
  byId('filter').addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 60); });
  window.addEventListener('hashchange', route);
  window.addEventListener('popstate', route);
  window.addEventListener('beforeprint', allRows);
  drawRows();
  route();
}
