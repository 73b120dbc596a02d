/**
 * Windows of one trace as recordings of their own: merged by path they are the whole trace.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { PtflameError } from '../../src/index.js';
import { recordingTables, TABLES } from '../../src/parquet/recording-tables.js';
import { ask, temporaryFolder, writeBytes } from '../helpers/consumers/duckdb.js';
import { traceFiles } from '../helpers/traces/all-fixtures.js';
import { analyzeText } from '../helpers/traces/load.js';

/** Losses, fibers, kernel, threads, exceptions. */
const FILES = traceFiles.filter((file) =>
  /gentrace-(faults|kernel|ties)|boostfiber\.|fcontext-cut\.|threads|overflow|cpp\.perf/.test(file),
);
const PARTS = 3;

const folder = temporaryFolder();
const paths = (which: string) => `read_parquet('${folder}/paths/${which}-*.parquet')`;

beforeAll(async () => {
  for (const [at, file] of FILES.entries()) {
    const bytes = file.endsWith('.gz') ? gunzipSync(readFileSync(file)) : readFileSync(file);
    const whole = await analyzeText(bytes, { durations: true });
    write('whole', `${at}`, whole);
    const length = whole.meta.endNs - whole.meta.startNs;
    const borders = Array.from({ length: PARTS - 1 }, (_, part) => Math.floor((length * (part + 1)) / PARTS) + part);
    for (let part = 0; part < PARTS; part++) {
      const from = part === 0 ? null : { afterStartNs: borders[part - 1] };
      const to = part === PARTS - 1 ? null : { afterStartNs: borders[part] };
      const profile = await analyzeText(bytes, { durations: true, window: { from, to } }).catch(nothingThere);
      if (profile !== null) write('part', `${at}`, profile, part);
    }
  }
});

function nothingThere(error: unknown): null {
  if (error instanceof PtflameError && error.code === 'NOTHING_SELECTED') return null;
  throw error;
}

/** The id is that of the trace, so that its windows are one. */
function write(which: string, id: string, profile: Parameters<typeof recordingTables>[1], part = 0): void {
  const made = recordingTables(id, profile, { build: null, host: null, input: 'test' });
  for (const name of TABLES) writeBytes(join(folder, name, `${which}-${id}-${part}.parquet`), made[name]());
}

const sums = (which: string) => `
  SELECT id, path, sum(self_ns) AS self_ns, sum(inferred_ns) AS inferred_ns, sum(calls) AS calls,
    sum(calls - inferred_calls) AS complete, sum(complete_ns) AS complete_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns
  FROM ${paths(which)} GROUP BY ALL`;
const both = () => `(${sums('whole')}) AS w FULL JOIN (${sums('part')}) AS p USING (id, path)`;

test('self and inferred time are those of the whole trace, to the nanosecond', async () => {
  const wrong = await ask(`
    SELECT id, path::VARCHAR AS path, w.self_ns::BIGINT AS whole, p.self_ns::BIGINT AS parts FROM ${both()}
    WHERE coalesce(w.self_ns, 0) <> coalesce(p.self_ns, 0) OR coalesce(w.inferred_ns, 0) <> coalesce(p.inferred_ns, 0)`);
  expect(wrong).toEqual([]);
  const [{ found }] = await ask(`SELECT count(*) AS found FROM ${both()} WHERE p.self_ns > 0`);
  expect(found).toBeGreaterThan(1000);
});

test('calls count once in each window that they overlap, and complete ones are the same where no border cuts one', async () => {
  const fewer = await ask(`SELECT id, path::VARCHAR AS path FROM ${both()} WHERE coalesce(p.calls, 0) < w.calls`);
  expect(fewer).toEqual([]);
  const wrong = await ask(`
    SELECT id, path::VARCHAR AS path FROM ${both()} WHERE w.complete = p.complete
      AND (w.complete_ns, w.min_ns, w.max_ns) IS DISTINCT FROM (p.complete_ns, p.min_ns, p.max_ns)`);
  expect(wrong).toEqual([]);
  const [{ cut, more }] = await ask(`
    SELECT count(*) FILTER (WHERE w.complete > p.complete) AS cut, count(*) FILTER (WHERE w.complete < p.complete) AS more
    FROM ${both()}`);
  expect(cut).toBeGreaterThan(0);
  expect(more).toBe(0);
});

test('the times of functions are those of the whole trace, too', async () => {
  const times = (which: string) => `
    SELECT id, function::VARCHAR AS function, comm, sum(self_ns)::BIGINT AS self, sum(total_ns)::BIGINT AS total,
      sum(on_cpu_ns)::BIGINT AS on_cpu, sum(off_cpu_ns)::BIGINT AS off_cpu, sum(outside_ns)::BIGINT AS outside
    FROM read_parquet('${folder}/functions/${which}-*.parquet') GROUP BY ALL HAVING sum(total_ns) > 0 ORDER BY ALL`;
  expect(await ask(times('part'))).toEqual(await ask(times('whole')));
});

test('the time of all threads is that of the whole trace', async () => {
  const times = (which: string) => `
    SELECT id, sum(total_ns)::BIGINT AS total, sum(duration_ns)::BIGINT AS duration, sum(lost_ns)::BIGINT AS lost
    FROM read_parquet('${folder}/recordings/${which}-*.parquet') GROUP BY id ORDER BY id`;
  expect(await ask(times('part'))).toEqual(await ask(times('whole')));
});
