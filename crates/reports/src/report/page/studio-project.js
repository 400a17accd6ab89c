// A project without a model, and the templates for it.
'use strict';

/** Shows the templates instead of the dialogue. */
function drawTemplates({ project, templates, error }) {
  if (!byId('new').hidden) {
    // The focused element stays.
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

/** Creates the project of a template. The buttons are disabled meanwhile. */
async function createProject(language) {
  const buttons = [...byId('new').querySelectorAll('button')];
  const chosen = document.activeElement;
  for (const button of buttons) button.disabled = true;
  byId('new-bad').textContent = '';
  try {
    await apply(await ask('project/create', { language }));
  } catch (error) {
    // If the project has a model now, the dialogue is shown first, then the error.
    await act('view');
    if (byId('new').hidden) complain(error);
    else byId('new-bad').textContent = shown(whyRefused(error));
  }
  for (const button of buttons) button.disabled = false;
  if (!byId('new').hidden) chosen.focus();
}

/** Replaces the templates with the dialogue of the new model. */
function leaveTemplates() {
  if (byId('new').hidden) return;
  byId('new').hidden = true;
  document.querySelector('.studio').hidden = false;
  fetchSuite().then(() => saying.focus());
}
