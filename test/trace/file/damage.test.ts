/**
 * Truncated, garbled and forged files are refused, or read as what they were; never as something else, and never with a crash.
 */
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBlockHead, writeBlockHead } from '../../../src/codec/block-head.js';
import { FileFault } from '../../../src/codec/file-fault.js';
import { noLines } from '../../../src/model/profile/profile.js';
import { metaBytes, readMeta, type TraceFileMeta } from '../../../src/trace/file/contents.js';
import { indexBytes, readIndex } from '../../../src/trace/file/format.js';
import { readSamples, readSide, sampleBytes, sideBytes } from '../../../src/trace/file/records.js';
import { jsonOf } from '../../helpers/checks/files/profile-file.js';
import { ALONE, analyzeFile, imported, refusalOfFile } from '../../helpers/checks/files/trace-file.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';

const FILE = await imported([inputOf(fixture('hardware/overflow-tailcalls.txt'), 'test')]);
const JSON_OF_FILE = jsonOf(await analyzeFile(FILE));

const HEAD_BYTES = 32;
const FRAME_BYTES = 20;
const TRAILER_BYTES = 28;

function flipped(at: number, mask: number): Buffer {
  const bytes = Buffer.from(FILE);
  bytes[at] = bytes[at] ^ mask;
  return bytes;
}

/** Whether it is refused; otherwise it must be unchanged. */
async function isRefused(bytes: Buffer): Promise<boolean> {
  const refusal = await refusalOfFile(bytes);
  if (refusal === null) expect(jsonOf(await analyzeFile(bytes))).toBe(JSON_OF_FILE);
  else expect(['TRACE_FILE_DAMAGED', 'NEWER_VERSION']).toContain(refusal.code);
  return refusal !== null;
}

/** Offsets and kinds of the frames. */
function framesOf(file: Buffer): { at: number; kind: number; end: number }[] {
  const frames = [];
  for (let at = HEAD_BYTES; at < file.length - TRAILER_BYTES; ) {
    const end = at + FRAME_BYTES + file.readUInt32LE(at + 4);
    frames.push({ at, kind: file[at], end });
    at = end;
  }
  return frames;
}
const BLOCK = 5;
const blocks = framesOf(FILE).filter(({ kind }) => kind === BLOCK);

test('finds any changed byte, except in heads of blocks, which the index repeats', async () => {
  for (let at = 0; at < FILE.length; at++) {
    const isHeadOfBlock = blocks.some((block) => at >= block.at && at < block.at + FRAME_BYTES);
    const mask = [1, 0x80, 0xff][at % 3];
    expect(await isRefused(flipped(at, mask)), `byte ${at}`).toBe(!isHeadOfBlock);
  }
});

test('refuses a file truncated at any byte, or with bytes after its end', async () => {
  for (let length = 8; length < FILE.length; length++) {
    const refusal = await refusalOfFile(FILE.subarray(0, length));
    expect(refusal, `${length} bytes`).toMatchObject({ code: 'TRACE_FILE_DAMAGED' });
    expect(refusal?.message).toMatch(/trace\.ptf (?:is truncated|is a damaged)/);
    expect(refusal?.hint).toMatch(/import it again.*--salvage/);
  }
  for (const more of ['x', FILE]) expect(await isRefused(Buffer.concat([FILE, Buffer.from(more)]))).toBe(true);
});

test('refuses a newer version, naming the ptflame that reads it', async () => {
  const bytes = Buffer.from(FILE);
  bytes.writeUInt32LE(7, 8);
  bytes.write('9.8.7\0\0\0', 12, 'latin1');
  bytes.writeUInt32LE(crc32(bytes.subarray(0, HEAD_BYTES - 4)), HEAD_BYTES - 4);
  for (const salvage of [false, true])
    expect(await refusalOfFile(bytes, { salvage })).toMatchObject({
      code: 'NEWER_VERSION',
      message: expect.stringMatching(
        /version 7 of the format, but this ptflame reads only versions up to 3: use ptflame 9\.8\.7 or newer/,
      ),
    });
});

function metaWith(times: Partial<TraceFileMeta>): Uint8Array {
  const counts = { counts: noLines(), unwanted: 0, timed: 0, timeless: 0 };
  const lists = { damaged: [], broken: [], unknownFlags: { words: [], lines: 0 } };
  return metaBytes({ originSeconds: 0, startNs: 0, endNs: 0, ...counts, ...lists, recorded: null, ...times });
}

/** The file with other contents in one frame, and correct checksums. */
function resealed(kind: number, change: (part: Buffer) => void): Buffer {
  const bytes = Buffer.from(FILE);
  const frame = framesOf(bytes).find((frame) => frame.kind === kind) as { at: number; end: number };
  const stored = bytes.subarray(frame.at + FRAME_BYTES, frame.end);
  change(stored);
  bytes.writeUInt32LE(crc32(stored), frame.at + 12);
  bytes.writeUInt32LE(crc32(bytes.subarray(frame.at, frame.at + 16)), frame.at + 16);
  return bytes;
}

describe('a forged file with correct checksums', () => {
  const kinds = [1, 2, 3, 4, 5, 6];

  test('is refused or read, whatever its frames contain', async () => {
    const change = fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat(), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(change, async ({ kind, at, value }) => {
        const bytes = resealed(kind, (part) => {
          part[at % part.length] = value;
        });
        for (const salvage of [false, true]) {
          const refusal = await refusalOfFile(bytes, { salvage });
          if (refusal !== null) expect(refusal.code).toMatch(/TRACE_FILE_DAMAGED|NOTHING_SELECTED/);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('cannot claim more memory than its size justifies', async () => {
    const bytes = Buffer.from(FILE);
    bytes.writeUInt32LE(2 ** 30, HEAD_BYTES + 8); // as if some hundred bytes inflated to a gigabyte
    bytes.writeUInt32LE(crc32(bytes.subarray(HEAD_BYTES, HEAD_BYTES + 16)), HEAD_BYTES + 16);
    const message = expect.stringMatching(/no part of the expected kind begins at byte 32/);
    expect(await refusalOfFile(bytes)).toMatchObject({ code: 'TRACE_FILE_DAMAGED', message });
  });
});

describe('numbers that no writer writes are damage', () => {
  const at = { tid: 1, pid: 1, cpu: 0 };
  const NO_TIMES = [0.5, 678_892_351.75, 2 ** 53, -1e300, Number.POSITIVE_INFINITY, Number.NaN];
  const sideWith = (timeNs: number, ip = Number.NaN) =>
    sideBytes({ records: [{ what: 'gap', ...at, timeNs, code: 1, ip, message: '' }], names: [], mappings: [] });
  const block = { offset: 50, bytes: 9, inflatedBytes: 9, crc: 0, events: 1 };
  const indexWith = (startNs: number, endNs: number) =>
    indexBytes([{ tid: 1, lanes: [{ cpu: 0, events: 1 }], blocks: [{ ...block, startNs, endNs }] }]);
  const bounds = { offset: 0, end: 100, startNs: -Infinity, endNs: Infinity };
  const account = { lines: 0, unreadable: 0, damaged: 0, lost: 0 };
  const samplesWith = (timeNs: number, lostNs = 0, value = 1) =>
    sampleBytes({
      tables: [
        {
          ...{ event: 'probe:f', length: 1, timeNs: Float64Array.of(timeNs) },
          ...{ tid: Int32Array.of(1), pid: Int32Array.of(1), cpu: Int32Array.of(0), context: Uint8Array.of(0) },
          fields: [{ name: 'x', style: 'signed', numbers: Float64Array.of(value), texts: null }],
        },
      ],
      account: { ...account, lostSpans: [{ fromNs: 0, toNs: lostNs }] },
      sides: [],
    });
  const blockWith = (startNs: number, partNs = 0) =>
    writeBlockHead({ tid: 1, events: 1, startNs, endNs: 2 ** 53 - 1, parts: [{ cpu: 0, events: 1, startNs: partNs }] });

  test.each(NO_TIMES)('%s as a time', (ns) => {
    expect(() => readSide(sideWith(ns), 3)).toThrow(FileFault);
    expect(() => readIndex(indexWith(ns, ns), bounds)).toThrow(FileFault);
    expect(() => readIndex(indexWith(0, ns), bounds)).toThrow(FileFault);
    expect(() => readSamples(samplesWith(ns))).toThrow(FileFault);
    expect(() => readSamples(samplesWith(0, ns))).toThrow(FileFault);
    expect(() => readMeta(metaWith({ startNs: ns }))).toThrow(/startNs/);
    expect(() => readMeta(metaWith({ endNs: ns }))).toThrow(/endNs/);
    const withEvent = (head: Uint8Array) => Buffer.concat([head, Buffer.alloc(2)]);
    expect(readBlockHead(withEvent(blockWith(ns)))).toBeNull();
    expect(readBlockHead(withEvent(blockWith(0, ns)))).toBeNull();
  });

  test('fractions as addresses and values', () => {
    expect(() => readSide(sideWith(0, 0.5), 3)).toThrow(FileFault);
    expect(() => readSamples(samplesWith(0, 0, 0.5))).toThrow(FileFault);
  });

  test('a recording longer than numbers hold exactly', () => {
    expect(() => readMeta(metaWith({ startNs: -(2 ** 53) + 1, endNs: 2 ** 53 - 1 }))).toThrow(/too long/);
  });
});

describe('salvaging', () => {
  /** Several threads, each with a block of its own. */
  const threads = Array.from({ length: 5 }, (_, thread) =>
    Array.from({ length: 20 }, (_, at) => {
      const time = `1.${String(100 * at + thread).padStart(9, '0')}`;
      const [from, to] = at % 2 === 0 ? ['401010 work+0x10', '402000 f+0x0'] : ['402010 f+0x10', '401015 work+0x15'];
      return `${thread + 1} [000] ${time}: ${at % 2 === 0 ? 'call' : 'return'} ${from} => ${to}\n`;
    }).join(''),
  );
  const file = imported([inputOf(threads.join(''))]);
  const textOf = (kept: readonly number[]) => threads.filter((_, at) => kept.includes(at)).join('');
  const blockOf = async (thread: number) => framesOf(await file).filter(({ kind }) => kind === BLOCK)[thread];

  test('changes nothing in an intact file', async () => {
    const whole = jsonOf(await analyzeFile(FILE, { salvage: true }));
    expect(whole).toBe(JSON_OF_FILE);
  });

  test('omits damaged blocks and reports them', async () => {
    const bytes = Buffer.from(await file);
    const { end = 0 } = (await blockOf(2)) ?? {};
    bytes[end - 1] = bytes[end - 1] ^ 1;
    expect(await refusalOfFile(bytes)).toMatchObject({
      code: 'TRACE_FILE_DAMAGED',
      message: expect.stringMatching(/checksum/),
    });
    const profile = await analyzeFile(bytes, { salvage: true });
    expect(profile.threads.map(({ tid }) => tid)).toEqual([1, 2, 4, 5]);
    expect(profile.quality).toMatchObject({ lines: 80, events: 80 });
    expect(profile.quality.brokenInputs.map(({ reason }) => reason)).toEqual(['salvaged 80 of 100 events']);
  });

  test('is not needed for threads whose blocks are intact', async () => {
    const bytes = Buffer.from(await file);
    const { end = 0 } = (await blockOf(2)) ?? {};
    bytes[end - 1] = bytes[end - 1] ^ 1;
    const select = { tids: [1, 5] };
    expect(jsonOf(await analyzeFile(bytes, { select }))).toBe(jsonOf(await analyzeFile(await file, { select })));
  });

  test('keeps the blocks before the end of a truncated file', async () => {
    const { at = 0 } = (await blockOf(3)) ?? {};
    const profile = await analyzeFile((await file).subarray(0, at + 40), { salvage: true });
    expect(profile.quality).toMatchObject({ lines: 60, events: 60 });
    const names = await analyzeFile(await imported([inputOf(textOf([0, 1, 2]))]));
    expect(profile.threads.map(({ tree }) => tree.calls)).toEqual(names.threads.map(({ tree }) => tree.calls));
  });

  test('works without side records', async () => {
    const side = framesOf(await file).find(({ kind }) => kind === 4) as { at: number };
    const bytes = Buffer.from(await file);
    bytes[side.at + FRAME_BYTES] = 0xff;
    const profile = await analyzeFile(bytes, { salvage: true });
    expect(profile.quality.events).toBe(100);
    expect(profile.quality.brokenInputs[0]?.reason).toBe('names, switches and errors are lost');
  });

  test('fails without sites', async () => {
    const sites = framesOf(await file).find(({ kind }) => kind === 3) as { at: number };
    const bytes = Buffer.from(await file);
    bytes[sites.at + FRAME_BYTES] = bytes[sites.at + FRAME_BYTES] ^ 1;
    const refusal = await refusalOfFile(bytes, { salvage: true });
    expect(refusal).toMatchObject({ code: 'TRACE_FILE_DAMAGED', hint: expect.not.stringContaining('--salvage') });
  });

  test('leaves a gap in place of a block, not a long call', async () => {
    const lines = Array.from({ length: 140_000 }, (_, at) => {
      const time = `1.${String(10 * at).padStart(9, '0')}`;
      const [from, to] = at % 2 === 0 ? ['401010 work+0x10', '402000 f+0x0'] : ['402010 f+0x10', '401015 work+0x15'];
      return `7 [000] ${time}: ${at % 2 === 0 ? 'call' : 'return'} ${from} => ${to}\n`;
    });
    const bytes = Buffer.from(await imported([inputOf(lines.join(''))], ALONE));
    const middle = framesOf(bytes).filter(({ kind }) => kind === BLOCK)[1];
    bytes[middle.end - 1] = bytes[middle.end - 1] ^ 1;
    const { quality } = await analyzeFile(bytes, { salvage: true });
    expect(quality.events).toBe(140_000 - 8192);
    expect(quality.losses).toMatchObject([{ cause: 'decode-error', code: 8, gaps: 1 }]);
    expect(quality.lostNs).toBeGreaterThan(0.99 * 81_920);
  });

  test('never crashes, wherever the file is truncated or a byte flipped', async () => {
    const whole = await file;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.nat(whole.length - 1), fc.nat(255), async (length, at, value) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        if (at < length) bytes[at] = value;
        const refusal = await refusalOfFile(bytes, { salvage: true });
        if (refusal !== null) expect(refusal.code).toBe('TRACE_FILE_DAMAGED');
      }),
      { numRuns: 200 },
    );
  });
});
