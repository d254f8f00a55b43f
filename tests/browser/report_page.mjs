// report.html in a browser, and what the other outputs say about the same run.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { fencepost } from './browser.mjs';

// Opens a page and waits until all of it is drawn. `complaints` collects what a page must not do:
// errors, words on the console, dialogs, and asking anybody for anything.
export async function open(browser, file, { width = 1440, height = 900, scheme = 'light', hash = '' } = {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (said) => complaints.push(`console: ${said.text()}`));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
  await page.goto(pathToFileURL(file) + hash, { timeout: 300_000 });
  await page.waitForFunction(() => window.fencepost?.ready === true, { timeout: 300_000 });
  return { page, complaints };
}

export const state = (page) => page.evaluate(() => { window.fencepost.flush(); return window.fencepost.state(); });

// Presses keys, one after the other, and lets the page draw.
export async function press(page, ...keys) {
  for (const key of keys) {
    if (key.startsWith('Shift+')) {
      await page.keyboard.down('Shift');
      await page.keyboard.press(key.slice(6));
      await page.keyboard.up('Shift');
    } else {
      await page.keyboard.press(key);
    }
  }
  return state(page);
}

export const texts = (page, name) => page.$$eval(`[data-testid="${name}"]`,
  (found) => found.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));

export async function click(page, name) {
  await page.$eval(`[data-testid="${name}"]`, (one) => one.click());
  return state(page);
}

// The packets of the list, as `packets --format json` has them.
export function listed(directory, ...options) {
  return fencepost(['packets', directory, '--format', 'json', ...options]).trim().split('\n')
    .map((line) => JSON.parse(line)).filter((one) => one.kind === 'packet');
}

// What summary.txt counts.
export function summary(directory) {
  const text = fs.readFileSync(path.join(directory, 'summary.txt'), 'utf8');
  const found = (pattern) => text.match(pattern)?.slice(1) ?? [];
  const [ticks] = found(/^(\d+) ticks of/m);
  const [packets, events] = found(/; (\d+) packets?, (\d+) events?/);
  const [twice = ''] = found(/^RECORDS\n(?:.*\n)*? {6}twice +(.*)$/m);
  return {
    text, ticks: Number(ticks), packets: Number(packets), events: Number(events),
    rebalances: [...text.matchAll(/^ {2}#\d+ /gm)].length,
    pauses: [...text.matchAll(/^ {6}paused {3}(?:(\d+) partition-ticks?|nothing)/gm)].map((one) => Number(one[1] ?? 0)),
    twice: /^none/.test(twice) || twice === '' ? [] : twice.split(' '),
  };
}

// Elements whose own text has too little contrast to its ground (WCAG 2: 4.5, or 3 where it is
// large). Canvases are not looked at.
export const pale = (page) => page.evaluate(() => {
  const parts = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  // Any colour that CSS can name, over a ground.
  const over = (colour, ground) => {
    canvas.fillStyle = `rgb(${ground.join(',')})`;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const groundOf = (one) => {
    const stack = [];
    for (let at = one; at; at = at.parentElement) stack.unshift(getComputedStyle(at).backgroundColor);
    return stack.reduce((ground, colour) => over(colour, ground), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Map();
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(one);
    if (!own || one.closest('[hidden], .hidden, .skip, dialog:not([open])') || !one.checkVisibility()) continue;
    const ground = groundOf(one);
    const [a, b] = [light(over(style.color, ground)), light(ground)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) {
      found.set(`${one.tagName.toLowerCase()}.${one.className}`, `${contrast.toFixed(2)}: ${one.textContent.trim().slice(0, 30)}`);
    }
  }
  return [...found].map(([what, how]) => `${what} ${how}`).slice(0, 20);
});
