/**
 * `npm run bench:viewers -- TRACE`: loads the same calls of a trace into the report page, speedscope and Perfetto's trace
 * processor, and prints how long it takes and how much memory. See docs/performance.md.
 */
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderPerfetto } from '../../src/export/perfetto/perfetto.js';
import { renderSpeedscope } from '../../src/export/speedscope.js';
import type { LongestCalls } from '../../src/model/calls/call-events.js';
import { analyzeForPage } from '../../src/page/contents/analyze-for-page.js';
import { renderHtmlInParallel } from '../../src/page/html.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { machineFacts, table, whereText } from '../report.js';
import { median } from '../rounds.js';
import { type Opened, openViewer, perfettoReady, ptflameReady, speedscopeReady } from './open.js';
import { unpacked } from './packages.js';
import { perfettoPage, withoutMemory64 } from './perfetto.js';
import { serve } from './serve.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    min: { type: 'string', default: '1000' },
    detail: { type: 'string', default: '5000000' },
    runs: { type: 'string', default: '3' },
    cache: { type: 'string', default: join(tmpdir(), 'ptflame-bench', 'viewers') },
    date: { type: 'string', default: new Date().toISOString().slice(0, 10) },
  },
});

interface Viewer {
  readonly name: string;
  readonly spans: number;
  readonly file: string;
  readonly runs: Opened[];
  readonly open: () => Promise<Opened>;
}

async function viewersOf(trace: string, origin: string): Promise<Viewer[]> {
  const file = (name: string) => join(values.cache, name);
  const { threads } = await writeCalls(trace, file('calls.speedscope.json'), file('calls.pftrace'));
  const spans = threads.reduce((sum, { kind }) => sum + kind.length / 2, 0);
  writeFileSync(file('perfetto.html'), perfettoPage('/perfetto', '/files/calls.pftrace'));
  const tid = threads.reduce((most, thread) => (thread.kind.length > most.kind.length ? thread : most)).tid;
  const listed = await writePage(trace, file('page.html'));
  const profile = encodeURIComponent(`${origin}/files/calls.speedscope.json`);
  const viewer = (
    name: string,
    spans: number,
    path: string,
    address: string,
    isReady: typeof perfettoReady | typeof ptflameReady,
  ) => ({
    ...{ name, spans, file: file(path), runs: [] },
    open: () => openViewer(`${origin}/${address}`, isReady),
  });
  return [
    viewer('report page', listed, 'page.html', `files/page.html#chart=${tid}`, ptflameReady),
    viewer(
      'speedscope',
      spans,
      'calls.speedscope.json',
      `speedscope/index.html#profileURL=${profile}`,
      speedscopeReady,
    ),
    viewer("Perfetto's trace processor", spans, 'calls.pftrace', 'files/perfetto.html', perfettoReady),
  ];
}

/** Writes the calls of a trace as `ptflame render` does. */
async function writeCalls(trace: string, speedscopePath: string, perfettoPath: string): Promise<LongestCalls> {
  const asked = { minNs: Number(values.min), maxCalls: Number.MAX_SAFE_INTEGER };
  const options = { trees: 'apart', longestCalls: asked } as const;
  const { profile, longestCalls } = await analyzeForPage([await openTraceFile(trace)], options);
  if (longestCalls === null) throw new Error('calls were not asked for');
  writePieces(speedscopePath, renderSpeedscope(profile, longestCalls));
  writePieces(perfettoPath, renderPerfetto(profile, { longestCalls, timeline: null }));
  return longestCalls;
}

function writePieces(path: string, pieces: Iterable<string | Uint8Array>): void {
  const file = openSync(path, 'w');
  for (const piece of pieces) writeSync(file, typeof piece === 'string' ? Buffer.from(piece) : piece);
  closeSync(file);
}

/** Returns how many calls the page lists. */
async function writePage(trace: string, path: string): Promise<number> {
  const options = { trees: 'apart', durations: true, timelineBytes: Number(values.detail) } as const;
  const { profile, timeline } = await analyzeForPage([await openTraceFile(trace)], options);
  const parts: string[] = [];
  for await (const part of renderHtmlInParallel(profile, {}, { timeline })) parts.push(part);
  writeFileSync(path, parts.join(''));
  const levels = (timeline?.threads ?? []).flatMap(({ spans }) => spans.levels);
  return levels.reduce((sum, { node }) => sum + node.length, 0);
}

function rowOf({ name, spans, file, runs }: Viewer): string[] {
  const middle = (of: (run: Opened) => number) => median(runs.map(of));
  const mb = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
  const seconds = (ms: number) => (ms / 1000).toFixed(2);
  return [
    name,
    spans.toLocaleString('en'),
    mb(statSync(file).size),
    seconds(middle(({ ms }) => ms)),
    seconds(Math.min(...runs.map(({ ms }) => ms))),
    seconds(middle(({ cpuMs }) => cpuMs)),
    mb(middle(({ peakBytes }) => peakBytes)),
    mb(middle(({ residentBytes }) => residentBytes)),
  ];
}

const [trace] = positionals;
if (trace === undefined) throw new Error('no trace: npm run bench:viewers -- trace.txt');
mkdirSync(values.cache, { recursive: true });
const directories = {
  files: values.cache,
  speedscope: unpacked('speedscope', values.cache),
  perfetto: unpacked('perfetto', values.cache),
};
const server = await serve(directories, (path, bytes) =>
  path.endsWith('engine_bundle.node.js') ? withoutMemory64(bytes.toString()) : bytes,
);
try {
  const viewers = await viewersOf(trace, server.origin);
  for (let run = 0; run < Number(values.runs); run++) for (const { open, runs } of viewers) runs.push(await open());
  const columns = ['viewer', 'calls', 'file MB', 'ready s', 'fastest s', 'CPU s', 'peak MB', 'then MB'];
  process.stdout.write(
    `${whereText(machineFacts(values.date))} Medians of ${values.runs} runs.\n\n${table(columns, viewers.map(rowOf))}\n`,
  );
} finally {
  server.close();
}
