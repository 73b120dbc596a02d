/**
 * `npm run accuracy -- DIR…`: how right call trees are. Renders recordings of programs whose call trees are known, and
 * prints in percent of the time: on the right path, wrong but marked as inferred, and wrong without a mark.
 *
 * A folder has NAME.tree.jsonl.gz, the truth, with one or more of NAME.txt.gz, the text of `perf script`,
 * NAME-branches.txt.gz, the same with jumps, and NAME.data. Its cases.json may say about a NAME: `tests`, what it is
 * there for; `root`, a regular expression for the functions where paths begin (false: whole paths), if not those with
 * which the stacks of fibers begin in the truth; `addresses`: functions without a name are told apart by where they
 * begin; `named`: they do not count.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const PROCESSES = 2;
const INPUTS = [
  ['text', '.txt.gz'],
  ['with jumps', '-branches.txt.gz'],
  ['perf.data', '.data'],
];
/** The tree that a way of showing tail calls should give. */
const TREES = [
  ['stack', ['--tail-calls', 'replace']],
  ['nested', []],
];
/** Differences below are noise of rounding, in percent. */
const NOTEWORTHY = 0.1;

const NAMELESS = /^\[[^\];]*(?:\+| )0x([0-9a-f]+)(?:-(?:0x)?[0-9a-f]+)?\]$/;
/** Where a thread waits, and what only passes control on: their time counts for the function below. */
const NO_FRAME = /^(?:\[(?!unknown\])[^\]]*\]|\/suspended\/)$|@plt$|^_dl_runtime_resolve|^$/;
/** No function without a name is larger, in bytes. */
const LARGEST_NAMELESS = 65_536;
const PAGE = 4096;

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
const rows = folders.flatMap(rowsOf).filter(({ name }) => new RegExp(options.only).test(name));
try {
  const waiting = rows.entries();
  await Promise.all(Array.from({ length: PROCESSES }, () => measureAll(waiting)));
} finally {
  rmSync(scratch, { recursive: true });
}

const table = markdown();
if (options.write) writeBetweenMarkers(options.write);
if (options.json) {
  const figures = rows.map(({ name, input, stack, nested }) => ({ name, input, stack, nested }));
  writeFileSync(options.json, `${JSON.stringify(figures, null, 1)}\n`);
}
console.log(options.baseline ? differences(JSON.parse(readFileSync(options.baseline, 'utf8'))) : table);

function rowsOf(folder) {
  const about = join(folder, 'cases.json');
  const cases = existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')) : {};
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.tree\.jsonl\.gz$/.exec(file)?.[1] ?? []);
  return names.sort().flatMap((name) =>
    INPUTS.map(([input, suffix]) => ({ ...cases[name], name, input, folder, file: join(folder, name + suffix) }))
      .filter(({ file }) => existsSync(file))
      // The truth has addresses as text shows them; ptflame's own decoder names files and offsets.
      .filter(({ input, addresses }) => !(addresses && input === 'perf.data')),
  );
}

/** Takes rows until none waits. */
async function measureAll(waiting) {
  for (const [at, row] of waiting) {
    const lines = gunzipSync(readFileSync(join(row.folder, `${row.name}.tree.jsonl.gz`))).toString();
    const truth = lines.split('\n').filter(Boolean).map(JSON.parse);
    const starts = row.addresses ? namelessStarts(join(row.folder, `${row.name}.txt.gz`)) : [];
    for (const [tree, args] of TREES) {
      const file = join(scratch, `${at}-${tree}.json`);
      await render([row.file, '--no-extend', '-q', '-o', file, ...args]);
      const paths = truth.filter((path) => path.tree === tree);
      row[tree] = compare(paths, JSON.parse(readFileSync(file, 'utf8')), row, starts);
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

/** Where functions without a name begin, as far as calls show it. */
function namelessStarts(textFile) {
  const calls = gunzipSync(readFileSync(textFile))
    .toString()
    .matchAll(/^ *\S+ +\S+ +\S+ +call .*\b([0-9a-f]+) +\[unknown\] *$/gm);
  return [...new Set([...calls].map(([, target]) => Number.parseInt(target, 16)))].sort((a, b) => a - b);
}

/** Returns percent of the time. What the profile has too little is in none of the three. */
function compare(truth, profile, { root, named, addresses }, starts) {
  const clean = (path) =>
    path.flatMap((name) => {
      const address = NAMELESS.exec(name)?.[1];
      if (named && (address || name === '[unknown]')) return [];
      const seen = address ? (addresses ? byStart(Number.parseInt(address, 16), starts) : '[unknown]') : name;
      return NO_FRAME.test(seen) ? [] : [seen];
    });
  const otherRoots = new Set(root === undefined ? clean(rootsOfOtherStacks(truth)) : []);
  const rootNames = new RegExp(root || '(?!)');
  const key = (path) => {
    const names = clean(path);
    const from = names.findLastIndex((name) => otherRoots.has(name) || rootNames.test(name));
    return names.slice(Math.max(0, from)).join('\0');
  };

  const trueNs = new Map();
  for (const { path, pt_self_ns } of truth) add(trueNs, key(path), pt_self_ns);
  const shownNs = new Map();
  const markedNs = new Map();
  for (const [path, selfNs, inferredNs] of pathsOf(profile)) {
    add(shownNs, key(path), selfNs);
    add(markedNs, key(path), inferredNs);
  }

  let right = 0;
  let wrong = 0;
  let unmarked = 0;
  for (const [path, ns] of shownNs) {
    const expected = trueNs.get(path) ?? 0;
    right += Math.min(ns, expected);
    wrong += Math.max(0, ns - expected);
    unmarked += Math.max(0, ns - markedNs.get(path) - expected);
  }
  const share = (ns) => Number(((100 * ns) / Math.max(sum(trueNs), sum(shownNs), 1)).toFixed(3));
  return { right: share(right), marked: share(wrong - unmarked), unmarked: share(unmarked) };
}

/** A thread's first stack has its first root; the others are those of fibers and signals. */
function rootsOfOtherStacks(truth) {
  const seen = new Set();
  return truth.flatMap(({ tid, path }) => {
    if (path.length > 1) return [];
    const isFirst = !seen.has(tid);
    seen.add(tid);
    return isFirst ? [] : path;
  });
}

function byStart(address, starts) {
  const start = starts.findLast((at) => at <= address);
  const isInside = start !== undefined && address - start < LARGEST_NAMELESS;
  return `code ${isInside ? start : address - (address % PAGE)}`;
}

function* pathsOf({ threads, symbols }) {
  for (const { tree } of threads) {
    const paths = [];
    for (const [at, parent] of tree.parent.entries()) {
      const symbol = tree.symbol[at];
      paths.push([...(paths[parent] ?? []), ...(symbol >= 0 ? [symbols.name[symbol]] : [])]);
      yield [paths[at], tree.selfNs[at], tree.inferredNs[at]];
    }
  }
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function sum(sums) {
  return [...sums.values()].reduce((total, value) => total + value, 0);
}

function markdown() {
  const shares = ({ right, marked, unmarked }) => [right, marked, unmarked].map((value) => value.toFixed(1));
  const mean = (tree) =>
    Object.fromEntries(
      ['right', 'marked', 'unmarked'].map((what) => [
        what,
        rows.reduce((total, row) => total + row[tree][what], 0) / rows.length,
      ]),
    );
  const lines = [
    ['program', 'what it tests', 'input', 'stack: right', 'marked', 'unmarked', 'nested: right', 'marked', 'unmarked'],
    ['---', '---', '---', '--:', '--:', '--:', '--:', '--:', '--:'],
    ...rows.map(({ name, tests = '', input, stack, nested }) => [
      name,
      tests,
      input,
      ...shares(stack),
      ...shares(nested),
    ]),
    ['mean', '', '', ...shares(mean('stack')), ...shares(mean('nested'))],
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function writeBetweenMarkers(file) {
  const text = readFileSync(file, 'utf8');
  const [before, , after] = text.split(/(?<=<!-- table -->\n)|(?=<!-- end of table -->)/);
  if (after === undefined) throw new Error(`${file} has no <!-- table --> and <!-- end of table -->`);
  writeFileSync(file, `${before}\n${table}\n\n${after}`);
}

function differences(baseline) {
  const lines = rows.flatMap(({ name, input, ...row }) => {
    const old = baseline.find((candidate) => candidate.name === name && candidate.input === input);
    if (!old) return [`${name}, ${input}: new`];
    return TREES.flatMap(([tree]) =>
      ['right', 'marked', 'unmarked'].flatMap((what) =>
        Math.abs(row[tree][what] - old[tree][what]) > NOTEWORTHY
          ? [`${name}, ${input}, ${tree}: ${what} ${old[tree][what].toFixed(1)} → ${row[tree][what].toFixed(1)}`]
          : [],
      ),
    );
  });
  return lines.length > 0 ? lines.join('\n') : `nothing differs by more than ${NOTEWORTHY}`;
}
