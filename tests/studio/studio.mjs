// Opens the studio in a browser, and does in it what a methodologist does, mostly by keys.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [clients, executablePath, fsmsim, work, pictures] = process.argv.slice(2);
const { chromium } = await import(`${clients}/playwright-core-1.57.0/node_modules/playwright-core/index.mjs`);
const axe = readFileSync(`${clients}/axe-core-4.11.0/node_modules/axe-core/axe.min.js`, 'utf8');
const isFull = process.env.FSMSIM_CI === 'full';
const test = (...args) => spawnSync(fsmsim, ['test', ...args], { cwd: work, encoding: 'utf8', env: { ...process.env, CI: '' } });

// One scenario has an accepted snapshot.
test('--accept', 'scenarios/price.yaml::Принято как есть');

const studio = spawn(fsmsim, ['studio', 'flows/spin_selling', '--no-open'], { cwd: work, env: { ...process.env, CI: '' } });
let printed = '';
const address = await new Promise((done, fail) => {
  studio.stdout.on('data', text => {
    printed += text;
    const found = /http:\/\/\S+token=\S+/.exec(printed);
    if (found) done(found[0]);
  });
  studio.stderr.on('data', text => { printed += text; });
  studio.on('exit', code => fail(new Error(`the studio ended with ${code}: ${printed}`)));
});
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });

/** A page that must say nothing to the console and ask nobody but the studio. */
async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addInitScript(axe);
  const page = await context.newPage();
  const said = [];
  page.on('console', message => said.push(message.text()));
  page.on('pageerror', error => said.push(error.stack));
  page.on('request', request => { if (new URL(request.url()).origin !== new URL(address).origin && !request.url().startsWith('data:')) said.push(request.url()); });
  await page.goto(address);
  await page.waitForSelector('.ready-one', { state: 'attached' });
  await page.waitForSelector('#picture svg', { state: 'attached' });
  return { page, said };
}

const keep = async (page, name) => { if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` }); };
const stands = (page, turn) => page.waitForFunction(turn => document.querySelector('.place-says').value.startsWith(`turn ${turn} of `), turn);
const shows = (page, selector, pattern) => page.waitForFunction(([selector, source]) => new RegExp(source, 's').test(document.querySelector(selector)?.textContent), [selector, pattern.source]);

async function accessible(page, name) {
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(one => ['serious', 'critical'].includes(one.impact));
  assert.deepEqual(grave.map(one => `${one.id}: ${one.nodes.map(node => node.target.join(' ')).join(', ')}`), [], `${name} can be used by everybody`);
}

/** Writes a line as it is typed, with nothing but keys. */
async function type(page, text, turn) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await stands(page, turn);
  await page.keyboard.press('Escape');
}

/** Closes what lies above the page. */
async function leave(page, what) {
  await page.keyboard.press('Escape');
  await page.waitForSelector(what, { state: 'hidden' });
}

/** Begins a new dialogue. */
async function anew(page) {
  await page.keyboard.press('N');
  await page.keyboard.press('Enter');
  await stands(page, 0);
  await page.waitForSelector('#sheet', { state: 'hidden' });
}

const weight = async page => page.evaluate(async () => {
  const files = performance.getEntriesByType('resource').filter(one => one.name.includes('/assets/'));
  return files.reduce((sum, one) => sum + one.decodedBodySize, performance.getEntriesByType('navigation')[0].decodedBodySize);
});

try {
  // By keys alone: play, back, forward, another way, compare.
  const { page, said } = await opened();
  assert.ok(!page.url().includes('token'), 'the key does not stay in the address');
  assert.match(await page.textContent('#empty'), /Nothing was said yet.*greeting/s);
  await keep(page, 'empty');
  const size = await weight(page);
  assert.ok(size > 50_000 && size < 300_000, `${size} bytes`);
  await type(page, 'Сколько стоит? / price_question', 1);
  assert.match(await page.textContent('#talk .turn'), /Сколько стоит\?.*greeting.*spin_situation/s);
  await shows(page, '#turn', /Went to spin_situation because.*Decided by.*price_question/);
  await type(page, 'info_provided company_size=50', 2);
  await shows(page, '#turn', /company_size.*50/);
  await type(page, 'objection_price', 3);
  await page.keyboard.press('u');
  await stands(page, 2);
  assert.equal(await page.locator('#talk .turn.ahead').count(), 1, 'what was taken back stays in sight');
  await page.keyboard.press('U');
  await stands(page, 3);
  await page.keyboard.press('[');
  await stands(page, 2);
  await page.keyboard.press('k');
  assert.match(await page.textContent('#turn h2'), /Turn 1/);
  await page.keyboard.press('j');
  // What is meant is chosen from a list.
  await page.keyboard.press('i');
  await page.keyboard.type('rejec');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Не надо');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('.lane').length === 2);
  await page.keyboard.press('Escape');
  assert.match(await page.textContent('#talk'), /Не надо/);
  await page.keyboard.press('c');
  await shows(page, '.compared', /objection_price.*state.*soft_close|soft_close.*objection_price/);
  await keep(page, 'compare');
  await leave(page, '#sheet');
  await page.keyboard.press('f');
  await page.waitForSelector('#sheet[open]');
  await page.keyboard.type('probe');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.branch.mine')?.textContent === 'probe');
  await page.waitForSelector('#sheet', { state: 'hidden' });
  await page.keyboard.press('b');
  await page.waitForFunction(() => document.querySelector('.branch.mine')?.textContent !== 'probe');
  await keep(page, 'dialogue');

  // Why not: the lines that lead there are played by a key.
  await anew(page);
  await type(page, 'price_question', 1);
  await page.keyboard.press('w');
  await page.keyboard.type('close');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.why-not-says button');
  await keep(page, 'why-not');
  await page.click('.why-not-says button');
  await shows(page, '#state', /close/);
  await page.keyboard.press('Escape');

  // Data by the form, an intent by its number.
  await anew(page);
  await type(page, 'Сколько стоит? / price_question', 1);
  await page.fill('[data-slot=company_size]', '50');
  await page.fill('#intent', 'info_provided');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await stands(page, 2);
  await page.keyboard.press('Escape');
  await type(page, 'Дорого! / objection_price', 3);
  await page.keyboard.press('1');
  await page.keyboard.press('1');
  await stands(page, 4);
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await stands(page, 3);

  // The edit: the dialogue is played again, and what differs is shown in its place.
  const file = `${work}/flows/_base/mixins.yaml`;
  const was = readFileSync(file, 'utf8');
  const edit = was.replace('"{{default_price_action}}"', 'answer_later');
  assert.notEqual(edit, was);
  const began = performance.now();
  writeFileSync(file, edit);
  await page.waitForSelector('.turn.changed .differs');
  const took = performance.now() - began;
  assert.match(await page.textContent('.turn.changed'), /action.*deflect_and_continue.*answer_later/s);
  assert.match(await page.textContent('#edit'), /1 of [34] turns differs/);
  await keep(page, 'edit');
  await accessible(page, 'an edit');
  await page.keyboard.press('n');
  assert.match(await page.textContent('#turn h2'), /Turn 1/);
  // What does not load is told with its place and remedy, while the last good model goes on.
  writeFileSync(file, edit.replace('    transitions:\n', '    transitons:\n'));
  await page.waitForSelector('#broken:not([hidden])');
  assert.match(await page.textContent('#broken'), /transitons.*\^\^\^.*did you mean/s);
  await accessible(page, 'a broken model');
  await keep(page, 'broken');
  await type(page, 'small_talk', 4);
  writeFileSync(file, edit);
  await page.waitForSelector('#broken', { state: 'hidden' });
  await page.keyboard.press('x');
  assert.equal(await page.locator('.turn.changed').count(), 0);

  // What was found is kept as a scenario, which passes.
  await page.keyboard.press('s');
  await page.keyboard.type('О цене и возражении');
  await page.keyboard.press('Tab');
  await page.keyboard.type('studio/price.yaml');
  await page.keyboard.press('Enter');
  await shows(page, '#sheet', /scenarios\/studio\/price\.yaml.*passed/);
  await leave(page, '#sheet');
  const saved = test('scenarios/studio/price.yaml');
  assert.equal(saved.status, 0, saved.stdout + saved.stderr);

  // The suite: failures as conversations, and what waits for a decision.
  await page.keyboard.press('S');
  await page.keyboard.press('R');
  await page.waitForSelector('#suite-causes details', { timeout: 30_000 });
  await page.waitForSelector('#suite-review .strong');
  await shows(page, '#dot', /suite \d+\/\d+/);
  await keep(page, 'suite');
  await accessible(page, 'the suite');
  await page.locator('#suite-failures [data-address*="short.yaml"]').first().click();
  await page.waitForSelector('#suite-one .turn.bad .miss');
  assert.match(await page.textContent('#suite-one h2'), /Falls short <img src=x/);
  await keep(page, 'failure');
  await accessible(page, 'a failure');
  await page.keyboard.press('Escape');
  await page.locator('#suite-review .strong').first().click();
  await page.waitForFunction(() => !document.querySelector('#suite-review .strong'), null, { timeout: 30_000 });
  assert.equal(test('scenarios/price.yaml').status, 0, 'what was accepted is the snapshot');
  await page.waitForFunction(() => /suite \d+\/\d+/.test(document.querySelector('#dot').textContent) && !document.querySelector('.dot.is-runs'), null, { timeout: 30_000 });

  // Simulation: a dialogue of it is opened, on a branch of its own.
  await page.keyboard.press('M');
  await page.fill('.simulate input[type=number]', '60');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.funnel', { timeout: 30_000 });
  await keep(page, 'simulation');
  await accessible(page, 'simulation');
  await page.locator('[data-show]').first().click();
  await page.waitForSelector('#open-simulated');
  await page.click('#open-simulated');
  await page.waitForFunction(() => !document.querySelector('#dialogue').hidden && document.querySelectorAll('#talk .turn').length > 0);
  await page.keyboard.press('?');
  assert.match(await page.textContent('#help'), /undo.*fork.*save as scenario/s);
  await accessible(page, 'the keys');
  await leave(page, '#help');
  assert.equal(await page.evaluate(() => window.ran), undefined, 'nothing that was written runs');

  // Each view, dark and narrow.
  for (const [name, options] of [['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }], ['middle', { viewport: { width: 1100, height: 800 } }]]) {
    const other = await opened({ reducedMotion: 'reduce', ...options });
    await keep(other.page, name);
    await accessible(other.page, `${name}: the dialogue`);
    if (name === 'narrow') {
      for (const pane of ['graph', 'turn', 'talk']) {
        await other.page.click(`#tab-${pane}`);
        assert.ok(await other.page.locator(`#pane-${pane}`).isVisible());
        await keep(other.page, `${name}-${pane}`);
      }
    }
    for (const [view, ready] of [['suite', '#suite-files details'], ['simulation', '.simulate']]) {
      await other.page.click(`#to-${view}`);
      await other.page.waitForSelector(ready);
      if (view === 'simulation') {
        await other.page.fill('.simulate input[type=number]', '20');
        await other.page.keyboard.press('Enter');
        await other.page.waitForSelector('.funnel', { timeout: 30_000 });
      }
      await keep(other.page, `${name}-${view}`);
      await accessible(other.page, `${name}: ${view}`);
      const wider = await other.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wider <= 0, `${name}: nothing sticks out by ${wider} px`);
    }
    assert.deepEqual(other.said, []);
    // A tab that is loaded again is let in, though the key stands in its address no more.
    await other.page.reload();
    await other.page.waitForSelector('#talk .turn', { state: 'attached' });
    assert.ok(!other.page.url().includes('token'));
    await other.page.context().close();
  }

  // A thousand turns.
  await page.evaluate(() => act('load', { address: 'long/long.yaml::A thousand turns' }));
  await page.waitForFunction(() => talk.items.size === 1000 && !talk.unfilled.size, null, { timeout: 60_000 });
  const frames = await page.evaluate(() => new Promise(done => {
    const box = document.querySelector('#scroll');
    box.scrollTop = 0;
    const took = [];
    let last = 0;
    const on = now => {
      if (last) took.push(now - last);
      last = now;
      box.scrollTop += 300;
      if (box.scrollTop + box.clientHeight < box.scrollHeight - 2) requestAnimationFrame(on);
      else done(took.sort((a, b) => a - b));
    };
    requestAnimationFrame(on);
  }));
  const longest = frames[frames.length - 1];
  if (isFull) assert.ok(longest <= 50, `a frame of ${longest.toFixed(0)} ms`);
  await keep(page, 'thousand');
  assert.deepEqual(said, []);
  console.log(`studio: ${(size / 1000).toFixed(0)} kB; from saving a file to the new picture ${took.toFixed(0)} ms; a thousand turns scrolled in ${frames.length} frames, half of them within ${frames[frames.length >> 1].toFixed(0)} ms, the longest ${longest.toFixed(0)} ms`);
} catch (error) {
  // What stood there when it went wrong.
  for (const context of browser.contexts()) for (const page of context.pages()) await keep(page, 'wrong');
  console.error(printed);
  throw error;
} finally {
  await browser.close();
  studio.removeAllListeners('exit');
  studio.kill();
}
