// Uses the studio in a browser like a methodologist, mostly with the keyboard.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const [clients, executablePath, fsmsim, work, pictures] = process.argv.slice(2);
const { chromium } = await import(`${clients}/playwright-core-1.57.0/node_modules/playwright-core/index.mjs`);
const axe = readFileSync(`${clients}/axe-core-4.11.0/node_modules/axe-core/axe.min.js`, 'utf8');
const isFull = process.env.FSMSIM_CI === 'full';
const test = (...args) => spawnSync(fsmsim, ['test', ...args], { cwd: work, encoding: 'utf8', env: { ...process.env, CI: '' } });

// One scenario has an accepted snapshot.
test('--accept', 'scenarios/price.yaml::Принято как есть');

let printed = '';
const studios = [];
/** Starts a studio in a folder and returns its URL. */
function studioIn(cwd, ...args) {
  const studio = spawn(fsmsim, ['studio', ...args, '--no-open'], { cwd, env: { ...process.env, CI: '' } });
  studios.push(studio);
  return new Promise((done, fail) => {
    let own = '';
    studio.stdout.on('data', text => {
      printed += text;
      own += text;
      const found = /http:\/\/\S+token=\S+/.exec(own);
      if (found) done(found[0]);
    });
    studio.stderr.on('data', text => { printed += text; });
    studio.on('exit', code => fail(new Error(`the studio ended with ${code}: ${printed}`)));
  });
}
const address = await studioIn(work, 'flows/spin_selling');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] });

/** Opens a page that must not write to the console or send requests to other servers. */
async function newPage(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addInitScript(axe);
  const page = await context.newPage();
  const said = [];
  page.on('console', message => said.push(message.text()));
  page.on('pageerror', error => said.push(error.stack));
  page.on('request', request => { if (new URL(request.url()).origin !== new URL(address).origin && !request.url().startsWith('data:')) said.push(request.url()); });
  await page.goto(address);
  return { page, said };
}

/** Opens a page and waits for the dialogue and the diagram. */
async function opened(options = {}, from = address) {
  const made = await newPage(from, options);
  await made.page.waitForSelector('.ready-one', { state: 'attached' });
  await made.page.waitForSelector('#picture svg', { state: 'attached' });
  return made;
}

const screenshot = async (page, name) => { if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` }); };
const atTurn = (page, turn) => page.waitForFunction(turn => document.querySelector('.place-says').value.startsWith(`turn ${turn} of `), turn);
const shows = (page, selector, pattern) => page.waitForFunction(([selector, source]) => new RegExp(source, 's').test(document.querySelector(selector)?.textContent), [selector, pattern.source]);

async function accessible(page, name) {
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(one => ['serious', 'critical'].includes(one.impact));
  assert.deepEqual(grave.map(one => `${one.id}: ${one.nodes.map(node => node.target.join(' ')).join(', ')}`), [], `${name} is accessible`);
}

/** Checks that no word is broken, nothing is cut off, and the composer takes at most a quarter of the window. */
async function checkLayout(page, name) {
  const found = await page.evaluate(() => {
    const seen = element => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
    const broken = [];
    const texts = document.createTreeWalker(document.querySelector('.studio'), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      if (!text.parentElement || text.parentElement.closest('svg, .unseen, option') || !seen(text.parentElement)) continue;
      for (const word of text.data.matchAll(/[^\s_/.:,;=-]{2,30}/gu)) {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].filter(rect => rect.width > 0).map(rect => Math.round(rect.top)));
        if (lines.size > 1) broken.push(`${word[0]} in ${text.parentElement.className || text.parentElement.tagName}`);
      }
    }
    const scrolls = element => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
    const cut = [];
    for (const element of document.querySelectorAll('.studio *')) {
      if (element.closest('svg, .unseen, .skip, .choices') || !seen(element)) continue;
      let box = element.parentElement;
      while (box && !scrolls(box)) box = box.parentElement;
      const { right, left, width } = element.getBoundingClientRect();
      if (width && !box && (right > innerWidth + 1 || left < -1)) cut.push(`${element.tagName}.${element.className} from ${left} to ${right}`);
      const style = getComputedStyle(element);
      // Text for screen readers only has no size.
      if (style.clipPath === 'none' && style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1) cut.push(`inside ${element.tagName}.${element.className || element.id}`);
    }
    for (const id of ['turn', 'scroll', 'suite', 'simulation', 'composer']) {
      const element = document.getElementById(id);
      if (seen(element) && element.scrollWidth > element.clientWidth + 1) cut.push(`${id} scrolls sideways by ${element.scrollWidth - element.clientWidth}`);
    }
    const composer = document.getElementById('composer');
    return { broken, cut, share: seen(composer) ? composer.getBoundingClientRect().height / innerHeight : 0 };
  });
  assert.deepEqual(found.broken, [], `${name}: words are broken`);
  assert.deepEqual(found.cut, [], `${name}: something is cut off`);
  assert.ok(found.share <= 0.2505, `${name}: the composer takes ${found.share} of the height`);
}

/** Waits until the diagram is complete and readable, or shows the current state at a readable scale. */
async function fitted(page, name) {
  await page.waitForFunction(() => {
    const box = document.querySelector('#picture');
    const node = box.querySelector('.node.now .shape');
    if (!node) return false;
    const [outer, inner] = [box, node].map(one => one.getBoundingClientRect());
    const isSeen = inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
    const isWhole = box.scrollWidth <= box.clientWidth + 2 && box.scrollHeight <= box.clientHeight + 2;
    const ratio = box.clientHeight / box.clientWidth;
    return graph.zoom.scale >= (store.looked ? FARTHEST : READABLE) && isSeen && (isWhole || graph.zoom.whole() < READABLE) && graph.direction !== (innerWidth < 700 || ratio > 1.15 ? 'right' : ratio < 0.87 ? 'down' : '');
  }, null, { timeout: 5000 }).catch(async () => {
    const layout = await page.evaluate(() => {
      const frame = one => { const { left, top, right, bottom } = one.getBoundingClientRect(); return [left, top, right, bottom].map(Math.round); };
      const box = document.querySelector('#picture');
      return { box: frame(box), node: frame(box.querySelector('.node.now .shape')), scale: graph.zoom.scale, whole: graph.zoom.whole(), direction: graph.direction, isFree: graph.isFree };
    });
    assert.fail(`${name}: the diagram is not fitted: ${JSON.stringify(layout)}`);
  });
}

/** Types a line with the keyboard and waits for its turn. */
async function type(page, text, turn) {
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await atTurn(page, turn);
  await page.keyboard.press('Escape');
}

async function closeOverlay(page, what) {
  await page.keyboard.press('Escape');
  await page.waitForSelector(what, { state: 'hidden' });
}

/** Starts a new dialogue. */
async function restart(page) {
  await page.keyboard.press('N');
  await page.keyboard.press('Enter');
  await atTurn(page, 0);
  await page.waitForSelector('#sheet', { state: 'hidden' });
}

/** In a folder without a model, one of two tabs creates a project with the keyboard. */
async function createsAProject() {
  // Outside of the project, otherwise the studio would find its model.
  const folder = mkdtempSync(`${work}-empty-`);
  const address = await studioIn(folder);
  const empty = studios.at(-1);
  try {
    const [{ page, said }, other] = [await newPage(address), await newPage(address, { colorScheme: 'dark', viewport: { width: 390, height: 844 } })];
    for (const [name, tab] of [['new', page], ['new-narrow', other.page]]) {
      await shows(tab, '#new', /has no model yet.*A guest books a table.*Гость бронирует столик/);
      await accessible(tab, name);
      await screenshot(tab, name);
    }
    // If a file already exists, nothing is written and the page shows the reason.
    writeFileSync(`${folder}/fsmsim.toml`, '# mine\n');
    await page.keyboard.press('Enter');
    await shows(page, '#new-bad', /fsmsim\.toml. already exists.*nothing was written/);
    await accessible(page, 'a project that is not created');
    assert.equal(readFileSync(`${folder}/fsmsim.toml`, 'utf8'), '# mine\n');
    rmSync(`${folder}/fsmsim.toml`);
    await page.locator('#new button').nth(1).focus();
    await page.keyboard.press('Enter');
    for (const tab of [page, other.page]) await tab.waitForSelector('.ready-one', { state: 'attached' });
    assert.ok(await page.locator('#new').isHidden());
    await type(page, 'Добрый день! / greeting', 1);
    await shows(page, '#talk', /Добрый день!.*Здравствуйте! Хотите забронировать столик\?/);
    await shows(other.page, '#talk', /Добрый день!/);
    await screenshot(page, 'new-dialogue');
    await accessible(page, 'a new project');
    await page.keyboard.press('/');
    await page.keyboard.type('/ rejection');
    await page.keyboard.press('Enter');
    await atTurn(page, 2);
    await page.keyboard.press('u');
    await atTurn(page, 1);
    // The browser also logs the rejected requests.
    assert.deepEqual([...said, ...other.said].filter(text => !/status of 422/.test(text)), []);
  } finally {
    empty.removeAllListeners('exit');
    empty.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Exports the conversation. The file shows the same content and needs no other files. */
async function exportsTheConversation(page) {
  for (const [kind, extension] of [['html', /\.html$/], ['markdown', /\.md$/]]) {
    await page.keyboard.press('e');
    await page.selectOption('#sheet select', kind);
    await accessible(page, 'sharing');
    await screenshot(page, 'share');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#sheet .strong')]);
    assert.match(download.suggestedFilename(), extension);
    const file = `${work}/shared-${download.suggestedFilename()}`;
    await download.saveAs(file);
    await page.waitForSelector('#sheet', { state: 'hidden' });
    assert.match(readFileSync(file, 'utf8'), /Сколько стоит\?/);
    if (kind !== 'html') continue;
    for (const options of [{}, { colorScheme: 'dark', viewport: { width: 390, height: 844 } }]) {
      const shared = await newPage(`file://${file}`, options);
      assert.match(await shared.page.textContent('.turn'), /Сколько стоит\?.*greeting → spin_situation.*Moved to spin_situation/s);
      await shared.page.locator('details.why summary').first().focus();
      await shared.page.keyboard.press('Enter');
      assert.ok(await shared.page.locator('details.why li').first().isVisible());
      // The content security policy of the file blocks all scripts, including those that the test would add.
      const { width, height, sides } = await shared.page.evaluate(() => ({
        width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        height: document.body.scrollHeight,
        sides: ['user', 'bot'].map(side => document.querySelector(`.say.${side}`).getBoundingClientRect()).map(box => box.left),
      }));
      assert.ok(width <= 0 && height > 100 && sides[0] > sides[1], 'the user is on the right, and the page is not too wide');
      await accessible(shared.page, 'a shared conversation');
      await screenshot(shared.page, `shared-${options.colorScheme || 'light'}`);
      assert.deepEqual(shared.said.filter(text => !text.startsWith('file://')), []);
      await shared.page.context().close();
    }
  }
}

const weight = async page => page.evaluate(async () => {
  const files = performance.getEntriesByType('resource').filter(one => one.name.includes('/assets/'));
  return files.reduce((sum, one) => sum + one.decodedBodySize, performance.getEntriesByType('navigation')[0].decodedBodySize);
});

try {
  // Keyboard only: play, undo, redo, another branch, compare.
  const { page, said } = await opened();
  assert.ok(!page.url().includes('token'), 'the token is removed from the URL');
  assert.match(await page.textContent('#empty'), /No turns yet.*greeting/s);
  await screenshot(page, 'empty');
  await fitted(page, 'the first view');
  const size = await weight(page);
  assert.ok(size > 50_000 && size < 300_000, `${size} bytes`);
  await type(page, 'Сколько стоит? / price_question', 1);
  assert.match(await page.textContent('#talk .turn'), /Сколько стоит\?.*greeting.*spin_situation/s);
  await shows(page, '#turn', /Moved to spin_situation.*Decided by.*price_question/);
  await type(page, 'info_provided company_size=50', 2);
  await shows(page, '#turn', /company_size.*50/);
  await type(page, 'objection_price', 3);
  await page.keyboard.press('u');
  await atTurn(page, 2);
  assert.equal(await page.locator('#talk .turn.ahead').count(), 1, 'an undone turn stays visible');
  for (const colorScheme of ['dark', 'light']) {
    // Transitions of colors would distort the contrast check.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForTimeout(200);
    await accessible(page, `a turn that was undone, ${colorScheme}`);
  }
  await page.emulateMedia({ reducedMotion: null });
  await page.keyboard.press('U');
  await atTurn(page, 3);
  await page.keyboard.press('[');
  await atTurn(page, 2);
  await page.keyboard.press('k');
  assert.match(await page.textContent('#turn h2'), /Turn 1/);
  await page.keyboard.press('j');
  await checkLayout(page, 'a dialogue');
  // A diagram is fitted again in a larger pane, and the next turn can still be played there.
  await page.keyboard.press('g');
  await fitted(page, 'a wide diagram');
  for (const width of [1440, 1000]) {
    await page.setViewportSize({ width, height: 700 });
    await fitted(page, `a diagram in a window of ${width}`);
    await checkLayout(page, `a wide diagram at ${width}`);
    const [pane, button] = await page.evaluate(() => ['#pane-talk', '#composer [type=submit]'].map(one => document.querySelector(one).getBoundingClientRect().right));
    assert.ok(button <= pane, `Send ends at ${button}, its pane at ${pane}`);
  }
  await page.keyboard.press('g');
  await page.setViewportSize({ width: 1440, height: 900 });
  // A message covers no control, moves nothing and does not mention command-line options.
  const bottom = () => page.evaluate(() => document.querySelector('#composer').getBoundingClientRect().bottom);
  const wasAt = await bottom();
  await page.evaluate(() => act('go', { state: 'nowhere' }));
  await page.waitForSelector('#says.bad');
  await screenshot(page, 'message');
  const covered = await page.evaluate(() => {
    const message = document.querySelector('#says').getBoundingClientRect();
    const isUnder = ({ left, right, top, bottom }) => right > message.left && left < message.right && bottom > message.top && top < message.bottom;
    return [...document.querySelectorAll('#dialogue :is(button, input, select, textarea)')].filter(one => one.checkVisibility() && isUnder(one.getBoundingClientRect())).map(one => one.outerHTML);
  });
  assert.deepEqual(covered, [], 'a message covers no control');
  assert.equal(await bottom(), wasAt, 'a message moves nothing');
  // An unknown name is reported at the field with similar names.
  for (const [say, intent, taken] of [['Почём?', 'pric', ['Почём?', 'price_question']], ['Почём? / pric', '', ['Почём? / price_question', '']]]) {
    await page.fill('#say', say);
    await page.fill('#intent', intent);
    await page.focus('#say');
    await page.keyboard.press('Enter');
    await shows(page, '#composer-says', /unknown intent pric\b.*[Ss]imilar.*price_question/);
    assert.doesNotMatch(await page.textContent('#says'), /pric/);
    await accessible(page, 'a rejected turn');
    await checkLayout(page, 'a rejected turn');
    await screenshot(page, 'refused');
    await page.click('#composer-says button');
    assert.deepEqual([await page.inputValue('#say'), await page.inputValue('#intent')], taken);
  }
  // A key lists all intents.
  await page.fill('#say', '');
  await page.focus('#more-ready');
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('.choices:not([hidden]) [role=option]').count() > 9, 'all intents are listed');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.notEqual(await page.inputValue('#intent'), '');
  await page.evaluate(() => choose({}));
  await page.keyboard.press('Escape');
  // The browser logs rejected requests.
  assert.deepEqual(said.splice(0).filter(text => !/status of 422/.test(text)), []);
  // The examples of the model are the default recognizer. Without a recognizer, a text needs an intent.
  assert.equal(await page.evaluate(() => store.view.asks), 'examples');
  await page.evaluate(() => act('ask', { who: 'none' }));
  await page.keyboard.press('/');
  await page.keyboard.type('Просто текст');
  await page.keyboard.press('Enter');
  await shows(page, '#composer-says', /choose an intent/);
  for (const text of ['#says', '#composer-says']) assert.doesNotMatch(await page.textContent(text), /--|:states|restart|start it again/);
  await page.fill('#say', '');
  await page.keyboard.press('Escape');
  await page.evaluate(() => act('ask', { who: 'examples' }));
  // The intent is chosen from a list.
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
  await screenshot(page, 'compare');
  await closeOverlay(page, '#sheet');
  await page.keyboard.press('f');
  await page.waitForSelector('#sheet[open]');
  await page.keyboard.type('probe');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.branch.mine')?.textContent === 'probe');
  await page.waitForSelector('#sheet', { state: 'hidden' });
  await page.keyboard.press('b');
  await page.waitForFunction(() => document.querySelector('.branch.mine')?.textContent !== 'probe');
  await screenshot(page, 'dialogue');

  // Why not: one click plays the suggested lines.
  await restart(page);
  await type(page, 'price_question', 1);
  await page.keyboard.press('w');
  await page.keyboard.type('close');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.why-not-says button');
  await screenshot(page, 'why-not');
  await page.click('.why-not-says button');
  await shows(page, '#state', /close/);
  await page.keyboard.press('Escape');

  // Data from the form, an intent by its number.
  await restart(page);
  await type(page, 'Сколько стоит? / price_question', 1);
  await page.fill('[data-slot=company_size]', '50');
  await page.fill('#intent', 'info_provided');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await atTurn(page, 2);
  await page.keyboard.press('Escape');
  await type(page, 'Дорого! / objection_price', 3);
  await page.keyboard.press('1');
  await page.keyboard.press('1');
  await atTurn(page, 4);
  await page.keyboard.press('Escape');
  await page.keyboard.press('u');
  await atTurn(page, 3);

  // An edit: the dialogue is replayed, and differences are shown in their turns.
  const file = `${work}/flows/_base/mixins.yaml`;
  const was = readFileSync(file, 'utf8');
  const edit = was.replace('"{{default_price_action}}"', 'answer_later');
  assert.notEqual(edit, was);
  const began = performance.now();
  writeFileSync(file, edit);
  await page.waitForSelector('.turn.changed .differs');
  const took = performance.now() - began;
  assert.match(await page.textContent('.turn.changed'), /action.*deflect_and_continue.*answer_later/s);
  for (const selector of ['.differs', '#turn']) assert.doesNotMatch((await page.locator(selector).allTextContents()).join().replace(/Record\{.*/s, ''), /[{[]"/, 'changes are shown as text, not as JSON');
  assert.match(await page.textContent('#edit'), /1 of [34] turns differs/);
  await screenshot(page, 'edit');
  await accessible(page, 'an edit');
  await page.keyboard.press('n');
  assert.match(await page.textContent('#turn h2'), /Turn 1/);
  // An invalid model is reported with location and help, and the last valid model stays in use. The diagram is almost square here.
  await page.setViewportSize({ width: 1440, height: 790 });
  await fitted(page, 'before the error');
  const direction = await page.evaluate(() => graph.direction);
  writeFileSync(file, edit.replace('    transitions:\n', '    transitons:\n'));
  await page.waitForSelector('#broken:not([hidden])');
  assert.match(await page.textContent('#broken'), /transitons.*\^\^\^.*similar key/s);
  await accessible(page, 'a broken model');
  await screenshot(page, 'broken');
  await type(page, 'small_talk', 4);
  writeFileSync(file, edit);
  await page.waitForSelector('#broken', { state: 'hidden' });
  await page.waitForFunction(direction => graph.direction === direction, direction);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('x');
  assert.equal(await page.locator('.turn.changed').count(), 0);

  // The dialogue is saved as a scenario, which passes.
  await page.keyboard.press('s');
  await page.keyboard.type('О цене и возражении');
  await page.keyboard.press('Tab');
  await page.keyboard.type('studio/price.yaml');
  await page.keyboard.press('Enter');
  await shows(page, '#sheet', /Saved as scenarios\/studio\/price\.yaml.*passed.*Next:/);
  await accessible(page, 'a saved scenario');
  await closeOverlay(page, '#sheet');
  const saved = test('scenarios/studio/price.yaml');
  assert.equal(saved.status, 0, saved.stdout + saved.stderr);

  await exportsTheConversation(page);

  // The suite: failures as conversations, and pending snapshots.
  await page.keyboard.press('S');
  await page.keyboard.press('R');
  await page.waitForSelector('#suite-causes details', { timeout: 30_000 });
  await page.waitForSelector('#suite-review .strong');
  await shows(page, '#dot', /\d+ of \d+ failed/);
  await screenshot(page, 'suite');
  await accessible(page, 'the suite');
  await checkLayout(page, 'the suite');
  const listed = await page.$$eval('#suite-overview [data-address]', hits => hits.map(hit => hit.dataset.address));
  assert.deepEqual(listed, [...new Set(listed)], 'each scenario is listed once');
  await page.locator('#suite-causes [data-address*="short.yaml"]').first().click();
  await page.waitForSelector('#suite-one .turn.bad .miss');
  assert.match(await page.textContent('#suite-one h2'), /Fails <img src=x/);
  const missed = await page.$$eval('#suite-one .turn', turns => turns.map(turn => [...turn.querySelectorAll('.miss b')].map(one => one.textContent)));
  for (const fields of missed) assert.deepEqual(fields, [...new Set(fields)], 'each field is shown once');
  assert.equal(await page.locator('#suite-turn :text("Expected, and got")').count(), 0);
  await screenshot(page, 'failure');
  await accessible(page, 'a failure');
  await page.keyboard.press('Escape');
  await page.locator('#suite-review .strong').first().click();
  await page.waitForFunction(() => !document.querySelector('#suite-review .strong'), null, { timeout: 30_000 });
  assert.equal(test('scenarios/price.yaml').status, 0, 'the accepted snapshot is used');
  await page.waitForFunction(() => /\d+ (of \d+ failed|passed)/.test(document.querySelector('#dot').textContent) && !document.querySelector('.dot.is-runs'), null, { timeout: 30_000 });
  // Saving a file without changes is not an edit.
  assert.equal(await page.locator('#dot.is-old').count(), 0);
  writeFileSync(file, readFileSync(file));
  await page.waitForTimeout(1000);
  assert.equal(await page.locator('#dot.is-old').count(), 0, 'nothing was edited');

  // Simulation: one of its dialogues is opened on a separate branch.
  await page.keyboard.press('M');
  await page.fill('.simulate input[type=number]', '60');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.funnel', { timeout: 30_000 });
  await screenshot(page, 'simulation');
  await accessible(page, 'simulation');
  await page.locator('[data-show]').first().click();
  await page.waitForSelector('#open-simulated');
  await page.click('#open-simulated');
  await page.waitForFunction(() => !document.querySelector('#dialogue').hidden && document.querySelectorAll('#talk .turn').length > 0);
  await page.keyboard.press('?');
  assert.match(await page.textContent('#help'), /Undo the last turn.*Start a branch.*as a scenario/s);
  await accessible(page, 'the keys');
  await closeOverlay(page, '#help');
  assert.equal(await page.evaluate(() => window.ran), undefined, 'text of scenarios is never executed');

  // Each view in dark mode and in narrow windows.
  for (const [name, options] of [['dark', { colorScheme: 'dark' }], ['narrow', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' }], ['tablet', { viewport: { width: 500, height: 900 } }], ['middle', { viewport: { width: 1000, height: 700 } }]]) {
    const other = await opened({ reducedMotion: 'reduce', ...options });
    await screenshot(other.page, name);
    await accessible(other.page, `${name}: the dialogue`);
    await checkLayout(other.page, `${name}: the dialogue`);
    if (!['narrow', 'tablet'].includes(name)) await fitted(other.page, name);
    if (name === 'narrow' || name === 'tablet') {
      for (const pane of ['graph', 'turn', 'talk']) {
        await other.page.click(`#tab-${pane}`);
        assert.ok(await other.page.locator(`#pane-${pane}`).isVisible());
        if (pane === 'graph') await fitted(other.page, name);
        await checkLayout(other.page, `${name}: ${pane}`);
        await screenshot(other.page, `${name}-${pane}`);
      }
    }
    for (const [view, ready] of [['suite', '#suite-files details, #suite-causes details'], ['simulation', '.simulate']]) {
      await other.page.click(`#to-${view}`);
      await other.page.waitForSelector(ready);
      if (view === 'simulation') {
        await other.page.fill('.simulate input[type=number]', '20');
        await other.page.keyboard.press('Enter');
        await other.page.waitForSelector('.funnel', { timeout: 30_000 });
      }
      await screenshot(other.page, `${name}-${view}`);
      await accessible(other.page, `${name}: ${view}`);
      await checkLayout(other.page, `${name}: ${view}`);
      const wider = await other.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wider <= 0, `${name}: the page is ${wider} px too wide`);
    }
    assert.deepEqual(other.said, []);
    // A reloaded tab is still authorized, although its URL does not contain the token.
    await other.page.reload();
    await other.page.waitForSelector('#talk .turn', { state: 'attached' });
    assert.ok(!other.page.url().includes('token'));
    await other.page.context().close();
  }

  // Models are found by words, and fixtures come last.
  await page.keyboard.press('D');
  await page.keyboard.press('m');
  const paths = await page.$$eval('.choices:not([hidden]) [role=option]', all => all.map(one => one.dataset.name));
  assert.ok(paths.length > 10);
  const isFixture = path => /(^|\/)(fixtures|tests)\//.test(path);
  assert.deepEqual(paths.filter(isFixture), paths.slice(-2), 'fixtures come last');
  await page.keyboard.type('flows medi');
  assert.deepEqual(await page.$$eval('.choices:not([hidden]) [role=option]', all => all.map(one => one.dataset.name)), ['flows/medium.yaml']);
  await screenshot(page, 'models');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => store.view.model.path === 'flows/medium.yaml' && graph.states.length === 25);
  await fitted(page, 'a flow of 25 states');
  await page.evaluate(() => act('model', { path: 'flows/large.yaml' }));
  await page.waitForFunction(() => store.view.model.path === 'flows/large.yaml' && graph.states.length === 200);
  await fitted(page, 'a flow of 200 states');

  // A state set: consent, `text / state`, effects as text, and no edges for built-in transitions.
  const student = await opened({}, await studioIn(work, 'states/student', '--twin', 'twin.json'));
  await type(student.page, 'Хочу план / plan_entry', 1);
  await shows(student.page, '#state', /dt_consent/);
  await type(student.page, 'Да', 2);
  await student.page.keyboard.press('u');
  await atTurn(student.page, 1);
  await student.page.keyboard.press('1');
  await atTurn(student.page, 2);
  await student.page.keyboard.press('Escape');
  assert.match(await student.page.textContent('#talk .turn:last-child .aside'), /consent: read yes, write yes/);
  await shows(student.page, '#turn', /Effects.*read.*profile, goals.*done/s);
  await shows(student.page, '#turn', /profile.*stage: практикующий/s);
  assert.doesNotMatch((await student.page.textContent('#turn')).replace(/Record\{.*/s, ''), /[{[]"/, 'effects are shown as text, not as JSON');
  await student.page.evaluate(() => act('play', { turn: { say: 'Дальше?', reply: 'Начнём с целей.' } }));
  await student.page.waitForFunction(() => document.querySelector('#talk .bot'));
  const sides = await student.page.evaluate(() => ['.user', '.bot', '#talk'].map(one => [...document.querySelectorAll(`#talk ${one}`), document.querySelector('#talk')][0].getBoundingClientRect()).map(({ left, right }) => [left, right]));
  assert.ok(sides[0][0] > sides[1][0] && sides[0][1] > sides[1][1], 'the user is on the right');
  const labels = await student.page.$$eval('#picture .label text', all => all.map(one => one.textContent));
  assert.ok(labels.length && !labels.some(text => /not_asked|breaks_schema|down/.test(text)), 'built-in transitions have no edges');
  assert.match(await student.page.textContent('#picture .node[data-state=plan_entry]'), /built in.*not_asked/s);
  await checkLayout(student.page, 'a state set');
  await accessible(student.page, 'a state set');
  await screenshot(student.page, 'states');
  assert.deepEqual(student.said, []);
  await student.page.context().close();

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
  await screenshot(page, 'thousand');
  await createsAProject();
  assert.deepEqual(said, []);
  console.log(`studio: ${(size / 1000).toFixed(0)} kB; from saving a file to the new diagram ${took.toFixed(0)} ms; a thousand turns scrolled in ${frames.length} frames, half of them within ${frames[frames.length >> 1].toFixed(0)} ms, the longest ${longest.toFixed(0)} ms`);
} catch (error) {
  // Screenshots of all pages at the time of the failure.
  for (const context of browser.contexts()) for (const page of context.pages()) await screenshot(page, 'wrong');
  console.error(printed);
  throw error;
} finally {
  await browser.close();
  for (const studio of studios) {
    studio.removeAllListeners('exit');
    studio.kill();
  }
}
