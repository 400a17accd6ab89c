// How the page begins, and what it hears afterwards.
'use strict';

/** The models of the project, and the one that is played. */
async function drawModels() {
  const select = byId('model');
  let models = [];
  if (!select.options.length) select.append(el('option', { value: store.view.model.path }, store.view.model.path));
  try { models = (await ask('models')).models; } catch { /* the one that is played is known */ }
  const { path, name } = store.view.model;
  if (!models.some(one => one.path === path)) models.unshift({ path, name });
  select.replaceChildren(...models.map(one => el('option', { value: one.path }, one.path)));
  select.value = path;
}

function drawHead() {
  const { model, project } = store.view;
  byId('project').textContent = shown(project);
  byId('profile').textContent = `@${model.profile}`;
  byId('model').value = model.path;
  document.title = `${model.name} · studio`;
}

byId('model').addEventListener('change', async () => {
  const select = byId('model');
  if (!await act('model', { path: select.value })) select.value = store.view.model.path;
  select.blur();
});

on('view', ({ fresh }) => {
  drawHead();
  if (fresh) drawModels();
  if (store.view.saved) byId('notice').textContent = `saved as ${store.view.saved}`;
});

/** What the studio tells by itself. */
const HEARD = {
  // Whatever was told meanwhile was not heard.
  hello: () => refresh(null),
  lost: () => refresh(null),
  moved: () => act('view'),
  edited: event => {
    byId('notice').textContent = `edited ${clock()}`;
    store.broken = null;
    performance.mark('edited');
    apply(event.view);
  },
  broken: event => {
    byId('notice').textContent = `edited ${clock()}`;
    tell('broken', event.model.broken);
  },
  mended: () => tell('broken', null),
  suite: event => tell('suite', event),
  suite_done: () => tell('suite_done', {}),
  files: () => tell('files', {}),
};

async function start() {
  if (!token) {
    const lost = byId('lost');
    lost.textContent = 'This address has no key. Open the address that `fsmsim studio` prints.';
    lost.hidden = false;
    return;
  }
  await refresh(null);
  if (!store.view) return;
  listen(event => HEARD[event.event]?.(event), isLost => { byId('lost').hidden = !isLost; });
  await fetchSuite();
  saying.focus();
}

showPane('talk');
start();
