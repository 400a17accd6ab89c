// Opens HTML reports in a browser and uses them like a person.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';

const [library, executablePath, work, pictures] = process.argv.slice(2);
const { chromium } = await import(library);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });

/** Opens a report that must not write to the console or request anything but itself. */
async function opened(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1500, height: 950 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on('console', message => said.push(message.text()));
  page.on('pageerror', error => said.push(error.message));
  page.on('request', request => { if (!request.url().startsWith(`file://${work}/${name}.html`)) said.push(request.url()); });
  const began = performance.now();
  await page.goto(`file://${work}/${name}.html`);
  await page.waitForSelector('#rows .row', { state: 'attached' });
  return { page, said, took: performance.now() - began };
}

async function screenshot(page, name) { if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` }); }

// Keys, filter, one failure. Text of scenarios is never executed.
{
  const { page, said } = await opened('few');
  assert.equal(await page.textContent('h1'), '5 of 40 scenarios did not pass');
  await screenshot(page, 'few');
  assert.equal(await page.locator('#causes details').count(), 1, 'all failures have one cause');
  assert.match(await page.textContent('#causes .source'), /agreement/);
  const rows = () => page.locator('#rows .row').count();
  const filters = [['verdict(failed)', 5], ['verdict(failed) & tag(price)', 0], ['!(verdict(failed) | verdict(passed))', 0],
    ['tag(smoke)', 10], ['path(*/bad_*)', 5], ['title(/решает, 1\\d$/)', 10], ['title(~Hostile)', 1], ['model(bant)', 40], ['model(=bant)', 40],
    ['hostile', 1], ['РЕШАЕТ, 1', 11], ['tag(nobody)', 0], ['', 40]];
  for (const [filter, count] of filters) {
    await page.fill('#filter', filter);
    await page.waitForTimeout(120);
    assert.equal(await rows(), count, filter);
  }
  for (const [filter, says] of [['tags(x)', /unknown/], ['tag(x', /closing/], ['tag(x) &', /unexpected end/]]) {
    await page.fill('#filter', filter);
    await page.waitForTimeout(120);
    assert.match(await page.textContent('#filter-says'), says);
    assert.equal(await rows(), 40, 'an invalid filter changes nothing');
  }
  await page.fill('#filter', 'verdict(failed)');
  await page.waitForTimeout(120);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.row.picked').count(), 1);
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#scenario .turn');
  assert.match(await page.textContent('#scenario h2'), /^Hostile <\/script><script>window\.ran = 1/);
  assert.match(page.url(), /#scenarios\/few\/bad_0\.yaml::Hostile/);
  assert.match(await page.textContent('.turn.bad .miss'), /class.*expected.*hold.*got.*advance/s);
  assert.match(await page.textContent('.turn.now'), /identify_decision_maker/, 'the failed turn is selected');
  assert.match(await page.textContent('#inspector'), /Rejected.*DataCollector/s);
  assert.deepEqual(await page.locator('#scenario svg .node.on').evaluateAll(nodes => nodes.map(node => node.dataset.state)),
    ['greeting', 'assess_budget', 'identify_decision_maker', 'qualify_need']);
  assert.equal(await page.locator('#scenario svg .edge.on').count(), 3);
  await screenshot(page, 'failure');
  await page.keyboard.press(']');
  assert.equal(await page.locator('.turn.now').getAttribute('data-turn'), '2');
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  assert.equal(await page.locator('.turn.now').getAttribute('data-turn'), '0');
  await page.keyboard.press('r');
  assert.ok(await page.locator('#record pre').isVisible());
  await page.hover('#scenario .turn .state >> nth=1');
  assert.ok(await page.locator('#scenario svg .node.lit').count() >= 1, 'all occurrences of a state are highlighted');
  await page.keyboard.press('j');
  await page.waitForFunction(() => /решает, 8$/.test(document.querySelector('#scenario h2')?.textContent));
  const address = page.url();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#overview').isVisible());
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  await page.goto('about:blank');
  await page.goto(address);
  await page.waitForSelector('#scenario .turn');
  assert.match(await page.textContent('#scenario h2'), /решает, 8$/, 'a URL opens its scenario');
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(said.filter(line => line !== 'about:blank'), []);
}

// Dark mode, narrow window, print.
for (const [name, options] of [['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 420, height: 900 } }]]) {
  const { page, said } = await opened('few', options);
  await screenshot(page, name);
  await page.locator('.hit').first().click();
  await page.waitForSelector('#scenario .turn');
  await screenshot(page, `${name}-failure`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `${name}: the page is ${wider} px too wide`);
  await page.emulateMedia({ media: 'print' });
  await screenshot(page, `${name}-print`);
  assert.deepEqual(said, []);
}

// A comparison of two models: causes, filter, and both paths in the diagram.
{
  const { page, said } = await opened('diff');
  assert.equal(await page.textContent('h1'), '40 of 40 dialogues differ');
  assert.equal(await page.locator('#causes details.card').first().locator('.source .removed').count(), 1);
  assert.match(await page.textContent('#causes .source'), /- authority_confirmed: qualify_need\s+\+ authority_confirmed: determine_timeline/);
  await screenshot(page, 'diff');
  for (const [filter, count] of [['cause(1) & field(state)', 40], ['kind(data)', 0], ['hostile', 1], ['', 40]]) {
    await page.fill('#filter', filter);
    await page.waitForTimeout(120);
    assert.equal(await page.locator('#rows .row').count(), count, filter);
  }
  await page.locator('#rows .row').first().click();
  await page.waitForSelector('#scenario .compared tr.now .differs');
  const states = side => page.locator(`#scenario svg .node.${side}`).evaluateAll(nodes => nodes.map(node => node.dataset.state));
  assert.deepEqual([await states('a'), await states('b')], [['qualify_need'], ['determine_timeline']]);
  await screenshot(page, 'diff-dialogue');
  await page.locator('#scenario .facts a').first().click();
  await page.waitForSelector('#cause-1[open]');
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wider <= 0, `the page is ${wider} px too wide`);
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(said, []);
}

// All scenarios passed: one line, and nothing about failures.
{
  const { page, said } = await opened('green');
  assert.equal(await page.textContent('h1'), '35 scenarios passed');
  assert.equal(await page.locator('#causes:visible, #failures:visible').count(), 0);
  await page.locator('#coverage details').first().waitFor();
  await page.waitForSelector('#coverage svg .node.c-full');
  await screenshot(page, 'green');
  assert.deepEqual(said, []);
}

// Many scenarios.
{
  const { page, said, took } = await opened('many');
  const size = statSync(`${work}/many.html`).size;
  assert.ok(size <= 20e6, `${size} bytes`);
  assert.ok(took < 2000, `${took.toFixed(0)} ms to open`);
  assert.ok(await page.locator('#rows .row').count() <= 400, 'rows are created when they become visible');
  const began = performance.now();
  await page.fill('#filter', 'verdict(failed) & tag(smoke) | title(~2999)');
  await page.waitForFunction(() => document.querySelector('#filter-says').textContent === '376 of 3000');
  console.log(`HTML reports: 3,000 scenarios open in ${took.toFixed(0)} ms, ${(size / 1e6).toFixed(1)} MB; filtered in ${(performance.now() - began).toFixed(0)} ms`);
  assert.deepEqual(said, []);
}
await browser.close();
