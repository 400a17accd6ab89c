// A project to look at: a few scenarios, one with an accepted snapshot, one that falls short, one of a thousand turns.
import { mkdirSync, writeFileSync } from 'node:fs';

const [folder] = process.argv.slice(2);
const keep = (path, text) => {
  mkdirSync(`${folder}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true });
  writeFileSync(`${folder}/${path}`, text);
};

keep('fsmsim.toml', 'model = "flows/spin_selling"\n\n[paths]\nscenarios = "scenarios"\nsnapshots = "snapshots"\n');
keep('scenarios/price.yaml', `scenario: Сначала о цене
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
keep('scenarios/short.yaml', `scenario: Falls short <img src=x onerror="window.ran = 1">
turns:
  - {say: "</script><script>window.ran = 1</script>", intent: price_question, expect: {state: close}}
`);
const turns = Array.from({ length: 1000 }, (_, at) => `  - {say: "Реплика ${at}", intent: ${['small_talk', 'question_technical', 'gratitude'][at % 3]}}`);
keep('long/long.yaml', `scenario: A thousand turns\nmodel: flows/spin_selling\nturns:\n${turns.join('\n')}\n`);
