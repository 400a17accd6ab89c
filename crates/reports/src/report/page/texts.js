// The texts that several pages share, by area. The texts of only one page are in run-texts.js, diff-texts.js, studio-texts.js and
// texts.json.
'use strict';

function plural(count, noun) { return `${count} ${noun}${count === 1 ? '' : 's'}`; }

const T = {
  // Filters.
  filterClosing: 'missing closing parenthesis',
  filterEnd: 'unexpected end of the filter',
  filterFunction: (name, known) => `unknown filter function ${name}; known: ${known}`,
  filterOpening: name => `expected ( after ${name}`,
  filterRegex: 'missing / at the end of the regular expression',
  filterUnexpected: text => `unexpected ${text}`,

  // Lists, and conversations.
  all: '← All',
  compareColumns: ['turn', 'A', 'B', 'differences'],
  also: others => `also ${others}`,
  closest: example => `closest: "${example}"`,
  consentGiven: answers => `consent: ${answers.map(([what, isGiven]) => `${what} ${isGiven ? 'yes' : 'no'}`).join(', ')}`,
  diagram: 'Diagram',
  event: name => `event ${name}`,
  example: 'Example',
  fit: 'Fit',
  more: n => `${n} more`,
  noText: '(no text)',
  nothing: 'nothing',
  of: (n, all) => `${n} of ${all}`,
  readAs: intent => `recognized as ${intent}`,
  scenarios: n => plural(n, 'scenario'),
  turn: n => `Turn ${n}`,
  valueFrom: (slot, value, words) => `${slot}=${value} from "${words}"`,
  turnsOfFailed: 'The report contains turns only for scenarios that did not pass.',

  // Failures and their causes.
  accepted: 'accepted',
  decidedBefore: 'previously decided by',
  decidedBy: 'decided by',
  decidedNow: 'now decided by',
  expected: 'expected',
  failure: (turn, field, word, expected, actual) => `${turn ? `turn ${turn} · ` : ''}${field}: ${word} ${expected}, got ${actual}`,
  got: 'got',
  knownFailure: 'known failure',
  location: 'location',
  nearest: 'detail',
  noSnapshot: 'no expectations and no snapshot',
  orphaned: path => [path, ' is orphaned: no scenario uses it'],
  usedAt: 'used at',
  wrong: (field, turn) => `✕ Wrong ${field}${turn ? ` after turn ${turn}` : ''}`,
  wrongValue: (word, expected, actual) => [`: ${word} `, expected, ', got ', actual],

  // Details of a turn.
  added: ' new',
  counters: 'Counters',
  data: 'Data',
  effect: 'effect',
  effects: 'Effects',
  missing: 'Missing',
  reasons: 'Why',
  record: 'Record',
  rejected: 'Rejected proposals',
  rejectedColumns: ['proposal', 'source', 'reason', 'location'],
  removed: ' removed',
  ruleColumns: ['', 'value', 'source', 'location'],
  rules: 'Decided by',
  violations: 'Violations',
};
