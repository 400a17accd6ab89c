// Exports a dialogue: a file with the utterances and an explanation of each turn.
'use strict';

function shareSheet() {
  if (!store.view.path.length) return say('no turn was played yet: there is nothing to share');
  const kind = el('select', {}, el('option', { value: 'html' }, 'Web page (.html)'), el('option', { value: 'markdown' }, 'Markdown (.md)'));
  return sheet('Share the conversation', [labelled('Format', kind, 'one file with the turns of this branch up to here and the reason of each turn')], 'Download', async () => {
    const { file, text } = await ask('export', { kind: kind.value });
    const address = URL.createObjectURL(new Blob([text], { type: `text/${kind.value};charset=utf-8` }));
    el('a', { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    byId('live').textContent = shown(`Downloaded ${file}`);
  });
}
