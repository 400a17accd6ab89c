// Exports a dialogue: a file with the utterances and an explanation of each turn.
'use strict';

function shareSheet() {
  if (!store.view.path.length) return say(T.noShare);
  const kind = el('select', Object.entries(T.formats).map(([value, text]) => el('option', { value }, text)));
  return sheet(T.share, [labeled(T.format, kind)], T.download, async () => {
    const { file, text } = await ask('export', { kind: kind.value });
    const address = URL.createObjectURL(new Blob([text], { type: `text/${kind.value};charset=utf-8` }));
    el('a', { href: address, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    announce(T.downloaded(file));
  });
}
