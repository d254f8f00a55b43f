// Mermaid itself reads the sequence diagrams of all scenarios, whole and in parts, and draws some of
// them; a run full of words that mean something in the language, too.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fencepost, launch, packaged, run, scenarios, scratch, source } from './browser.mjs';

const folder = scratch();
let browser;
let page;

before(async () => {
  browser = await launch();
  page = await browser.newPage();
  await page.goto('about:blank');
  await page.addScriptTag({ path: packaged('mermaid/dist/mermaid.min.js') });
  await page.evaluate(() => {
    window.mermaid.initialize({ startOnLoad: false, maxTextSize: 1e9 });
  });
});
after(() => browser?.close());

const diagram = (directory, ...options) => fencepost(['diagram', directory, '--mermaid', '-', ...options]);

// What is wrong with it; nothing if it can be read.
const mistake = (text) => page.evaluate(async (given) => {
  try {
    const read = await window.mermaid.parse(given);
    return read.diagramType === 'sequence' ? null : `is read as ${read.diagramType}`;
  } catch (error) {
    return String(error?.message ?? error);
  }
}, text);

// The texts that the drawing shows, and what in it is not a drawing.
const drawn = (text) => page.evaluate(async (given) => {
  const { svg } = await window.mermaid.render('drawing', given);
  const box = document.createElement('div');
  box.innerHTML = svg;
  const texts = (selector) => [...box.querySelectorAll(selector)].map((one) => one.textContent);
  return {
    messages: texts('.messageText'),
    notes: texts('.noteText'),
    crosses: box.querySelectorAll('[marker-end*="crosshead"]').length,
    phases: box.querySelectorAll('rect.rect').length,
    actors: texts('text.actor').length,
    foreign: box.querySelectorAll('script, foreignObject b, [onclick], a').length,
  };
}, text);

const lines = (text, pattern) => text.split('\n').filter((line) => pattern.test(line));
const messages = (text) => lines(text, /^ {2}\w+(->>|-->>|-x|--x)\w+: /);

for (const file of [...scenarios('demos'), ...scenarios('situations')]) {
  const name = path.basename(file, '.yaml');
  test(`${name} is read by Mermaid`, async () => {
    const directory = run(file, path.join(folder, name));
    const short = diagram(directory);
    assert.equal(await mistake(short), null);
    assert.ok(messages(short).length <= 200);
    // What Mermaid takes where nobody has raised its maxTextSize.
    assert.ok(short.length < 50_000, `${short.length} characters`);
    assert.equal(await mistake(diagram(directory, '--limit', '0')), null);
    assert.equal(await mistake(diagram(directory, '--all', '--ticks', '20..40')), null);
    assert.equal(await mistake(diagram(directory, '--only', 'JoinGroup,SyncGroup')), null);
  });
}

for (const name of ['02-range-eager', '03-cooperative', '04-commit-after-crash-k2', '07b-zombie-sigstop']) {
  test(`${name} is drawn, every message and every note`, async () => {
    const text = diagram(path.join(folder, name), '--limit', '120');
    const seen = await drawn(text);
    assert.equal(seen.messages.length, messages(text).length);
    assert.ok(seen.messages.every((one) => /^t=\d+ no\.\d+ [A-Z]\w+ (Request|Response)/.test(one)));
    assert.equal(seen.crosses, lines(text, /^ {2}\w+--?x\w+: /).length);
    assert.equal(seen.phases, lines(text, /^ {2}rect /).length);
    // Name and role, above and below.
    assert.equal(seen.actors, 4 * lines(text, /^ {2}participant /).length);
    assert.equal(seen.foreign, 0);
  });
}

test('Words that mean something elsewhere are shown as they are', async () => {
  const directory = run(path.join(source, 'tests/browser/hostile.yaml'), path.join(folder, 'hostile'));
  const text = diagram(directory, '--limit', '0', '--all');
  assert.equal(await mistake(text), null);
  const seen = await drawn(text);
  assert.equal(seen.messages.length, messages(text).length);
  assert.equal(seen.foreign, 0);
  const shown = seen.messages.join('\n').replace(/\u00a0/g, ' ');
  for (const group of [
    'group=end; #1 <b onclick=alert(1)>"x"</b> %%{init}%% ``` $$x$$ style:a#1; \\x0a end',
    'group=classDef x:y#35;z \uFB02\u00B0\u00B060\u00B6\u00DF end',
  ]) {
    assert.ok(shown.includes(group), `${group}\nis not among\n${shown.slice(0, 2000)}`);
  }
});
