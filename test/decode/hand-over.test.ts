/**
 * Where one decoder may hand over to the next: only where nothing that either of them does not know makes a difference.
 */
import { assert, expect, test } from 'vitest';
import type { DecodedPart } from '../../src/decode/parts.js';
import { handOver, type Mark } from '../../src/decode/parts.js';
import {
  MARK_EVENT_BYTES,
  MARK_OFFSET,
  MARK_STATE,
  STATE_CYCLES,
  STATE_EVENT_TIME,
  STATE_OWN,
  STATE_UNSURE_CYCLES,
  STATE_UNSURE_EVENT_TIME,
} from '../../src/decode/wasm/layout.js';

interface Made {
  readonly offset: number;
  readonly own?: number;
  readonly cycles?: bigint;
  /** null: unknown. */
  readonly eventTime?: bigint | null;
  readonly isUnsure?: boolean;
}

const STATE_BYTES = STATE_OWN + 8;
const ROW_BYTES = MARK_STATE + STATE_BYTES;

function part(marks: readonly Made[], { lastUnsure = 0, firstEvent = 0n } = {}): DecodedPart {
  const rows = new DataView(new ArrayBuffer(marks.length * ROW_BYTES));
  marks.forEach(({ offset, own = 1, cycles = 0n, eventTime = 50n, isUnsure = false }, row) => {
    const at = row * ROW_BYTES;
    rows.setBigUint64(at + MARK_OFFSET, BigInt(offset), true);
    rows.setUint32(at + MARK_EVENT_BYTES, 8 * offset, true);
    rows.setBigUint64(at + MARK_STATE + STATE_CYCLES, cycles, true);
    rows.setBigUint64(at + MARK_STATE + STATE_EVENT_TIME, eventTime ?? 0n, true);
    rows.setUint8(at + MARK_STATE + STATE_UNSURE_CYCLES, isUnsure ? 1 : 0);
    rows.setUint8(at + MARK_STATE + STATE_UNSURE_EVENT_TIME, eventTime === null ? 1 : 0);
    rows.setUint8(at + MARK_STATE + STATE_OWN, own);
  });
  const none = new DataView(new ArrayBuffer(0));
  const sites = { first: 0, rows: none };
  return {
    ...{ events: new Int32Array(), runs: none, errors: none, sites, marks: rows, stateBytes: STATE_BYTES },
    ...{ lastUnsure, firstEvent, rest: null, isAtCut: true, bytes: 0 },
  };
}

const whole = (decoded: DecodedPart) => ({ decoded, from: null, known: null });
const offsetOf = (first: Parameters<typeof handOver>[0], next: DecodedPart) =>
  handOver(first, next)?.start.offset ?? null;

test('hands over at the first position where both states are equal', () => {
  const first = part([
    { offset: 10, own: 1 },
    { offset: 20, own: 2 },
    { offset: 30, own: 3 },
  ]);
  const next = part([
    { offset: 10, own: 9 },
    { offset: 25, own: 2 },
    { offset: 30, own: 3 },
  ]);
  expect(offsetOf(whole(first), next)).toBe(30);
  expect(offsetOf(whole(first), part([{ offset: 10, own: 9 }]))).toBeNull();
});

test('never hands over before the position where it took over itself', () => {
  const first = part([{ offset: 10 }, { offset: 20 }]);
  const from = { offset: 20 } as Mark;
  expect(offsetOf({ decoded: first, from, known: null }, part([{ offset: 10 }, { offset: 20 }]))).toBe(20);
  expect(offsetOf({ decoded: first, from, known: null }, part([{ offset: 10 }]))).toBeNull();
});

test('fills in what the next decoder does not know', () => {
  const first = part([{ offset: 10, cycles: 7n, eventTime: 40n }]);
  const found = handOver(whole(first), part([{ offset: 10, cycles: 3n, eventTime: null, isUnsure: true }]));
  assert(found);
  const state = new DataView(found.state.buffer, found.state.byteOffset);
  expect([state.getBigUint64(STATE_CYCLES, true), state.getBigUint64(STATE_EVENT_TIME, true)]).toEqual([7n, 40n]);
});

test('fills in what the first decoder does not know from the one before', () => {
  const known =
    handOver(whole(part([{ offset: 5, cycles: 7n }])), part([{ offset: 5, isUnsure: true }]))?.state ?? null;
  const first = part([{ offset: 10, cycles: 4n, isUnsure: true }]);
  expect(offsetOf({ decoded: first, from: null, known }, part([{ offset: 10, cycles: 7n }]))).toBe(10);
  expect(offsetOf({ decoded: first, from: null, known }, part([{ offset: 10, cycles: 4n }]))).toBeNull();
});

test('does not hand over if cycles were counted from an unknown start', () => {
  const first = part([{ offset: 10 }, { offset: 20 }]);
  const unsure = [
    { offset: 10, isUnsure: true },
    { offset: 20, isUnsure: true },
  ];
  expect(offsetOf(whole(first), part(unsure, { lastUnsure: 10 }))).toBe(10);
  expect(offsetOf(whole(first), part(unsure, { lastUnsure: 15 }))).toBe(20);
  expect(offsetOf(whole(first), part(unsure, { lastUnsure: 25 }))).toBeNull();
});

test('does not hand over if the next event would have come before the last one', () => {
  const first = part([{ offset: 10, eventTime: 50n }]);
  const unsure = [{ offset: 10, eventTime: null }];
  expect(offsetOf(whole(first), part(unsure, { firstEvent: 50n }))).toBe(10);
  expect(offsetOf(whole(first), part(unsure, { firstEvent: 0n }))).toBe(10);
  expect(offsetOf(whole(first), part(unsure, { firstEvent: 49n }))).toBeNull();
});
