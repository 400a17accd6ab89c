// The texts of the run page.

Object.assign(T, {
  answersAgree: 'Each request had the same answer in all trials.',
  flakyColumns: what => [what, 'requests', 'differ', 'agree', '95% interval', 'bits'],
  flakyIntents: 'intent',
  flakyStates: 'state',
  interval: range => `95% interval ${range}`,
  noTurns: 'No turns were run.',
  others: 'Other scenarios',
  passed: 'passed',
  pending: path => [path, ' is pending'],
  range: (low, high) => `${low} to ${high} %`,
  requestColumns: ['turn', 'state', 'request', 'answers', 'bits', 'next state'],
  scenario: 'Scenario',
});
