/**
 * Which calls are requests, where work is taken, and how long it lasts: with columns written by hand.
 */
import { describe, expect, test } from 'vitest';
import type { Spans } from '../../../src/analysis/log/spans.js';
import { Inference } from '../../../src/model/profile/profile.js';
import { SampleContext, type SampleTable } from '../../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../../src/model/sample-tables-builder.js';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { BranchKind, BranchSitesBuilder, TraceEdge } from '../../../src/model/trace/branch-sites.js';
import { NONE } from '../../../src/model/units.js';
import { flowSide } from '../../../src/questions/requests/request-question.js';
import { hostRoots, RootCalls } from '../../../src/questions/requests/roots.js';
import { probedFunctions, workTimes } from '../../../src/questions/requests/work-ends.js';
import type { Hosts } from '../../../src/waits/host-flows.js';

/** Symbols of the paths: 0 is a root, 1 takes work, 2 is another function. */
const PATHS = { length: 4, parent: Int32Array.of(NONE, 0, 0, 0), symbol: Int32Array.of(NONE, 0, 1, 2) };
const NODE = { root: 1, take: 2, other: 3 } as const;

type Row = readonly [from: number, to: number, of: keyof typeof NODE, outer?: number, ending?: number];

function spansOf(rows: readonly Row[]): Spans {
  return {
    startNs: Float64Array.from(rows, ([from]) => from),
    endNs: Float64Array.from(rows, ([, to]) => to),
    node: Int32Array.from(rows, ([, , of]) => NODE[of]),
    outer: Int32Array.from(rows, ([, , , outer]) => outer ?? NONE),
    ending: Int32Array.from(rows, ([, , , , ending]) => ending ?? NONE),
  };
}

describe('a request', () => {
  const spans = new Map([
    [
      7,
      spansOf([
        [10, 50, 'root'],
        [20, 40, 'root', 0],
        [21, 30, 'take', 1],
        [60, 70, 'other'],
        [62, 69, 'root', 3],
      ]),
    ],
    [5, spansOf([[5, 15, 'root', NONE, Inference.OpenAtStart]])],
  ]);
  const roots = new RootCalls({ spans, paths: PATHS }, Uint8Array.of(1, 0, 0));

  test('is a call that is not inside another one', () => {
    expect([...roots.fromNs]).toEqual([5, 10, 62]);
    expect([...roots.tid]).toEqual([5, 7, 7]);
  });

  test('has no duration if it was cut', () => {
    expect([...roots.durationNs]).toEqual([Number.NaN, 40, 7]);
  });

  test('is around moments of its thread', () => {
    expect([9, 10, 49, 50, 61, 62, 69].map((ns) => roots.isWithin(7, ns))).toEqual([
      ...[false, true, true, false],
      ...[false, true, false],
    ]);
    expect([roots.isWithin(5, 5), roots.isWithin(6, 5)]).toEqual([true, false]);
  });
});

test('requests of several hosts are in the order of the common clock', () => {
  const callsAt = (tid: number, ...times: readonly number[]) => {
    const spans = new Map([[tid, spansOf(times.map((ns): Row => [ns, ns + 5, 'root']))]]);
    return new RootCalls({ spans, paths: PATHS }, Uint8Array.of(1, 0, 0));
  };
  const ahead = [0, 100];
  const common = (host: number, ns: number) => ns - ahead[host];
  const clocks = { common, commonTimes: (host: number, times: Float64Array) => times.map((ns) => common(host, ns)) };
  const threads = { idOf: (host: number, tid: number) => 10 * host + tid };
  const roots = hostRoots([callsAt(3, 10, 30), callsAt(4, 105, 130)], { clocks, threads } as unknown as Hosts);
  expect([...roots.fromNs]).toEqual([5, 10, 30, 30]);
  expect([...roots.host]).toEqual([1, 0, 0, 1]);
  expect([...roots.tid]).toEqual([14, 3, 3, 14]);
  expect([...roots.ownFromNs]).toEqual([105, 10, 30, 130]);
  expect([...roots.toNs]).toEqual([10, 15, 35, 35]);
});

function popsAt(...times: readonly number[]) {
  return {
    length: times.length,
    timeNs: Float64Array.from(times),
    tid: new Int32Array(times.length).fill(7),
    pid: new Int32Array(times.length),
    key: new Float64Array(times.length).fill(Number.NaN),
  };
}

describe('work that a thread took', () => {
  const calls = {
    paths: PATHS,
    spans: new Map([
      [
        7,
        spansOf([
          [100, 200, 'take'],
          [300, 400, 'take'],
          [350, 360, 'other', 1],
          [500, 600, 'take'],
        ]),
      ],
    ]),
  };
  const times = (isEntry: boolean, ...pops: readonly number[]) => {
    const { startNs, endNs } = workTimes(popsAt(...pops), [{ symbol: 1, isEntry }], calls, 900);
    return pops.map((_, pop) => [startNs[pop], endNs[pop]]);
  };

  test('is the call, where it is taken at the beginning of one', () => {
    expect(times(true, 101, 302)).toEqual([
      [100, 200],
      [300, 400],
    ]);
  });

  test('is the call that began just after, where clocks differ', () => {
    expect(times(true, 299)).toEqual([[300, 400]]);
  });

  test('lasts until the function is called again, where it is taken within one', () => {
    expect(times(false, 150, 390)).toEqual([
      [150, 300],
      [390, 500],
    ]);
  });

  test('lasts until the next is taken', () => {
    expect(times(false, 120, 150, 580)).toEqual([
      [120, 150],
      [150, 300],
      [580, 900],
    ]);
  });

  test('lasts until the next is taken, where the functions are not known', () => {
    const { endNs } = workTimes(popsAt(10, 20), [], calls, 900);
    expect([...endNs]).toEqual([20, 900]);
  });
});

describe('the function of a probe', () => {
  const builder = new BranchSitesBuilder();
  const add = (from: readonly [number, number, number], to: readonly [number, number, number]) => {
    const [[address, symbol, start], [toAddress, toSymbol, toStart]] = [from, to];
    builder.add(
      BranchKind.Call,
      TraceEdge.None,
      { address, symbol, start },
      { address: toAddress, symbol: toSymbol, start: toStart },
    );
  };
  add([0x1010, 0, 0x1000], [0x2000, 1, 0x2000]);
  add([0x2080, 1, 0x2000], [0x1014, 0, 0x1000]);
  const trace = { sites: builder.build(), symbols: new SymbolTableBuilder().build(), samples: [] };
  const table = (field: string, ...addresses: readonly number[]) => {
    const into = new SampleTablesBuilder();
    for (const value of addresses)
      into.add('probe_a:b', {
        ...{ timeNs: 1, tid: 1, pid: 1, cpu: 0, context: SampleContext.Task },
        values: [{ name: field, value }],
      });
    return into.build()[0] as SampleTable;
  };

  test('is the one around its address', () => {
    expect(probedFunctions(table('__probe_ip', 0x2000, 0x2000), trace)).toEqual([{ symbol: 1, isEntry: true }]);
    expect(probedFunctions(table('__probe_ip', 0x2060), trace)).toEqual([{ symbol: 1, isEntry: false }]);
  });

  test('is the one that returned', () => {
    expect(probedFunctions(table('__probe_func', 0x2000), trace)).toEqual([{ symbol: 1, isEntry: false }]);
  });

  test('is not known where no branch shows it', () => {
    expect(probedFunctions(table('__probe_ip', 0x3000), trace)).toEqual([]);
    expect(probedFunctions(table('id', 0x2000), trace)).toEqual([]);
  });
});

describe('an event', () => {
  const into = new SampleTablesBuilder();
  for (const event of ['probe_a:push', 'probe_b:push', 'probe_a:pop'])
    into.add(event, {
      ...{ timeNs: 1, tid: 1, pid: 1, cpu: 0, context: SampleContext.Task },
      values: [{ name: 'job', value: 3 }],
    });
  const tables = into.build();

  test.each([
    ['pop', 'probe_a:pop', null],
    ['pop:job', 'probe_a:pop', 'job'],
    ['probe_b:push', 'probe_b:push', null],
    ['probe_b:push:job', 'probe_b:push', 'job'],
  ])('is named %s', (text, event, key) => {
    const side = flowSide(text, tables);
    expect([side.table.event, side.key]).toEqual([event, key]);
  });

  test.each([
    ['push:job', 'BAD_OPTION'],
    ['pop:id', 'NOT_RECORDED'],
    ['take:job', 'NOT_RECORDED'],
    ['take', 'NOT_RECORDED'],
  ])('is not named %s', (text, code) => {
    expect(() => flowSide(text, tables)).toThrowError(expect.objectContaining({ code }));
  });
});
