// What the page asks the studio for, and what the studio tells by itself.
'use strict';

/** Why something was refused, with what to do about it. */
class Refusal extends Error {
  constructor(message, help, exists) {
    super(message);
    this.help = help;
    /** A file is there already, and can be replaced. */
    this.exists = exists;
  }
}

/** The key to this studio: it comes with the address once, and outlasts a reload of the tab. */
const token = (() => {
  const given = new URLSearchParams(location.search).get('token');
  if (given) {
    sessionStorage.setItem('fsmsim-token', given);
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return given || sessionStorage.getItem('fsmsim-token') || '';
})();

/** Asks for an operation, and gives what it came to. */
async function ask(name, body = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Fsmsim-Token': token },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refusal('the studio does not answer', 'start it again: `fsmsim studio`');
  }
  let told = null;
  try { told = await answer.json(); } catch { /* told below */ }
  if (!answer.ok) throw new Refusal(told?.error || `the studio answered ${answer.status}`, told?.help, told?.exists);
  return told;
}

/** Hears what the studio tells by itself, until the page is left; `heard` gets each event, `lost` whether the line is broken. */
async function listen(heard, lost) {
  for (let wait = 250; ; wait = Math.min(4000, wait * 2)) {
    try {
      const answer = await fetch('/api/events', { headers: { 'X-Fsmsim-Token': token } });
      if (!answer.ok) throw new Error(String(answer.status));
      lost(false);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const line of lines.filter(line => line.trim())) {
          // What goes wrong in the page does not break the line.
          try { heard(JSON.parse(line)); } catch (error) { console.error(error); }
        }
        wait = 250;
      }
    } catch { /* the line is broken: once more, later */ }
    lost(true);
    await new Promise(done => setTimeout(done, wait));
  }
}
