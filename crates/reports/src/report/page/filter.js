// The filter language: `tag(smoke) & !model(bant*)`. Plain text is searched in titles.
'use strict';

const FIELDS = {
  tag: one => one.tags || [],
  title: one => [one.title],
  path: one => [one.file],
  model: one => [one.model || '', (one.model || '').replace(/\/+$/, '').split('/').pop().replace(/\.ya?ml$/, '')],
  verdict: one => [one.verdict],
};

/** Parses a filter into a test of items; throws an `Error` that describes a syntax error. */
function parseFilter(text, fields = FIELDS) {
  const input = text.trim();
  if (!/\b[a-z]+\s*\(/.test(input) && !/^[!(]/.test(input)) {
    const wanted = input.toLowerCase();
    return one => one.title.toLowerCase().includes(wanted);
  }
  let at = 0;
  const skip = () => { while (/\s/.test(input[at] || '')) at += 1; };
  const fail = what => { throw new Error(what); };
  function either() {
    let left = both();
    for (skip(); input[at] === '|'; skip()) {
      while (input[at] === '|') at += 1;
      const [one, other] = [left, both()];
      left = scenario => one(scenario) || other(scenario);
    }
    return left;
  }
  function both() {
    let left = single();
    for (skip(); input[at] === '&'; skip()) {
      while (input[at] === '&') at += 1;
      const [one, other] = [left, single()];
      left = scenario => one(scenario) && other(scenario);
    }
    return left;
  }
  function single() {
    skip();
    if (input[at] === '!') {
      at += 1;
      const inner = single();
      return scenario => !inner(scenario);
    }
    if (input[at] === '(') {
      at += 1;
      const inner = either();
      skip();
      if (input[at] !== ')') fail(T.filterClosing);
      at += 1;
      return inner;
    }
    const name = /^[a-z]*/.exec(input.slice(at))[0];
    if (!name) fail(at < input.length ? T.filterUnexpected(input.slice(at, at + 12)) : T.filterEnd);
    at += name.length;
    if (!Object.hasOwn(fields, name)) fail(T.filterFunction(name, Object.keys(fields).join(', ')));
    skip();
    if (input[at] !== '(') fail(T.filterOpening(name));
    at += 1;
    const matches = matcher(argument());
    const values = fields[name];
    return scenario => values(scenario).some(matches);
  }
  function argument() {
    skip();
    if (input[at] === '/') {
      const end = input.slice(at + 1).search(/\/\s*\)/);
      if (end < 0) fail(T.filterRegex);
      const made = input.slice(at, at + end + 2);
      at = input.indexOf(')', at + end + 2) + 1;
      return made;
    }
    let depth = 0;
    const start = at;
    for (; at < input.length; at += 1) {
      if (input[at] === '(') depth += 1;
      if (input[at] === ')' && depth-- === 0) return input.slice(start, at++).trim();
    }
    return fail(T.filterClosing);
  }
  const test = either();
  skip();
  if (at < input.length) fail(T.filterUnexpected(input.slice(at, at + 12)));
  return test;
}

function matcher(text) {
  if (text.startsWith('=')) return value => value === text.slice(1);
  if (text.startsWith('~')) return value => value.includes(text.slice(1));
  if (text.length > 1 && text.startsWith('/') && text.endsWith('/')) {
    const made = new RegExp(text.slice(1, -1), 'u');
    return value => made.test(value);
  }
  const glob = text.split(/([*?])/).map(part => part === '*' ? '[^]*' : part === '?' ? '[^]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&'));
  const made = new RegExp(`^(?:${glob.join('')})$`, 'u');
  return value => made.test(value);
}
