// A project without a model: the templates from which it can get one.
'use strict';

/** Shows the templates in place of the dialogue. */
function drawTemplates({ project, templates, error }) {
  if (!byId('new').hidden) {
    // What has the focus stays.
    byId('new-bad').textContent = shown(error || '');
    return;
  }
  document.querySelector('.studio').hidden = true;
  byId('new').hidden = false;
  document.title = `${project} · studio`;
  const bad = el('p', { class: 'bad wrap', id: 'new-bad', role: 'alert' }, error);
  byId('new').replaceChildren(
    el('h1', { class: 'wrap' }, `${project} has no model yet`),
    el('p', {}, 'Create a project here: a dialogue to play and to change, with scenarios that test it.'),
    el('ul', { class: 'templates' }, templates.map(({ language, title, files }) => el('li', { class: 'card' },
      el('div', { class: 'title' }, el('h2', { class: 'grow', lang: language }, title),
        el('button', { type: 'button', class: 'strong', 'aria-label': `Create: ${title}`, on: { click: () => createProject(language) } }, 'Create')),
      el('div', { class: 'inside quiet mono wrap' }, files.join('  '))))),
    bad,
    el('p', { class: 'quiet' }, 'Existing files are not overwritten. If you already have a model, copy it into this folder: the page then opens it.'));
  byId('new').querySelector('button').focus();
}

/** Creates the project of a template. The buttons wait meanwhile. */
async function createProject(language) {
  const buttons = [...byId('new').querySelectorAll('button')];
  const chosen = document.activeElement;
  for (const button of buttons) button.disabled = true;
  byId('new-bad').textContent = '';
  try {
    await apply(await ask('project/create', { language }));
  } catch (error) {
    // If the project got a model meanwhile, its dialogue comes first, and then why nothing was created.
    await act('view');
    if (byId('new').hidden) complain(error);
    else byId('new-bad').textContent = shown(whyRefused(error));
  }
  for (const button of buttons) button.disabled = false;
  if (!byId('new').hidden) chosen.focus();
}

/** The project has a model: its dialogue takes the place of the templates. */
function leaveTemplates() {
  if (byId('new').hidden) return;
  byId('new').hidden = true;
  document.querySelector('.studio').hidden = false;
  fetchSuite().then(() => saying.focus());
}
