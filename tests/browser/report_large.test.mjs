// The report of a run with more than a hundred thousand packets stays a page that can be used.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fencepost, launch, run, scratch } from './browser.mjs';
import { click, open, press, state, summary } from './report_page.mjs';

const folder = scratch();
const directory = path.join(folder, 'large');
let browser;

// Twenty-four members of one group; now and then one of them is restarted.
function scenario() {
  const members = Array.from({ length: 24 }, (_, at) => `C${at + 1}`);
  const lines = [
    'name: large', 'about: Many members for a long time.',
    'topics: {orders: {partitions: 24, short: o}, invoices: {partitions: 1, short: i}}',
    'defaults:', '  broker: {group.initial.rebalance.delay.ms: 0}',
    '  consumer: {session.timeout.ms: 6000, heartbeat.interval.ms: 1000, auto.offset.reset: earliest,',
    '    enable.auto.commit: false, group.id: billing, subscribe: orders, output: invoices}',
    'processes:', '  B1: {role: broker}',
    '  P1: {role: producer, records: {orders: 40}, interval.ms: 20000}',
    ...members.map((name) => `  ${name}: {role: consumer}`),
    'timeline:', `  - {at: 0, start: [B1, P1, ${members.join(', ')}]}`,
  ];
  for (let tick = 100; tick < 1900; tick += 150) lines.push(`  - {at: ${tick}, restart: C${1 + (tick / 50) % 24}}`);
  return `${lines.join('\n')}\nuntil: 1900\nexpect:\n  lost: 0\n`;
}

before(async () => {
  const file = path.join(folder, 'large.yaml');
  fs.writeFileSync(file, scenario());
  run(file, directory);
  fencepost(['report', directory]);
  browser = await launch();
});
after(() => browser?.close());

test('A hundred thousand packets can be stepped through, filtered and chosen', async (told) => {
  const { page, complaints } = await open(browser, path.join(directory, 'report.html'));
  const counts = summary(directory);
  const seen = await state(page);
  assert.ok(counts.packets > 100_000, `${counts.packets} packets`);
  assert.equal(seen.packets, counts.packets);
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(await nodes() < 6000, `${await nodes()} elements`);
  await press(page, 'Home');
  for (let step = 0; step < 30; ++step) await press(page, 'ArrowRight');
  assert.equal((await state(page)).tick, 30);
  assert.equal((await press(page, 'End')).tick, counts.ticks - 1);
  const last = await press(page, 'ArrowDown');
  assert.ok(last.packet > 0);
  for (const [from, to] of [[0, 60], [900, 1000], [0, counts.ticks]]) {
    await page.evaluate((a, b) => window.fencepost.zoom(a, b), from, to);
    assert.ok((await state(page)).drawn < counts.packets * 2);
  }
  const joins = fencepost(['packets', directory, '--only', 'JoinGroup', '--format', 'tsv']).trim().split('\n').length;
  await press(page, '/');
  await page.keyboard.type('joingroup');
  const shown = (await state(page)).shown;
  assert.ok(shown > 0 && shown <= joins, `${shown} of ${joins}`);
  await press(page, 'Escape');
  await click(page, 'clear');
  await click(page, 'errors-only');
  await page.evaluate((number) => window.fencepost.select(number), counts.packets);
  assert.equal((await state(page)).packet, counts.packets);
  assert.ok(await nodes() < 8000, `${await nodes()} elements`);
  const { JSHeapUsedSize: heap } = await page.metrics();
  assert.ok(heap < 600e6, `${heap} bytes of heap`);
  told.diagnostic(`${counts.packets} packets, page ${(fs.statSync(path.join(directory, 'report.html')).size / 1e6).toFixed(1)} MB, ` +
    `heap ${(heap / 1e6).toFixed(0)} MB, ${await nodes()} elements`);
  assert.deepEqual(complaints, []);
});
