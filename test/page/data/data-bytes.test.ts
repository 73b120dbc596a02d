/**
 * Tests the bytes of the page data: damage is rejected, size and reading time are bounded.
 */
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageReader, pageWriter } from '../../../src/codec/page-numbers.js';
import type { AnalyzeOptions, Profile, ThreadProfile } from '../../../src/index.js';
import { CallTreeBuilder, NODE_COLUMNS, ROOT } from '../../../src/model/calls/call-tree.js';
import { Doubt } from '../../../src/model/calls/doubts.js';
import { NONE } from '../../../src/model/units.js';
import { profileOf } from '../../../src/page/browser/downloads.js';
import { readShape } from '../../../src/page/data/columns.js';
import type { PageData } from '../../../src/page/data/page-data.js';
import { callerRows } from '../../../src/page/data/page-data.js';
import { writePageData } from '../../../src/page/data/write.js';
import { renderHtml } from '../../../src/page/html.js';
import { treeOf } from '../../../src/page/view/selected-trees.js';
import { readPageData } from '../../helpers/browser/page-views.js';
import { profileOfNames } from '../../helpers/checks/files/profile-file.js';
import { analyzeText, fixture } from '../../helpers/traces/load.js';

const OPTIONS: AnalyzeOptions = { trees: 'apart', durations: true };
const bytesOf = (profile: Profile) => new Uint8Array(Buffer.concat(writePageData(profile)));

describe('damage', () => {
  const profile = analyzeText(fixture('demo/threads.perf.txt.gz'), OPTIONS);

  test('rejects bytes that are truncated or too long', async () => {
    const bytes = bytesOf(await profile);
    readPageData(bytes);
    for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 500))
      expect(() => readPageData(bytes.slice(0, length))).toThrow();
    expect(() => readPageData(Uint8Array.of(...bytes, 1))).toThrow('continues after its end');
  });

  test('rejects or reads data with changed bytes, and always ends', async () => {
    const bytes = bytesOf(await profile);
    const harm = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(harm, (harm) => {
        const damaged = bytes.slice();
        for (const [at, byte] of harm) damaged[at] = byte;
        const page = readOrNull(damaged);
        if (page === null) return;
        treeOf([page], [...page.threads.keys()]);
        profileOf(page);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([[[0, 2]], [[0, 0]], [[0, 1, 3]], [[1, 1]], [[]]])(
    'rejects a shape of depths %j, which has nodes without callers',
    (depths) => {
      const writer = pageWriter();
      writer.rows(Int32Array.from(depths));
      writer.guessed(new Float64Array(depths.length), new Float64Array(depths.length));
      expect(() => readShape(pageReader(writer.view()), depths.length, 1)).toThrow('the page has');
    },
  );

  test.each([[[]], [[1]], [[0, 2]], [[0, 1, 1]], [[0, 2, 1]]])('rejects a thread with nodes %j', (nodes) => {
    const shape = { length: 3, parent: Int32Array.of(NONE, 0, 1), symbol: Int32Array.of(NONE, 0, 0) };
    const others = Int32Array.of(0, 1, 2);
    expect(() => callerRows(shape, [others, Int32Array.from(nodes)])).toThrow('a thread of the page has no');
  });

  function readOrNull(bytes: Uint8Array): PageData | null {
    try {
      return readPageData(bytes);
    } catch {
      return null;
    }
  }
});

describe('size and speed', () => {
  test('needs less than eight bytes per node of a thread, and as much for its durations', async () => {
    const profile = await analyzeText(fixture('truth/gentrace-faults.perf.txt.gz'), OPTIONS);
    const rows = profile.threads.reduce((sum, { tree }) => sum + tree.length, 0);
    const threads = profile.threads.map((thread) => ({ ...thread, durations: null }));
    const nodes = inPage(writePageData({ ...profile, threads }).slice(1)) / rows;
    const all = inPage(writePageData(profile).slice(1)) / rows;
    expect(nodes).toBeLessThan(8);
    expect(all).toBeLessThan(16);
  });

  test.each([1, 2])('derives the times of functions with %d calls from other columns', (times) => {
    const profile = chainOf(50, times);
    const pieces = writePageData(profile).slice(3);
    const isPredicted = pieces.slice(0, NODE_COLUMNS.length).map((piece) => piece.every((byte) => byte === 1));
    const predicted = NODE_COLUMNS.filter((_, at) => isPredicted[at]);
    const counts = ['inferredCalls', 'inferredNs', 'unwoundCalls'];
    expect(predicted).toEqual([...counts, 'completeNs', 'longestCutNs', ...(times === 1 ? ['minNs'] : []), 'maxNs']);
  });

  /** Each function is called by the previous one; the n-th call of each takes n times as long as the first. */
  function chainOf(levels: number, times: number): Profile {
    const builder = new CallTreeBuilder();
    let node: number = ROOT;
    for (let level = 0; level < levels; level++) {
      node = builder.child(node, 0);
      for (let call = 1; call <= times; call++) {
        builder.charge(node, call * level, Doubt.None);
        builder.countComplete(node, call * sumFrom(level, levels));
      }
    }
    const profile = profileOfNames([]);
    return { ...profile, threads: profile.threads.map((thread) => ({ ...thread, tree: builder.build() })) };
  }

  function sumFrom(first: number, end: number): number {
    return ((end - first) * (first + end - 1)) / 2;
  }

  /** Deflated, and as base64. */
  function inPage(pieces: readonly Uint8Array[]): number {
    return (deflateRawSync(Buffer.concat(pieces), { level: 9 }).length * 4) / 3;
  }

  test('reads and adds up a million nodes of a thousand threads', () => {
    const profile = largeProfile();
    const bytes = bytesOf(profile);
    const page = readPageData(bytes);
    const tree = treeOf([page], [...page.threads.keys()]);
    expect(page.threads.reduce((sum, { node }) => sum + node.length, 0)).toBe(1_000_000);
    expect(tree.length).toBe(1000);
  });

  function largeProfile(): Profile {
    const profile = profileOfNames(Array.from({ length: 999 }, (_, row) => [`function ${row}`, null]));
    const threads = Array.from({ length: 1000 }, (_, tid) => ({ ...(profile.threads[0] as ThreadProfile), tid }));
    return { ...profile, threads };
  }
});

test('has at most 206 kB of markup, script and style', async () => {
  const text = [...renderHtml(await analyzeText(fixture('demo/threads.perf.txt.gz'), OPTIONS))].join('');
  const [, data = ''] = /id="data">([^<]*)</.exec(text) ?? [];
  expect(data.length).toBeGreaterThan(1000);
  expect(Buffer.byteLength(text) - data.length).toBeLessThan(206_000);
});

test('the head says of which part of a recording the page is', async () => {
  const profile = await analyzeText(fixture('demo/threads.perf.txt.gz'), OPTIONS);
  const of = (part: string | null) =>
    /<span class="sub">([^<]*)</.exec([...renderHtml({ ...profile, meta: { ...profile.meta, part } })].join(''))?.[1];
  expect(of('from +10 ms to +20 ms')?.replace(/[\u2066-\u2069]/g, '')).toBe(`only from +10 ms to +20 ms · ${of(null)}`);
  expect(of('x'.repeat(99))?.length).toBeLessThan(80);
});
