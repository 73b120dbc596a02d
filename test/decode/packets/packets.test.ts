/**
 * Every row of the tables, decoded here, and by stock perf, which must say the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Lines, OwnDecoder } from '../../../fuzz/pt/decode-own.js';
import { judgeLines } from '../../../fuzz/pt/judge.js';
import type { Bytes } from '../../../fuzz/pt/packets.js';
import { test } from '../../helpers/cli/run-cli.js';
import { needs } from '../../tools/needs.js';
import { BASE, CODE, type Row, START } from './rows.js';
import { TABLES, type Table } from './tables.js';

needs('perf');

function piecesOf([, packets]: Row): readonly (readonly Bytes[])[] {
  const isOneRecord = packets.every((packet) => typeof packet[0] === 'number' || packet.length === 0);
  return (isOneRecord ? [packets] : packets) as readonly (readonly Bytes[])[];
}

/** Events, then errors; ticks since the start, addresses in the code without its base. */
function shown({ events, errors }: Lines): string[] {
  return [...events, ...errors].map((line) => {
    const [, seconds = '', ns = '', rest = ''] = /^(\d+)\.(\d+)(.*)$/.exec(line) ?? [];
    return `${BigInt(`${seconds}${ns}`) - START}${rest.replace(/\b400(?=[0-9a-f]{3}\b)/g, '')}`;
  });
}

function decodedHere({ settings, rows, callsOnly = false }: Table): string[][] {
  const files = [{ path: 'code', start: BASE, length: CODE.length, bytes: CODE }];
  const own = new OwnDecoder({ settings, files, allBranches: !callsOnly });
  return rows.map((row) => {
    let offset = 0;
    const pieces = piecesOf(row).map((packets) => {
      const bytes = packets.flat();
      const piece = { cpu: 0, offset, reference: START, bytes };
      offset += bytes.length;
      return piece;
    });
    return shown(own.decode(pieces));
  });
}

function decodedByPerf({ settings, rows, callsOnly = false }: Table): (string[] | null)[] {
  const folder = mkdtempSync(join(tmpdir(), 'ptflame-packets-'));
  const cases = rows.map((row) => ({ tick: START, pieces: piecesOf(row) }));
  const lines = judgeLines({ folder, settings, code: CODE, codeStart: BASE, cases, allBranches: !callsOnly });
  rmSync(folder, { recursive: true });
  return lines.map(({ perf }) => (perf === null ? null : shown(perf)));
}

describe.each(TABLES)('$topic', (table) => {
  const here = decodedHere(table);
  test.each(table.rows.map(([name, , events], row) => [name, events, row] as const))('%s', (_, events, row) => {
    expect(here[row]).toEqual(events);
  });

  test.runIf(table.isUnlikePerf)('perf decodes no row alike', () => {
    for (const [row, events] of decodedByPerf(table).entries()) expect(events).not.toEqual(table.rows[row]?.[2]);
  });

  test.skipIf(table.isUnlikePerf)('perf decodes every row alike', () => {
    const byPerf = decodedByPerf(table);
    const expected = table.rows.map(([, , events]) => events);
    expect(byPerf.map((events, row) => events ?? expected[row])).toEqual(expected);
    expect(byPerf.filter((events) => events === null).length).toBeLessThanOrEqual(2); // of what precedes a PSB+ perf crashes
  });
});
