// The page of a model: zooms the diagram, and links its states to their descriptions.

const picture = byId('picture');
const zoom = zoomable(picture, picture.querySelector('svg'), ({ scale, isWhole }) => {
  byId('zoom').textContent = `${Math.round(100 * scale)} %`;
  byId('fit').setAttribute('aria-pressed', isWhole());
});

byId('fit').addEventListener('click', () => zoom.show(zoom.isWhole() ? 1 : zoom.whole()));
byId('closer').addEventListener('click', () => zoom.show(zoom.scale * 1.25));
byId('farther').addEventListener('click', () => zoom.show(zoom.scale / 1.25));
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '+' || event.key === '=') zoom.show(zoom.scale * 1.25);
  if (event.key === '-') zoom.show(zoom.scale / 1.25);
  if (event.key === '0') zoom.show(zoom.whole());
});
picture.addEventListener('click', event => {
  const node = event.target.closest('.node');
  if (!node) return;
  const names = node.dataset.members ? node.dataset.members.split('\n') : [node.dataset.state];
  const card = [...document.querySelectorAll('#states .card')].find(one => names.includes(one.dataset.state));
  if (card) location.hash = card.id;
});
document.querySelector('.tools').hidden = false;
zoom.show(1);
