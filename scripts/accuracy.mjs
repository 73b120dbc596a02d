/**
 * `npm run accuracy -- DIR…`: how right call trees are. Renders recordings of programs whose call trees are known, and
 * prints in percent of the time: on the right path, wrong but marked as inferred, and wrong without a mark.
 * accuracy-cases.mjs says what a folder contains.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readTruth, recordingsIn } from './accuracy-cases.mjs';

const PROCESSES = 2;
/** The tree that a way of showing tail calls should give. */
const TREES = [
  ['stack', ['--tail-calls', 'replace']],
  ['nested', []],
];
const SHARES = ['right', 'marked', 'unmarked'];
/** Differences below are noise of rounding, in percent. */
const NOTEWORTHY = 0.1;

const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    ptflame: { type: 'string', default: fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)) },
    only: { type: 'string', default: '' }, // a regular expression for names
    json: { type: 'string' }, // write all figures there, to compare builds
    baseline: { type: 'string' }, // print what differs from figures written by --json
    write: { type: 'string' }, // put the table between the markers of that file
  },
});
if (folders.length === 0) throw new Error('Which folders? npm run accuracy -- DIR…');

const scratch = mkdtempSync(join(tmpdir(), 'accuracy-'));
const rows = folders.flatMap(recordingsIn).filter(({ name }) => new RegExp(options.only).test(name));
try {
  const waiting = rows.entries();
  await Promise.all(Array.from({ length: PROCESSES }, () => measureAll(waiting)));
} finally {
  rmSync(scratch, { recursive: true });
}

const table = markdown();
if (options.write) writeBetweenMarkers(options.write);
if (options.json) {
  const figures = rows.map(({ name, input, stack, nested }) => JSON.stringify({ name, input, stack, nested }));
  writeFileSync(options.json, `[\n${figures.join(',\n')}\n]\n`);
}
console.log(options.baseline ? differences(JSON.parse(readFileSync(options.baseline, 'utf8'))) : table);

/** Takes rows until none waits. */
async function measureAll(waiting) {
  for (const [at, row] of waiting) {
    const compare = readTruth(row);
    for (const [tree, args] of TREES) {
      const file = join(scratch, `${at}-${tree}.json`);
      await render([row.file, '--no-extend', '-q', '-o', file, ...args]);
      row[tree] = compare(JSON.parse(readFileSync(file, 'utf8')), tree);
      rmSync(file);
    }
  }
}

function render(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [options.ptflame, 'render', ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (text) => (said += text));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]}: ${code} ${said}`))));
  });
}

/** A row per program, with a cell per kind of input and tree: right/marked/unmarked. */
function markdown() {
  const columns = [...new Set(rows.map(({ input }) => input))].flatMap((input) => TREES.map(([tree]) => [input, tree]));
  const cells = (found) =>
    columns.map(([input, tree]) => cell(found.filter((row) => row.input === input).map((row) => row[tree])));
  const programs = rows.filter(({ name }, at) => rows.findIndex((row) => row.name === name) === at);
  const lines = [
    ['program', 'what it tests', ...columns.map((column) => column.join(', '))],
    ['---', '---', ...columns.map(() => '--:')],
    ...programs.map(({ name, tests = '' }) => [name, tests, ...cells(rows.filter((row) => row.name === name))]),
    [`mean of ${programs.length}`, '', ...cells(rows)],
  ];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cell(figures) {
  if (figures.length === 0) return '–';
  const mean = (what) => figures.reduce((total, row) => total + row[what], 0) / figures.length;
  return SHARES.map((what) => mean(what).toFixed(1)).join('/');
}

function writeBetweenMarkers(file) {
  const text = readFileSync(file, 'utf8');
  const between = /(?<=<!-- table -->\n).*(?=<!-- end of table -->)/s;
  if (!between.test(text)) throw new Error(`${file} has no <!-- table --> and <!-- end of table -->`);
  writeFileSync(
    file,
    text.replace(between, () => `\n${table}\n\n`),
  );
}

function differences(baseline) {
  const lines = rows.flatMap(({ name, input, ...row }) => {
    const old = baseline.find((candidate) => candidate.name === name && candidate.input === input);
    if (!old) return [`${name}, ${input}: new`];
    return TREES.flatMap(([tree]) =>
      SHARES.flatMap((what) =>
        Math.abs(row[tree][what] - old[tree][what]) > NOTEWORTHY
          ? [`${name}, ${input}, ${tree}: ${what} ${old[tree][what].toFixed(1)} → ${row[tree][what].toFixed(1)}`]
          : [],
      ),
    );
  });
  return lines.length > 0 ? lines.join('\n') : `nothing differs by more than ${NOTEWORTHY}`;
}
