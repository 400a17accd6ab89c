// A demo project: a few scenarios, one with an accepted snapshot, one that fails, one with a thousand turns.
import { mkdirSync, writeFileSync } from 'node:fs';

const [folder] = process.argv.slice(2);
const write = (path, text) => {
  mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
  writeFileSync(`${folder}/${path}`, text);
};

write('fsmsim.toml', 'model = "flows/spin_selling"\n\n[paths]\nscenarios = "scenarios"\nsnapshots = "snapshots"\n');
write('scenarios/price.yaml', `scenario: Сначала о цене
tags: [smoke]
turns:
  - {say: Сколько стоит?, intent: price_question, expect: {state: spin_situation}}
  - {say: Нас пятьдесят, intent: info_provided, data: {company_size: 50}, expect: {state: spin_problem}}
---
scenario: Принято как есть
turns:
  - {say: Сколько стоит?, intent: price_question}
  - {say: Дорого!, intent: objection_price}
`);
write('scenarios/short.yaml', `scenario: Fails <img src=x onerror="window.ran = 1">
turns:
  - {say: "</script><script>window.ran = 1</script>", intent: price_question, expect: {state: close}}
`);
const turns = Array.from({ length: 1000 }, (_, at) => `  - {say: "Реплика ${at}", intent: ${['small_talk', 'question_technical', 'gratitude'][at % 3]}}`);
write('long/long.yaml', `scenario: A thousand turns\nmodel: flows/spin_selling\nturns:\n${turns.join('\n')}\n`);

/** A flow of `count` states in phases, with long names, transitions back and objections. */
function flow(name, count, phases) {
  const state = at => at === count - 1 ? 'closed' : at % 7 === 3 ? `confirm_details_of_delivery_${at}` : `step_${at}`;
  const size = Math.ceil((count - 1) / phases.length);
  const names = phases.map((phase, at) => `${phase}: ${state(at * size)}`);
  const states = Array.from({ length: count - 1 }, (_, at) => {
    const ways = [`go_on: ${state(at + 1)}`];
    if (at % 5 === 2) ways.push(`skip_this_part: ${state(Math.min(count - 1, at + 3))}`);
    if (at % 6 === 4) ways.push(`change_the_delivery_address: ${state(at - 2)}`);
    if (at % 8 === 5) ways.push(`ask_a_question: ${state(at - 1)}`);
    return `  ${state(at)}: {goal: "Step ${at} of ${count}", phase: ${phases[Math.floor(at / size)]}, transitions: {${ways.join(', ')}}}`;
  });
  return `flow: {name: ${name}}\nentry_points: {default: step_0}\nphases: {order: [${phases.join(', ')}], mapping: {${names.join(', ')}}}\nstates:\n${states.join('\n')}\n  closed: {is_final: true}\n`;
}
write('flows/medium.yaml', flow('medium', 25, ['opening', 'order', 'delivery', 'payment']));
write('flows/large.yaml', flow('large', 200, Array.from({ length: 10 }, (_, at) => `phase_${at + 1}`)));
// Fixtures must come last in the list of models.
for (const folder of ['fixtures', 'flows/tests']) write(`${folder}/small.yaml`, flow('small', 4, ['only']));
// The user data of a dialogue with a state set.
write('twin.json', '{"profile": {"stage": "практикующий"}, "goals": ["читать"]}');
