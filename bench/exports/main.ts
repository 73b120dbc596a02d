/**
 * `npm run bench:exports -- TRACE…`: measures what writing files for other tools costs once there is a profile, of each
 * trace and of a made-up one with a million call paths. See docs/exports.md.
 */

import { renderCallgrind } from '../../src/export/callgrind.js';
import { renderPprof } from '../../src/export/pprof.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { recordingTables, TABLES } from '../../src/parquet/recording-tables.js';
import { analyze } from '../../src/pipeline/analyze.js';
import { openTraceFile } from '../../src/pipeline/open-text.js';
import { table } from '../report.js';
import { madeUpProfile } from './made-up.js';

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<Uint8Array>;

const WRITERS: Readonly<Record<string, (profile: Profile) => Chunks>> = {
  pprof: renderPprof,
  callgrind: renderCallgrind,
  'Parquet tables': parquetTables,
};
const ID = '0'.repeat(64);
const MADE_UP_PATHS = 1_000_000;
const RUNS = 5;

const rows: string[][] = [];
for (const path of process.argv.slice(2))
  rows.push(...(await rowsOf(path, await analyze([await openTraceFile(path)]))));
rows.push(...(await rowsOf('made up', madeUpProfile(MADE_UP_PATHS))));
process.stdout.write(`${table(['profile', 'calls', 'paths', 'format', 'MB', 'CPU s', 'more MB'], rows)}\n`);

function* parquetTables(profile: Profile): Generator<Uint8Array> {
  const tables = recordingTables(ID, profile, { build: null, host: null, input: 'perf.data' });
  for (const name of TABLES) yield* tables[name]();
}

async function rowsOf(name: string, profile: Profile): Promise<string[][]> {
  const trees = profile.threads.map(({ tree }) => tree);
  const calls = trees.reduce((sum, tree) => sum + tree.calls.reduce((own, more) => own + more, 0), 0);
  const paths = trees.reduce((sum, { length }) => sum + length - 1, 0);
  const about = [name, calls.toLocaleString('en'), paths.toLocaleString('en')];
  const rows: string[][] = [];
  for (const [format, render] of Object.entries(WRITERS))
    rows.push([...about, format, ...(await costOf(render, profile))]);
  return rows;
}

/** The least of several runs. Memory: what the process took in addition, over all runs. */
async function costOf(render: (profile: Profile) => Chunks, profile: Profile): Promise<string[]> {
  const [before, runs] = [process.memoryUsage.rss(), [] as number[]];
  let [bytes, peak] = [0, before];
  for (let run = 0; run < RUNS; run++) {
    const start = process.cpuUsage();
    bytes = 0;
    for await (const chunk of render(profile)) {
      bytes += chunk.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    const { user, system } = process.cpuUsage(start);
    runs.push((user + system) / 1e6);
  }
  return [(bytes / 1e6).toFixed(1), Math.min(...runs).toFixed(2), ((peak - before) / 1e6).toFixed(0)];
}
