// The report in a real browser: what it counts, steps, filters and shows is what the summary and
// the packet list say; by mouse and by keyboard, dark and light, on a desk and on a phone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fencepost, launch, run, scratch, source } from './browser.mjs';
import { click, listed, open, pale, press, state, summary, texts } from './report_page.mjs';

const folder = scratch();
const names = ['02-range-eager', '03-cooperative', '04-commit-after-crash-k2', '07b-zombie-sigstop'];
const directory = (name) => path.join(folder, name);
const report = (name) => path.join(directory(name), 'report.html');
const zombie = '07b-zombie-sigstop';
let browser;

before(async () => {
  for (const name of names) {
    run(path.join(source, 'scenarios/demos', `${name}.yaml`), directory(name));
    fencepost(['report', directory(name)]);
  }
  browser = await launch();
});
after(() => browser?.close());

async function withPage(file, options, judge) {
  const { page, complaints } = await open(browser, file, options);
  try {
    await judge(page);
    assert.deepEqual(complaints, []);
  } finally {
    await page.close();
  }
}

for (const name of names) {
  test(`${name}: counts what the summary counts`, () => withPage(report(name), {}, async (page) => {
    const told = summary(directory(name));
    const seen = await state(page);
    assert.equal(seen.packets, told.packets);
    assert.equal(seen.packets, listed(directory(name)).length);
    assert.equal(seen.shown, told.packets);
    assert.equal(seen.lastTick, told.ticks - 1);
    const [counts] = await texts(page, 'counts');
    const plain = counts.replace(/,/g, '');
    assert.match(plain, new RegExp(`\\b${told.ticks} ticks of 1000 ms`));
    assert.match(plain, new RegExp(`\\b${told.packets} packets`));
    assert.match(plain, new RegExp(`\\b${told.events} events`));
    assert.equal(Number(counts.match(/(\d+) twice/)?.[1] ?? 0), told.twice.length);
    const cards = await texts(page, 'rebalance');
    assert.equal(cards.filter((one) => /^#\d+/.test(one)).length, told.rebalances);
    const paused = cards.map((one) => Number(one.match(/(\d+) partition ticks?/)?.[1] ?? 0));
    assert.deepEqual(paused, told.pauses);
  }));

  test(`${name}: says of every packet what the list says`, () => withPage(report(name), {}, async (page) => {
    const list = listed(directory(name));
    const seen = await page.evaluate((count) => Array.from({ length: count },
      (_, at) => { const { tick, source, destination, info } = window.fencepost.packet(at + 1); return { tick, source, destination, info }; }),
    list.length);
    assert.deepEqual(seen, list.map(({ tick, source: from, destination, info }) => ({ tick, source: from, destination, info })));
  }));
}

test('The overview stands above the picture: the same tick, the same place', () => withPage(report(zombie), {}, async (page) => {
  for (const tick of [0, 40, 120]) {
    await page.evaluate((to) => window.fencepost.go(to), tick);
    await press(page, '0');
    // The cursor is the darkest column: of the picture's overlay, and of the overview.
    const [above, below] = await page.evaluate(() => ['minimap-0', 'overlay-0'].map((id) => {
      const canvas = document.getElementById(id);
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
      const pen = copy.getContext('2d', { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const row = pen.getImageData(0, id === 'minimap-0' ? 20 : canvas.height - 2, canvas.width, 1).data;
      const dark = [];
      for (let x = 0; x < canvas.width; ++x) {
        if (row[4 * x + 3] > 150 && row[4 * x] + row[4 * x + 1] + row[4 * x + 2] < 160) dark.push(x);
      }
      return dark;
    }));
    assert.ok(above.some((x) => below.some((other) => Math.abs(x - other) <= 2)), `tick ${tick}: ${above} and ${below}`);
  }
}));

test('A run opens whole, or where it is crowded at the rebalance that cost most', async () => {
  await withPage(report(zombie), {}, async (page) => {
    assert.deepEqual((await state(page)).view, { from: 0, to: 121 });
  });
  await withPage(report('03-cooperative'), {}, async (page) => {
    const { tick, view } = await state(page);
    assert.ok(view.to - view.from < 171 && view.from < tick && tick < view.to, JSON.stringify(view));
    // What is then chosen stays, the whole run too.
    await press(page, '0');
    await page.waitForFunction(() => location.hash.includes('v=0-171'));
    await page.reload();
    await page.waitForFunction(() => window.fencepost?.ready === true);
    assert.deepEqual((await state(page)).view, { from: 0, to: 171 });
  });
});

test('Errors that are part of the protocol are told apart, as the summary does', () => withPage(report('04-commit-after-crash-k2'), {}, async (page) => {
  const [, told] = summary(directory('04-commit-after-crash-k2')).text.match(/^ {2}part of the protocol:\n((?: {2}.*\n)+)/m);
  const [shown] = await texts(page, 'protocol-errors');
  for (const name of new Set(told.match(/[A-Z]+(?:_[A-Z]+)+/g))) assert.ok(shown.includes(name), `${name}: ${shown}`);
  const [all] = await texts(page, 'errors');
  assert.match(all, /^none but those that are part of the protocol/);
}));

test('The pause of an owner that died says from when it counts', () => withPage(report('04-commit-after-crash-k2'), {}, async (page) => {
  const titles = await page.$$eval('.pause-meter i', (all) => all.map((one) => one.title));
  assert.ok(titles.some((one) => /C2 died; paused from the last tick of its life/.test(one)), titles.join('\n'));
}));

for (const name of names) {
  test(`${name}: tells why in the sentences of why`, () => withPage(report(name), {}, async (page) => {
    const told = fencepost(['why', directory(name)]).trim().split('\n')
      .map((line) => line.replace(/^ *\d+ +\d+ ms {2}/, '').replace(/\s+/g, ' ').trim());
    const shown = await page.$$eval('[data-testid="story"] > li > p', (all) => all.map((one) => one.textContent.replace(/\s+/g, ' ').trim()));
    assert.deepEqual(shown, told);
  }));
}

test('The causes of a packet are those of the packet list', () => withPage(report(zombie), {}, async (page) => {
  const list = listed(directory(zombie));
  for (const one of list.filter((packet) => packet.cause.packet !== null)) {
    const [first] = await page.evaluate((number) => window.fencepost.packet(number).chain, one.number);
    assert.ok(first.includes(list[one.cause.packet - 1].info.slice(0, 40)), `${one.number}: ${first}`);
  }
}));

test('The invoices that stand twice are marked', () => withPage(report('04-commit-after-crash-k2'), {}, async (page) => {
  await press(page, 'End');
  const twice = await page.$$eval('[data-testid="invoices"] .twice', (all) => all.map((one) => one.textContent));
  assert.deepEqual([...new Set(twice)].sort(), summary(directory('04-commit-after-crash-k2')).twice);
  assert.equal(twice.length, 2 * new Set(twice).size);
}));

test('Offsets at the end are those that stand committed', () => withPage(report(zombie), {}, async (page) => {
  await press(page, 'End');
  const rows = await page.$$eval('[data-testid="partition"]', (all) => all.map((row) => [
    row.dataset.partition, ...[...row.querySelectorAll('.number')].map((cell) => cell.textContent)]));
  const committed = rows.map(([partition, , offset]) => `${partition}=${offset}`);
  const [commits] = summary(directory(zombie)).text.match(/^ {6}commits +(.*)$/m).slice(1);
  assert.deepEqual(committed.filter((one) => /^[op]\d/.test(one)), commits.split(' '));
}));

test('The keyboard steps through ticks and packets', () => withPage(report(zombie), {}, async (page) => {
  assert.equal((await press(page, 'Home')).tick, 0);
  assert.equal((await press(page, 'ArrowRight', 'ArrowRight')).tick, 2);
  assert.equal((await press(page, 'ArrowLeft')).tick, 1);
  assert.equal((await press(page, 'End')).tick, 120);
  assert.equal((await press(page, 'ArrowRight')).tick, 120);
  // Nothing but heartbeats and empty fetches from 83 on.
  assert.ok((await press(page, 'Shift+ArrowLeft')).tick < 120);
  const first = await press(page, 'Home', 'ArrowDown');
  assert.equal(first.packet, 1);
  assert.equal((await press(page, 'ArrowDown', 'ArrowDown')).packet, 3);
  assert.equal((await press(page, 'ArrowUp')).packet, 2);
  const [title] = await texts(page, 'inspector');
  assert.match(title, /^Packet 2: C1 → B1/);
}));

test('Keys open the list of keys and close it', () => withPage(report(zombie), {}, async (page) => {
  await press(page, '?');
  assert.equal(await page.$eval('#help', (one) => one.open), true);
  await press(page, 'Escape');
  assert.equal(await page.$eval('#help', (one) => one.open), false);
}));

test('Every control is reached with Tab, has a name, and shows that it has the focus', () => withPage(report(zombie), {}, async (page) => {
  const controls = await page.$$eval('button, input, summary, [tabindex="0"]', (all) => all
    .filter((one) => one.checkVisibility() && one.tabIndex >= 0).length);
  const met = new Set();
  for (let step = 0; step < controls + 20; ++step) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const one = document.activeElement;
      if (one === document.body) return null;
      const all = [...document.querySelectorAll('*')];
      const style = getComputedStyle(one);
      const ringed = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
      const label = one.getAttribute('aria-label') || one.textContent.trim() || one.title || one.labels?.[0]?.textContent;
      return { index: all.indexOf(one), ringed, label, what: one.outerHTML.slice(0, 80) };
    });
    if (!at) continue;
    assert.ok(at.ringed, `no ring: ${at.what}`);
    assert.ok(at.label, `no name: ${at.what}`);
    met.add(at.index);
  }
  assert.ok(met.size >= controls, `${met.size} of ${controls} are reached`);
}));

test('Filters show what the packet list shows', () => withPage(report(zombie), {}, async (page) => {
  const all = listed(directory(zombie));
  const errors = all.filter((one) => one.errors.length > 0 || one.fate !== 'arrives').length;
  assert.equal((await click(page, 'errors-only')).shown, errors);
  await click(page, 'clear');
  assert.equal((await click(page, 'process-C2')).shown, listed(directory(zombie), '--host', 'C2').length);
  await click(page, 'clear');
  await press(page, '/');
  await page.keyboard.type('joingroup');
  assert.equal((await state(page)).shown, listed(directory(zombie), '--only', 'JoinGroup').length);
  await press(page, 'Escape');
  const [count] = await texts(page, 'packets-count');
  assert.match(count, /^\d+ of 711 packets$/);
  await click(page, 'clear');
  const quiet = await press(page, 'h');
  assert.equal(quiet.shown, listed(directory(zombie), '--no-heartbeats').length);
  assert.equal((await press(page, 'h')).shown, all.length);
}));

test('A packet that is clicked shows its fields, its answer and its causes', () => withPage(report(zombie), {}, async (page) => {
  const refused = listed(directory(zombie)).find((one) => one.api === 'OffsetCommit' && one.errors.length > 0);
  await page.evaluate((tick) => window.fencepost.go(tick), refused.tick);
  await state(page);
  await page.$eval(`[data-packet="${refused.number}"]`, (row) => row.click());
  assert.equal((await state(page)).packet, refused.number);
  const [info] = await texts(page, 'info');
  assert.equal(info, refused.info.replace(/\s+/g, ' '));
  const [fields] = await texts(page, 'fields');
  assert.match(fields, /committed_offset|error_code/);
  assert.match(fields, /UNKNOWN_MEMBER_ID|25/);
  const steps = await page.$$eval('[data-testid="chain"] > li', (all) => all.length);
  assert.ok(steps >= 2);
  // A cause is a way to it.
  await page.$eval('[data-testid="chain"] button', (one) => one.click());
  assert.equal((await state(page)).packet, refused.counterpart);
}));

test('An arrow in the picture can be clicked', () => withPage(report(zombie), {}, async (page) => {
  await page.evaluate(() => window.fencepost.zoom(60, 70));
  const before = await state(page);
  assert.equal(before.packet, null);
  const box = await (await page.$('#picture-0')).boundingBox();
  // Somewhere between the broker and its members there are arrows everywhere.
  for (let x = box.width * 0.3; x < box.width * 0.9; x += 17) {
    await page.mouse.click(box.x + x, box.y + box.height * 0.38);
    if ((await state(page)).packet !== null) break;
  }
  assert.notEqual((await state(page)).packet, null);
}));

test('The address keeps what is chosen', () => withPage(report(zombie), {}, async (page) => {
  await click(page, 'process-C2');
  await page.evaluate(() => window.fencepost.select(409));
  const before = await state(page);
  await page.waitForFunction(() => /[#&]e=\d+/.test(location.hash) && /[#&]p=C2/.test(location.hash));
  await page.reload();
  await page.waitForFunction(() => window.fencepost?.ready === true);
  assert.deepEqual(await state(page), { ...before, drawn: (await state(page)).drawn });
}));

test('Dark and light change by a button', () => withPage(report(zombie), { scheme: 'light' }, async (page) => {
  const ground = () => page.$eval('body', (one) => getComputedStyle(one).backgroundColor);
  const light = await ground();
  await click(page, 'theme');
  assert.notEqual(await ground(), light);
  await click(page, 'theme');
  assert.equal(await ground(), light);
}));

for (const name of names) {
  test(`${name} fits the width of a phone`, () => withPage(report(name), { width: 390, height: 844 }, async (page) => {
    for (const keys of [['Home'], ['End'], ['Home', 'ArrowDown']]) {
      await press(page, ...keys);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${width} wide after ${keys}`);
    }
    const lost = await page.evaluate(() => [...document.querySelectorAll('button, input')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1)
      .filter((one) => !one.closest('[style*="overflow"], .scroll, #packets'))
      .map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(lost, []);
  }));
}

test('Two runs stand beside each other, in step', async () => {
  const alone = fs.readFileSync(report('02-range-eager'));
  fencepost(['report', directory('02-range-eager'), directory('03-cooperative')]);
  assert.ok(alone.equals(fs.readFileSync(report('02-range-eager'))));
  const file = path.join(directory('02-range-eager'), 'report-vs-03-cooperative.html');
  await withPage(file, {}, async (page) => {
    const seen = await state(page);
    assert.deepEqual(seen.runs, ['range-eager', 'cooperative']);
    assert.equal((await texts(page, 'run')).length, 2);
    assert.equal((await page.$$('[data-testid="picture"]')).length, 2);
    assert.equal(seen.packets, listed(directory('02-range-eager')).length);
    const pressed = () => page.$$eval('[data-testid^="listed-"]', (all) => all
      .filter((one) => one.getAttribute('aria-pressed') === 'true').map((one) => one.textContent));
    assert.deepEqual(await pressed(), ['range-eager']);
    const other = await press(page, 'r');
    assert.equal(other.packets, listed(directory('03-cooperative')).length);
    assert.deepEqual(await pressed(), ['cooperative']);
    assert.equal((await click(page, 'listed-0')).packets, seen.packets);
    await page.evaluate(() => window.fencepost.go(60));
    await state(page);
    assert.equal((await page.$$('[data-testid="group"]')).length, 2);
  });
});

test('Words that mean something in HTML stay words', async () => {
  run(path.join(source, 'tests/browser/hostile.yaml'), directory('hostile'));
  fencepost(['report', directory('hostile')]);
  await withPage(report('hostile'), {}, async (page) => {
    await press(page, 'End');
    await page.evaluate(() => { for (let number = 1; number <= window.fencepost.state().packets; ++number) { window.fencepost.select(number); window.fencepost.flush(); } });
    const foreign = await page.$$eval('img, [onclick], [onerror], b[onclick]', (all) => all.length);
    assert.equal(foreign, 0);
    const groups = (await texts(page, 'group')).join('\n');
    assert.ok(groups.includes('<b onclick=alert(1)>"x"</b>'), groups);
  });
});

for (const scheme of ['light', 'dark']) {
  test(`All text can be read: ${scheme}`, () => withPage(report(zombie), { scheme }, async (page) => {
    await page.evaluate(() => window.fencepost.select(409));
    await state(page);
    assert.deepEqual(await pale(page), []);
  }));
}
