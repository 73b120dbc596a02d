/**
 * Reads and replays fixtures, and prints a hash of each answer, and which tasks workers were given.
 *
 * Arguments: `workers` gives all to workers, however small it is, and `alone` nothing; `paged-4` neither, but keeps only two
 * pages of four rows of a thread in memory, `workers-4` is both. `some`: one answer in six, with every way and kind of input;
 * `all`; and parts of the names of fixtures.
 */
import { match } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv } from 'node:process';
import { gunzipSync } from 'node:zlib';
import {
  analyze,
  askWaits,
  importTrace,
  openStoredTrace,
  openTraceFile,
  profileBlockedTime,
  renderFolded,
  renderHtml,
  renderJson,
  traceStream,
} from '../../../dist/src/index.js';
import { analyzeForPage } from '../../../dist/src/page/contents/analyze-for-page.js';
import { openRecording } from '../../../dist/src/perfdata/open-recording.js';
import { askThreads } from '../../../dist/src/pipeline/ask-threads.js';
import { findBinaries } from '../../../dist/src/pipeline/decode/encoded-recording.js';
import { locator } from '../../../dist/src/pipeline/decode/locate.js';
import { WorkerPool } from '../../../dist/src/pipeline/workers/worker-pool.js';
import { waitsAnswer } from '../../../dist/src/questions/waits/ask-wait-summary.js';
import { symbolFiles } from '../../../dist/src/symbols/symbol-files.js';

const [, , named, which, ...wanted] = argv;
const [how, rows] = named.split('-');
const PAGES = rows === undefined ? {} : { threadBytes: 0, pageRows: Number(rows) };

const none = { toWake: 0, toShare: 0 };
/** All is given to workers, in many pieces. */
const SIZES = {
  wakingBytes: 0,
  pieceBytes: 16 * 1024,
  streamBytes: 4 * 1024,
  minEvents: { ofAll: none, ofPart: none },
  minRows: 0,
  awaitsWorkers: true,
  ...PAGES,
};
const OPTIONS = how !== 'workers' ? { jobs: 1, sizes: PAGES } : { jobs: 2, memoryBytes: 2 ** 32, sizes: SIZES };
const directory = mkdtempSync(join(tmpdir(), 'ptflame-answers-'));
const tasks = {};
const { send } = WorkerPool.prototype;
WorkerPool.prototype.send = function (name, ...task) {
  tasks[name] = (tasks[name] ?? 0) + 1;
  return send.call(this, name, ...task);
};

const isWanted = (name) => wanted.length === 0 || wanted.some((part) => name.includes(part));

function fixtures(folder, ending) {
  return readdirSync(`fixtures/${folder}`)
    .filter((name) => ending.test(name) && isWanted(name))
    .map((name) => `fixtures/${folder}/${name}`);
}

let asked = 0;

async function answer(name, work) {
  const sixth = (asked + Math.floor(asked / 6)) % 6;
  asked++;
  if (which === 'some' && sixth !== 1) return;
  let text;
  try {
    text = await work();
  } catch (error) {
    if (error.code === undefined) throw error;
    text = `${error.code}: ${error.message.replace(directory, '')}`;
  }
  console.log(name, createHash('sha256').update(text).digest('hex').slice(0, 16), text.length);
}

const foldedOf = async (input) =>
  [...renderFolded(await analyze([input], { ...OPTIONS, byCalls: true, trees: 'together' }))].join('');

const jsonOf = async (input, options) =>
  [...renderJson(await analyze([input], { ...OPTIONS, byCalls: true, durations: true, ...options }))].join('');

/** The page, with its timeline. */
const pageOf = async (input) => {
  const asked = { ...OPTIONS, byCalls: true, timelineBytes: 2 ** 20, durations: true };
  const { profile, ...contents } = await analyzeForPage([input], asked);
  return [...renderHtml(profile, contents)].join('');
};

/** Writes an import and replays it; with a changed byte among its blocks, this fails. */
async function importedOf(input, isDamaged = false) {
  const path = join(directory, 'trace.ptf');
  const write = async (pieces) => {
    const all = [];
    for await (const piece of pieces) all.push(Buffer.from(piece));
    writeFileSync(path, Buffer.concat(all));
  };
  await importTrace([input], write, OPTIONS);
  if (isDamaged) {
    const bytes = readFileSync(path);
    bytes[Math.floor(0.8 * bytes.length)] ^= 1;
    writeFileSync(path, bytes);
  }
  return jsonOf(openStoredTrace(path));
}

/** Where threads were at some times, according to their logs, which were kept. */
const nodesOf = (input) =>
  askThreads([input], { ...OPTIONS, byCalls: true }, async (askable) => {
    const { tids, bounds } = askable.trace.store;
    const nodesAt = Float64Array.from(
      { length: 100 },
      (_, at) => bounds.startNs + (at / 99) * (bounds.endNs - bounds.startNs),
    );
    const asked = new Map(tids.map((tid) => [tid, { nodesAt, treesOver: null, spans: null, spanTrees: null }]));
    await askable.replay(asked, true);
    const { threads, paths } = await askable.ask(asked);
    const pathOf = (node) =>
      node <= 0 ? [] : [...pathOf(paths.parent[node]), askable.symbols.name[paths.symbol[node]]];
    const byTid = [...threads].sort(([a], [b]) => a - b);
    return JSON.stringify(byTid.map(([tid, { nodesAt }]) => [tid, ...Array.from(nodesAt.node, pathOf)]));
  });

/** Fixtures take turns: each is read, as a file or a stream, and replayed, but not in all ways. */
const WAYS = [
  ['a page of a file', (file) => pageOf(file)],
  ['one tree of a stream', (_, stream) => foldedOf(stream)],
  ['an import', (file) => importedOf(file)],
  ['a page of a stream', (_, stream) => pageOf(stream)],
  ['logs of a file', (file) => nodesOf(file)],
];
let turn = 0;

for (const folder of ['hardware', 'lab', 'constructed', 'truth', 'demo', 'damaged'])
  for (const path of fixtures(folder, /\.txt(\.gz)?$/)) {
    const bytes = readFileSync(path);
    const copy = join(directory, 'trace.txt');
    writeFileSync(copy, path.endsWith('.gz') ? gunzipSync(bytes) : bytes);
    const [what, work] = WAYS[turn++ % WAYS.length];
    const file = { ...(await openTraceFile(copy)), name: path };
    const stream = traceStream(path, createReadStream(copy, { highWaterMark: 4096 }));
    await answer(`${path}: ${what}`, () => work(file, stream));
  }

for (const round of [0, 1, 2, 3, 4, 5])
  await answer(`a damaged import, ${round}`, async () => {
    const file = await openTraceFile('fixtures/demo/threads.perf.txt.gz');
    await importedOf(file, true).catch((error) => {
      match(error.message, /the block at byte \d+ has a wrong checksum$/);
      throw error;
    });
    throw new Error('damage was not found');
  });

const ROOTS = { root: 'fixtures/recordings/root', cache: null };
/** Workers get the binaries open, as in a page, which has no paths. */
const FILES = how !== 'workers' ? null : openFiles(ROOTS.root);

function openFiles(root) {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
  return new Map(paths.map((path) => [path, openSync(path, 'r')]));
}

for (const path of fixtures('recordings', /\.data$/))
  for (const jumps of ['none', 'all'])
    await answer(`${path} with ${jumps} jumps`, async () => {
      const recording = await openRecording(path);
      const { paths: binaries } = findBinaries(recording, symbolFiles(FILES), ROOTS);
      const naming = { files: FILES, roots: ROOTS, pltNames: 'perf-6.1', buildIds: new Map() };
      const own = { name: path, path, recording, binaries, naming, locate: locator(naming), sizeBytes: 0 };
      const parts = how !== 'workers' ? {} : { maxInlineBytes: 0, partBytes: 4096 };
      return jsonOf({ ...own, ...parts, jumps, recorded: null, broken: null });
    });

for (const path of fixtures('waits', /^(waits|group-commit|values|waitlab.*|reasons.*|breakpoints.*)\.txt\.gz$/)) {
  await answer(`${path}: waits`, async () => {
    const found = waitsAnswer(await askWaits([await openTraceFile(path)], { slowest: 20 }, OPTIONS));
    return JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  });
  await answer(`${path}: what they waited for`, async () =>
    [...renderFolded(await profileBlockedTime([await openTraceFile(path)], OPTIONS))].join(''),
  );
}

rmSync(directory, { recursive: true });
console.log(`tasks: ${Object.keys(tasks).sort().join(' ')}`);
