// The page of a model: its picture closer and farther, and from a state in it to what is said of the state.

const picture = byId('picture');
const svg = picture.querySelector('svg');
const [width, height] = ['width', 'height'].map(side => Number(svg.getAttribute(side)));
let scale = 1;

/** Shows the picture at this scale, with what was in the middle still there. */
function show(to) {
  const [x, y] = [(picture.scrollLeft + picture.clientWidth / 2) / scale, (picture.scrollTop + picture.clientHeight / 2) / scale];
  scale = Math.min(4, Math.max(0.1, to));
  svg.setAttribute('width', width * scale);
  svg.setAttribute('height', height * scale);
  picture.scrollTo(x * scale - picture.clientWidth / 2, y * scale - picture.clientHeight / 2);
  byId('zoom').textContent = `${Math.round(100 * scale)} %`;
  byId('fit').setAttribute('aria-pressed', String(scale === whole()));
}

/** The scale at which all of the picture is seen. */
function whole() { return Math.min(1, picture.clientWidth / width, picture.clientHeight / height); }

byId('fit').addEventListener('click', () => show(scale === whole() ? 1 : whole()));
byId('closer').addEventListener('click', () => show(scale * 1.25));
byId('farther').addEventListener('click', () => show(scale / 1.25));
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '+' || event.key === '=') show(scale * 1.25);
  if (event.key === '-') show(scale / 1.25);
  if (event.key === '0') show(whole());
});
picture.addEventListener('click', event => {
  const node = event.target.closest('.node');
  if (!node) return;
  const names = node.dataset.members ? node.dataset.members.split('\n') : [node.dataset.state];
  const card = [...document.querySelectorAll('#states .card')].find(one => names.includes(one.dataset.state));
  if (card) location.hash = card.id;
});
document.querySelector('.tools').hidden = false;
show(1);
