/**
 * Captures slow calls of a server while a load runs, and compares the triggers with what the server and its clients measured.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { machineFacts, table, whereText } from '../report.js';
import type { Trigger } from './compare.js';

/** Records triggers of a process without Intel PT while `load` runs. Returns them in the order of their ends. */
export async function capture(pid: number, trigger: string, load: () => Promise<void>): Promise<Trigger[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ptflame-triggers-'));
  const output = join(folder, 'slow');
  const cli = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const what = ['--no-trace', '--trigger', trigger, '--every', '100ms', '--max-cost', '100%'];
  const recording = spawn(process.execPath, [cli, 'record', '-p', `${pid}`, ...what, '-o', output], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  recording.stderr.on('data', (text: Buffer) => {
    stderr += text;
  });
  const recorded = once(recording, 'exit');
  while (!stderr.includes('waiting for ')) {
    if (recording.exitCode !== null) throw new Error(stderr);
    await wait(50);
  }
  await load();
  await wait(1000);
  recording.kill('SIGINT');
  await recorded;
  const lines = readFileSync(join(output, 'triggers.jsonl'), 'utf8').split('\n').filter(Boolean);
  rmSync(folder, { recursive: true });
  const triggers = lines.map((line) => JSON.parse(line) as Trigger);
  return triggers.sort((a, b) => a.endNs - b.endNs); // a line with a snapshot is written when that is
}

export function durationOf({ startNs, endNs }: Trigger): number {
  return endNs - startNs;
}

/**
 * Of one thread, all are in the order of time. Counts the inner times that none of the outer ones, which are longer, encloses.
 */
export function unmatched(inner: readonly number[], outer: readonly number[]): number {
  let [next, count] = [0, 0];
  for (const ns of inner) {
    const found = outer.findIndex((own, row) => row >= next && own >= ns - 1e3);
    if (found < 0) count++;
    else next = found + 1;
  }
  return count;
}

/** `date`: of the report; default: today. */
export function writeReport(
  calls: number,
  slow: number,
  triggers: readonly Trigger[],
  { missed, wrong }: { readonly missed: number; readonly wrong: number },
  date = new Date().toISOString().slice(0, 10),
): void {
  const seenMs = triggers.map(({ seenAfterNs }) => seenAfterNs / 1e6).sort((a, b) => a - b);
  const at = (share: number) => (seenMs[Math.floor(seenMs.length * share)] ?? 0).toFixed(2);
  const columns = ['calls', 'slow by its log', 'triggers', 'missed', 'false', 'seen after ms: median', 'p99'];
  process.stdout.write(`${whereText(machineFacts(date))}\n\n`);
  const counts = [calls, slow, triggers.length, missed, wrong].map(String);
  process.stdout.write(`${table(columns, [[...counts, at(0.5), at(0.99)]])}\n`);
}
