/**
 * Code that the kernel wrote while it was traced: changed instructions, and programs that it compiled.
 */
import { expect, test } from 'vitest';
import { readRecording } from '../../src/perfdata/read-recording.js';
import { fileOf, type PerfData, perfData, record, text, trailer, u16, u32, u64 } from '../helpers/perf/perf-data.js';

const read = (data: PerfData) => readRecording(fileOf(perfData(data)));
const ADDRESS = 0xffffffff81000400n;
const START = -0x7effffff - 1 + 0x400;

const poke = (before: readonly number[], after: readonly number[]) =>
  record(
    20,
    1,
    ...[u64(ADDRESS), u16(before.length), u16(after.length), Buffer.from([...before, ...after])],
    ...[Buffer.alloc(-(20 + before.length + after.length) & 7), trailer({ ns: 5 })],
  );

test('reads changed instructions: what was written', async () => {
  const { kernelCode } = await read({ records: [poke([1, 2], [3, 4]), poke([], [9]), poke([1], [])] });
  expect(kernelCode.map(({ start, bytes }) => [start, [...bytes]])).toEqual([
    [START, [3, 4]],
    [START, [9]],
  ]);
  expect(kernelCode[0]?.time).toEqual({ seconds: 0, ns: 5 });
});

test('leaves out a change that is longer than its record', async () => {
  const damaged = poke([1], [2]);
  damaged.writeUInt16LE(1000, 18);
  expect((await read({ records: [damaged] })).kernelCode).toEqual([]);
});

const ksymbol = (flags: number, name: string) =>
  record(17, 0, u64(ADDRESS), u32(0x20), u16(1), u16(flags), text(name), trailer());

test('reads the names of what the kernel made', async () => {
  const { kernelSymbols } = await read({ records: [ksymbol(0, 'bpf_prog_one'), ksymbol(1, 'bpf_prog_one')] });
  expect(kernelSymbols).toEqual([{ start: START, end: START + 0x20, name: 'bpf_prog_one' }]);
});

/** As perf writes it: pointers are offsets in the data: code, then addresses, then lengths. */
function program(codeBytes: number, lengths: readonly number[]): Buffer {
  const info = Buffer.alloc(128);
  info.writeUInt32LE(codeBytes, 16);
  info.writeUInt32LE(lengths.length, 104);
  info.writeBigUInt64LE(BigInt(codeBytes), 112);
  info.writeBigUInt64LE(BigInt(codeBytes + 8 * lengths.length), 120);
  const data = [
    Buffer.from([...Array(codeBytes).keys()]),
    ...lengths.map((_, row) => u64(ADDRESS + BigInt(row) * 0x100n)),
  ];
  const all = Buffer.concat([...data, ...lengths.map((length) => u32(length))]);
  return Buffer.concat([u32(info.length), u32(all.length), u64(0), info, all]);
}

test('reads the code of compiled programs, function by function', async () => {
  const { kernelCode } = await read({ features: { 25: Buffer.concat([u32(1), program(5, [2, 3])]) } });
  expect(kernelCode.map(({ start, bytes, time }) => [start, [...bytes], time])).toEqual([
    [START, [0, 1], null],
    [START + 0x100, [2, 3, 4], null],
  ]);
});

test('reports a list of programs that ends too early', async () => {
  const whole = Buffer.concat([u32(1), program(5, [2, 3])]);
  const { damage } = await read({ features: { 25: whole.subarray(0, whole.length - 8) } });
  expect(damage.join()).toContain('BpfPrograms');
});
