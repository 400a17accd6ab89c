// Requests to the studio, and its events.
'use strict';

/** The error of a request, with a help text. */
class Refusal extends Error {
  constructor(message, help, exists) {
    super(message);
    this.help = help;
    /** Whether the file exists and can be replaced. */
    this.exists = exists;
  }
}

/** The access token: it is part of the first URL, and survives a reload of the tab. */
const token = (() => {
  const given = new URLSearchParams(location.search).get('token');
  if (given) {
    sessionStorage.setItem('fsmsim-token', given);
    history.replaceState(null, '', location.pathname + location.hash);
  }
  return given || sessionStorage.getItem('fsmsim-token') || '';
})();

/** Runs an operation and returns its result. */
async function ask(name, body = {}) {
  let answer;
  try {
    answer = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Fsmsim-Token': token },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refusal(T.offline, T.restart);
  }
  let result = null;
  try { result = await answer.json(); } catch { /* handled below */ }
  if (!answer.ok) throw new Refusal(result?.error || T.status(answer.status), result?.help, result?.exists);
  return result;
}

/** Receives events until the page closes; `heard` gets each event, `lost` whether the connection is lost. */
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
          // An error of the page must not close the connection.
          try { heard(JSON.parse(line)); } catch (error) { console.error(error); }
        }
        wait = 250;
      }
    } catch { /* the connection is lost: retry later */ }
    lost(true);
    await new Promise(done => setTimeout(done, wait));
  }
}
