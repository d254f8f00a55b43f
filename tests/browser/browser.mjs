// Debian's Chromium, the packages that the fixture has installed, and runs of scenarios.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const modules = process.env.FENCEPOST_MODULES;
const binaries = process.env.FENCEPOST_BINARIES;
const require = createRequire(path.join(modules, 'package.json'));

export const source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

// A file of an installed package: 'mermaid/dist/mermaid.min.js'.
export const packaged = (file) => path.join(modules, 'node_modules', file);

// A directory that is gone when the process ends.
export function scratch() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'fencepost-browser-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

// What the command prints. Throws, with all that it said, if its exit status is none of these.
export function fencepost(args, statuses = [0]) {
  const options = { cwd: source, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] };
  try {
    return execFileSync(path.join(binaries, 'fencepost'), args, options);
  } catch (error) {
    if (error.status !== null && statuses.includes(error.status)) return error.stdout;
    throw new Error(`fencepost ${args.join(' ')}: ${error.stderr || error.stdout || error.message}`);
  }
}

// Runs a scenario in one process, and says where it left its run.
export function run(file, directory) {
  fencepost(['run', file, '--in-process', '--out', directory]);
  return directory;
}

// The scenarios of a folder: 'demos', 'situations'.
export function scenarios(name) {
  const folder = path.join(source, 'scenarios', name);
  return fs.readdirSync(folder).filter((file) => file.endsWith('.yaml') && file !== 'setting.yaml').sort()
    .map((file) => path.join(folder, file));
}

// Without its sandbox, which root may not have; it only ever opens our own files.
export async function launch() {
  const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--hide-scrollbars'],
    protocolTimeout: 300_000,
  });
}
