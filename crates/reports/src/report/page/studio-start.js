// The start of the page, and its events.
'use strict';

const models = { names: [] };

/** Models for tests, which are listed last. */
function isFixture(path) { return path.split('/').slice(0, -1).some(folder => /^(fixtures?|tests?)$/.test(folder)); }

const modelChoice = choice({
  id: 'model', ...T.model, title: tip('m'),
  // Grouped by folder, those for tests last.
  groups: () => grouped(models.names, path => path.split('/').slice(0, -1).join('/') || T.root)
    .map(([title, names]) => ({ title, names })).sort((one, other) => isFixture(one.names[0]) - isFixture(other.names[0])),
  take: async path => {
    if (path !== store.view.model.path) await act('model', { path });
    modelChoice.settle(store.view.model.path);
    modelChoice.field.blur();
  },
});
modelChoice.field.addEventListener('blur', () => store.view && modelChoice.settle(store.view.model.path));
byId('models').append(modelChoice.box);

/** Loads the models of the project; the current one is always known. */
async function findModels() {
  const { path } = store.view.model;
  const found = await ask('models').catch(() => ({ models: [] }));
  models.names = [...new Set([...found.models.map(one => one.path), path])].sort();
}

function drawHead() {
  const { model, project } = store.view;
  byId('project').textContent = shown(project);
  byId('profile').textContent = model.profile ? `@${model.profile}` : '';
  if (document.activeElement !== modelChoice.field) modelChoice.settle(model.path);
  document.title = `${model.name} · studio`;
}

on('view', ({ fresh }) => {
  drawHead();
  if (fresh) findModels();
});

/** The handlers of studio events. */
const HEARD = {
  // Events before the connection were missed.
  hello: () => refresh(null),
  lost: () => refresh(null),
  moved: () => act('view'),
  edited: event => {
    byId('notice').textContent = T.edited(clock());
    store.broken = null;
    performance.mark('edited');
    apply(event.view);
  },
  broken: event => {
    byId('notice').textContent = T.edited(clock());
    emit('broken', event.model.broken);
  },
  fixed: () => emit('broken', null),
  suite: event => emit('suite', event),
  suite_done: () => emit('suite_done', {}),
  files: () => emit('files', {}),
};

async function start() {
  if (!token) {
    const lost = byId('lost');
    lost.textContent = T.noToken;
    lost.hidden = false;
    return;
  }
  await refresh(null);
  if (!store.view && byId('new').hidden) return;
  listen(event => HEARD[event.event]?.(event), isLost => { byId('lost').hidden = !isLost; });
  if (!store.view) return;
  await fetchSuite();
  saying.focus();
}

showPane('talk');
start();
