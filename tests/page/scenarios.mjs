// Scenarios for a report: every eighth fails, and they contain hostile text.
import { writeFileSync } from 'node:fs';

const [count, folder] = process.argv.slice(2);
const hostile = '</script><script>window.ran = 1</script><img src=x onerror="window.ran = 1"> <!-- \u202e {{ 7 * 7 }}';
const text = value => JSON.stringify(value);

function scenario(number, fails) {
  const title = number === 0 ? `Hostile ${hostile}` : `Клиент называет бюджет и говорит, кто решает, ${number}`;
  return `scenario: ${text(title)}
model: flows/bant
tags: [${number % 4 ? 'price' : 'smoke'}, ${text(number ? 'n' + number % 10 : hostile)}]
turns:
  - say: ${text(number ? 'Сколько это стоит?' : hostile)}
    intent: price_question
    expect: {state: assess_budget}
  - say: Ну хорошо, у нас 500 тысяч на квартал, давайте посмотрим.
    intent: agreement
    data: {budget_range: ${text(number ? '500 тысяч' : hostile)}}
    expect: {class: ${fails ? 'hold' : 'advance'}}
  - intent: authority_confirmed
    expect: {state: qualify_need}
`;
}

const files = new Map();
for (let number = 0; number < Number(count); number += 1) {
  const fails = number % 8 === 0;
  const name = fails ? `bad_${Math.floor(number / 100)}.yaml` : Number(count) > 100 ? `good_${Math.floor(number / 100)}.yaml` : 'good.yaml';
  files.set(name, [...(files.get(name) || []), scenario(number, fails)]);
}
for (const [name, documents] of files) writeFileSync(`${folder}/${name}`, documents.join('---\n'));
