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
  const bad = el('p.bad.wrap', { id: 'new-bad', role: 'alert' }, error);
  byId('new').replaceChildren(
    el('h1.wrap', T.noModel(project)),
    el('p', T.templates),
    el('ul.templates', templates.map(({ language, title, files }) => el('li.card',
      el('div.title', el('h2.grow', { lang: language }, title),
        button(T.create, () => createProject(language), { class: 'strong', 'aria-label': T.createFrom(title) })),
      el('div.inside.quiet.mono.wrap', files.join('  '))))),
    bad,
    el('p.quiet', T.createNote));
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
