/**
 * Reads what waits are concluded from out of the text of `perf script --show-switch-events -F comm,tid,cpu,time,event,trace`.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { SampleContext, type SampleValue } from '../../../src/model/samples/sample-table.js';
import { SampleTablesBuilder } from '../../../src/model/samples/sample-tables-builder.js';
import { SwitchKind, type WaitInput } from '../../../src/waits/input/wait-input.js';

const LINE = /^(.*?) (\d+) \[(\d+)\] (\d+)\.(\d{9}): (.*)$/;

export function fixtureText(name: string): string {
  return gunzipSync(readFileSync(new URL(`../../../fixtures/waits/${name}.gz`, import.meta.url))).toString();
}

/** Reads several texts of the same moments. Whose samples they are is `pid`; text does not say. */
export function inputOfText(texts: readonly string[], pid = 1): WaitInput {
  const builder = new SampleTablesBuilder();
  const switches: { timeNs: number; tid: number; cpu: number; kind: SwitchKind }[] = [];
  for (const line of texts.join('\n').split('\n')) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const [, , tid, cpu, seconds, nanoseconds, rest] = match;
    const moment = { timeNs: Number(seconds) * 1e9 + Number(nanoseconds), tid: Number(tid), cpu: Number(cpu) };
    if (rest.startsWith('PERF_RECORD_SWITCH')) {
      switches.push({ ...moment, kind: switchKindOf(rest) });
      continue;
    }
    const [, event, values] = /^([\w:]+?): (.*)$/.exec(rest) ?? [];
    if (event) builder.add(event, { ...moment, pid, context: SampleContext.Unknown, values: valuesOf(event, values) });
  }
  return { switches: columnsOf(switches), samples: builder.build(), threads: [], lost: [] };
}

function switchKindOf(text: string): SwitchKind {
  if (/ IN\b/.test(text)) return SwitchKind.In;
  return text.includes('preempt') ? SwitchKind.Preempted : SwitchKind.Out;
}

export function columnsOf(
  rows: readonly { timeNs: number; tid: number; cpu: number; kind: SwitchKind }[],
): WaitInput['switches'] {
  return {
    timeNs: Float64Array.from(rows, ({ timeNs }) => timeNs),
    tid: Int32Array.from(rows, ({ tid }) => tid),
    cpu: Int32Array.from(rows, ({ cpu }) => cpu),
    kind: Uint8Array.from(rows, ({ kind }) => kind),
  };
}

function valuesOf(event: string, text: string): SampleValue[] {
  if (event === 'syscalls:sys_exit_futex')
    return [{ name: 'ret', value: Number(BigInt.asIntN(64, BigInt(text.trim()))) }];
  return [...text.matchAll(/(\w+)(?:=|: )([^\s,]+)/g)].map(([, name, value]) => {
    const isNumber = /^(0x[0-9a-f]+|-?\d+)$/.test(value);
    return { name, value: isNumber ? Number(value) : value };
  });
}
