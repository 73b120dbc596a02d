/**
 * Requests as OTLP, read by OpenTelemetry's own classes: the spans are the calls and parts of the answer.
 */
import { describe, expect, test } from 'vitest';
import { otlpOfRequests } from '../../../src/export/otlp.js';
import { requestsAnswer } from '../../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../../src/questions/requests/ask-requests.js';
import type { RequestDetails, RequestPart } from '../../../src/questions/requests/schema.js';
import {
  askTwoHosts,
  BATCHES,
  BY_KEY,
  GROUP_COMMIT,
  PARENT,
  REQUEST_CASES,
  RPCS,
  TRACE,
  WAITLAB,
} from '../../helpers/requests/traces.js';
import { fixture, inputOf } from '../../helpers/traces/load.js';
import { type ReadSpan, readOtlp } from './helpers/read-otlp.js';

const otlpOf = (found: RequestsResult) => [...otlpOfRequests(found)].join('');

interface Row {
  readonly name: string;
  readonly tid: number;
  readonly startNs: number;
  readonly durationNs: number;
  /** Of parts: how they were handed on, and in which call. */
  readonly by: string | null;
  readonly sharedBy: number;
  readonly handedOnIn: string | null;
  readonly wait: string;
  readonly waker: number | null;
  readonly isInferred: boolean;
  readonly above: readonly string[];
}

/** The spans of a trace as rows, with the names of the spans around each. */
function rowsOfTrace(spans: readonly ReadSpan[]): Row[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const root = spans.find(({ parentSpanId }) => !byId.has(parentSpanId)) as ReadSpan;
  const above = ({ parentSpanId }: ReadSpan): string[] => {
    const parent = byId.get(parentSpanId);
    return parent === undefined ? [] : [...above(parent), parent.name];
  };
  return spans.map((span) => {
    const { name, values, startNs, endNs, links } = span;
    const handOff = links.find((link) => 'ptflame.handoff.by' in link.values);
    return {
      name,
      tid: Number(values['thread.id']),
      startNs: startNs - root.startNs,
      durationNs: endNs - startNs,
      by: (handOff?.values['ptflame.handoff.by'] as string) ?? null,
      sharedBy: Number(values['ptflame.shared_by'] ?? 1),
      handedOnIn: handOff ? (byId.get(handOff.spanId)?.name ?? 'unknown') : null,
      wait: `${values['ptflame.wait.reason']} ${values['ptflame.wait.ended_by']}`,
      waker: (values['ptflame.waker.thread.id'] as number) ?? null,
      isInferred: values['ptflame.inferred'] === true,
      above: above(span),
    };
  });
}

/** The same from the answer that `requests --json` prints. */
function rowsOfAnswer({ parts }: RequestDetails): Row[] {
  const headOf = ({ startNs, durationNs, spans: [first] }: RequestPart) =>
    first?.startNs === startNs && first.durationNs === durationNs ? first.name : 'work';
  const aboveOf = (part: RequestPart): string[] => {
    const from = part.by === null ? undefined : parts[part.parent ?? 0];
    return from === undefined ? [] : [...aboveOf(from), headOf(from)];
  };
  return parts.flatMap((part) => {
    const { startNs, durationNs, thread, by, sharedBy, spans } = part;
    const around = aboveOf(part);
    const ofPart = { by, sharedBy, handedOnIn: by === null ? null : handedOnIn(parts[part.parent ?? 0], part) };
    const ofCall = { by: null, sharedBy: 1, handedOnIn: null };
    const plain = { wait: 'undefined undefined', waker: null, isInferred: false };
    const isOneCall = headOf(part) !== 'work';
    const head = isOneCall ? [] : [{ name: 'work', ...{ startNs, durationNs }, ...plain, ...ofPart, above: around }];
    const names: string[] = [];
    const calls = spans.map(({ depth, name, startNs, durationNs, wait, isInferred }, row) => {
      const isHead = isOneCall && row === 0;
      names.length = depth;
      const above = isHead
        ? around
        : [...around, headOf(part), ...names.slice(isOneCall && names[0] === headOf(part) ? 1 : 0)];
      names.push(name);
      const waited = wait && { wait: `${wait.reason ?? undefined} ${wait.endedBy}`, waker: wait.waker?.tid ?? null };
      return { name, startNs, durationNs, ...plain, ...waited, isInferred, ...(isHead ? ofPart : ofCall), above };
    });
    return [...head, ...calls].map((row) => ({ tid: thread.tid, ...row }));
  });

  function handedOnIn(from: RequestPart, { handedOnNs }: RequestPart): string {
    const at = handedOnNs as number;
    const open = from.spans.filter(({ startNs, durationNs }) => startNs <= at && at < startNs + durationNs);
    return open.at(-1)?.name ?? headOf(from);
  }
}

/** Like rows are like text. */
const sorted = (rows: readonly Row[]) =>
  rows
    .map(({ name, tid, startNs, ...row }) =>
      JSON.stringify({ tid, startNs, name, ...row }, [...Object.keys(row), 'tid', 'startNs', 'name'].sort()),
    )
    .sort();

function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}

function tracesOf(text: string): ReadSpan[][] {
  const byTrace = grouped(readOtlp(text), ({ traceId }) => traceId);
  return [...byTrace.values()];
}

describe('requests as OTLP', () => {
  test.each(REQUEST_CASES)('are those of the answer: work handed on $name', async ({ inputs, flows, requests, by }) => {
    const asked = { root: 'handle_request', ...(flows && { flows }) };
    const answer = requestsAnswer(await askRequests(inputs(), { ...asked, slowest: requests, minNs: 0 }));
    const traces = tracesOf(otlpOf(await askRequests(inputs(), { ...asked, maxSpans: 1e6 })));
    expect(answer.details).toHaveLength(requests);
    expect(traces.map(rowsOfTrace).map(sorted)).toEqual(answer.details.map(rowsOfAnswer).map(sorted));
    expect(traces.flatMap(rowsOfTrace).some((row) => row.by === by)).toBe(true);
  });

  test('link work that was done for several', async () => {
    const found = await askRequests(GROUP_COMMIT(), { root: 'handle_request', flows: BATCHES, maxSpans: 1e6 });
    const spans = readOtlp(otlpOf(found));
    const shared = grouped(
      spans.filter(({ values }) => 'ptflame.shared_by' in values),
      ({ values, endNs }) => `${values['thread.id']} ${endNs}`,
    );
    expect(shared.size).toBeGreaterThan(1);
    for (const [first, ...others] of shared.values()) {
      expect(others).toHaveLength(Number(first?.values['ptflame.shared_by']) - 1);
      for (const { links, traceId } of others) {
        expect(links.find(({ values }) => values['ptflame.link'] === 'shared')?.spanId).toBe(first?.spanId);
        expect(traceId).not.toBe(first?.traceId);
      }
    }
  });

  test('lie within the calls around them where a thread switches between stacks', async () => {
    const found = await askRequests([inputOf(fixture('truth/ptemu-boostfiber.perf.txt.gz'), 'fibers')], {
      ...{ root: 'consume', maxSpans: 1e6 },
    });
    const spans = new Map(readOtlp(otlpOf(found)).map((span) => [span.spanId, span]));
    const ofParents = [...spans.values()].flatMap((span) => {
      const parent = spans.get(span.parentSpanId);
      return parent ? [{ span, parent }] : [];
    });
    expect(ofParents.length).toBeGreaterThan(50);
    expect(ofParents.filter(({ span, parent }) => span.startNs < parent.startNs || span.endNs > parent.endNs)).toEqual(
      [],
    );
  });

  test('are the longest if they are too many', async () => {
    const ask = (maxSpans: number) => askRequests(WAITLAB(), { ...KEYED, maxSpans });
    const all = readOtlp(otlpOf(await ask(1e6)));
    const found = await ask(200);
    const some = readOtlp(otlpOf(found));
    const { leftOut } = found.requests;
    const lasts = ({ startNs, endNs }: ReadSpan) => endNs - startNs;
    expect(some.length).toBeLessThanOrEqual(200);
    expect(some.length).toBeGreaterThan(150);
    expect(some).toHaveLength(all.length - leftOut.calls);
    expect(some.map(lasts).sort()).toEqual(
      all
        .filter((span) => lasts(span) >= leftOut.minNs)
        .map(lasts)
        .sort(),
    );
    expect(leftOut.requests).toBe(0);
    expect(some[0]?.resource).toMatchObject({
      'ptflame.calls.left_out': leftOut.calls,
      'ptflame.calls.min_ns': leftOut.minNs,
    });
  });

  test('are the slowest if even these are too many', async () => {
    const found = await askRequests(WAITLAB(), { ...KEYED, maxSpans: 10 });
    const spans = readOtlp(otlpOf(found));
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
    expect(roots.map(({ name }) => name)).toEqual(Array(3).fill('handle_request'));
    expect(found.requests.leftOut.requests).toBe(5);
    expect(spans.length).toBeLessThanOrEqual(10);
  });

  test('have the same ids whatever is left out, and each its own', async () => {
    const idsOf = (found: RequestsResult) =>
      readOtlp(otlpOf(found)).map(({ traceId, spanId }) => `${traceId} ${spanId}`);
    const asked = { ...KEYED, minNs: 50_000, maxSpans: 1e6 };
    const all = idsOf(await askRequests(WAITLAB(), asked));
    expect(idsOf(await askRequests(WAITLAB(), asked))).toEqual(all);
    expect(new Set(all.map((id) => id.split(' ')[1])).size).toBe(all.length);
    const slowest = await askRequests(WAITLAB(), { ...asked, slowest: 2 });
    expect(idsOf(slowest)).toEqual(all.slice(0, idsOf(slowest).length));
  });
});

const KEYED = { root: 'handle_request', flows: BY_KEY };

describe('a request', () => {
  const rootsOf = (text: string) =>
    readOtlp(text).filter(({ parentSpanId }) => parentSpanId === '' || parentSpanId === PARENT);

  test('belongs to the trace of its traceparent', async () => {
    const traces = tracesOf(otlpOf(await askTwoHosts()));
    expect(traces).toHaveLength(3);
    const spans = traces.find(([root]) => root?.traceId === TRACE) ?? [];
    expect(spans[0]).toMatchObject({ name: 'ask', parentSpanId: PARENT, flags: 0x301 });
    const hosts = spans.map(({ name, resource }) => [name, resource['host.name'], resource['ptflame.clock.host']]);
    expect(hosts).toContainEqual(['ask', 'web', 'web']);
    expect(hosts).toContainEqual(['work', 'db', 'web']);
    expect(traces.filter(([root]) => root?.traceId !== TRACE).map(([root]) => root?.parentSpanId)).toEqual(['', '']);
  });

  test('has its parts on other hosts, at the times of its own clock', async () => {
    const found = await askTwoHosts();
    const { details } = requestsAnswer(found);
    const traces = tracesOf(otlpOf(found)).map(rowsOfTrace);
    const parts = traces.map((rows) => rows.filter(({ by }) => by !== null).map(({ startNs }) => startNs));
    expect(parts).toEqual(details.map(({ parts: [, ...others] }) => others.map(({ startNs }) => Math.round(startNs))));
    const spans = readOtlp(otlpOf(found)).filter(({ values }) => 'ptflame.handoff.by' in values);
    expect(spans.map(({ values }) => values['ptflame.clock.error_ns'])).toEqual(
      details.flatMap(({ parts: [, ...others] }) => others.map(({ errorNs }) => Math.round(errorNs ?? Number.NaN))),
    );
    expect(spans).toHaveLength(3);
  });

  test('is named although its call is left out, or a call around it seems to be the same', async () => {
    const found = await askTwoHosts();
    const { details } = found.requests;
    const bare = details.map((each) => ({ ...each, parts: each.parts.map((part) => ({ ...part, spans: [] })) }));
    const names = readOtlp(otlpOf({ ...found, requests: { ...found.requests, details: bare } })).map(
      ({ name }) => name,
    );
    expect(names).toEqual(['ask', 'ask', 'ask', 'work', 'work', 'work']);
    expect(details.some(({ parts }) => parts[0]?.spans.length === 4)).toBe(true); // main, ask, send, recv
    const roots = rootsOf(otlpOf(found));
    expect(roots.map(({ name }) => name)).toEqual(['ask', 'ask', 'ask']);
  });

  test('begins when the recording says, or on the clock of perf', async () => {
    const found = await askTwoHosts();
    const byPerf = rootsOf(otlpOf(found));
    expect(byPerf.map(({ startNs }) => startNs).sort()).toEqual(RPCS.map(({ askNs }) => askNs));
    expect(byPerf[0]?.resource['ptflame.clock']).toBe('perf');
    const recorded = {
      host: null,
      kernel: null,
      cpu: null,
      perf: null,
      command: null,
      startedAt: '2026-11-23T11:00:00.250Z',
    };
    const hosts = found.hosts.map(({ profile, ...host }) => {
      return { ...host, profile: { ...profile, meta: { ...profile.meta, recorded } } };
    });
    const text = otlpOf({ ...found, hosts });
    for (const ns of ['250000000', '251000000', '252000000'])
      expect(text).toContain(`"name":"ask","startTimeUnixNano":"${Date.UTC(2026, 10, 23, 11) / 1000}${ns}"`);
    expect(readOtlp(text)[0]?.resource['ptflame.clock']).toBe('wall');
  });

  test('has names that may be anything as visible text', async () => {
    const found = await askTwoHosts();
    const name = 'a"}]\u202e\u0007\ud800</script>\n';
    const hosts = found.hosts.map(({ profile, ...host }) => {
      const names = profile.symbols.name.map((own) => (own === 'send' ? name : own));
      return { ...host, profile: { ...profile, symbols: { ...profile.symbols, name: names } } };
    });
    const names = readOtlp(otlpOf({ ...found, hosts } as RequestsResult)).map((span) => span.name);
    expect(names).toContain('a"}]\\u202e\\x07\\ud800</script>\\x0a');
  });
});
