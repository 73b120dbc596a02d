/**
 * The instructions that a recording shows, as perf prints them.
 */
import { execFileSync } from 'node:child_process';
import { toTicks } from '../../../src/decode/parts.js';
import { openRecording } from '../../../src/perfdata/open-recording.js';
import type { Instruction } from './encoder.js';

const LINE = /^\s*(\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+([0-9a-f]+) insn: ([0-9a-f ]+)$/gm;

/** By CPU, at most so many of each. */
export async function instructionsOf(path: string, symfs: string, most: number): Promise<Map<number, Instruction[]>> {
  const timing = (await openRecording(path)).encoding?.timing;
  if (!timing) throw new Error(`${path} has no clocks`);
  const args = ['script', `--input=${path}`, `--symfs=${symfs}`, '--itrace=i0ns', '--ns', '-F', 'tid,cpu,time,ip,insn'];
  const text = execFileSync('perf', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 30 }).toString(
    'latin1',
  );
  const all = new Map<number, Instruction[]>();
  for (const [, tid, cpuText, seconds, ns, ip, bytes] of text.matchAll(LINE) as Iterable<string[]>) {
    const cpu = Number(cpuText);
    const own = all.get(cpu) ?? [];
    all.set(cpu, own);
    if (own.length === most) continue;
    const tick = toTicks(BigInt(seconds as string) * 1_000_000_000n + BigInt(ns as string), timing);
    own.push({
      tid: Number(tid),
      tick,
      ip: Number.parseInt(ip as string, 16),
      bytes: Buffer.from((bytes as string).replaceAll(' ', ''), 'hex'),
    });
  }
  return all;
}
