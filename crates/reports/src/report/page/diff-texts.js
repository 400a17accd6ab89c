// The texts of the page of a comparison.

Object.assign(T, {
  bothPaths: 'dark: both',
  cause: n => `cause ${n}`,
  class: 'class',
  dialogue: 'Dialogue',
  dialogues: n => plural(n, 'dialogue'),
  notDrawn: states => `The diagram does not contain these states: ${states}`,
  omitted: n => `${plural(n, 'other turn')} omitted. Open the dialogue to see all turns.`,
  onlyOneSide: 'Only one side has this dialogue.',
  others: 'Other dialogues',
  rule: 'rule',
  source: 'source',
  why: 'why',
});
