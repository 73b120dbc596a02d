/**
 * Parses what `perf script` prints of a sample of a tracepoint or probe:
 *
 *     sched:sched_waking: comm=teller pid=7493 prio=120 target_cpu=001
 *     probe_libc:lock_slow: (7f6c9a7c6100) lock=0x5620a494c540 owner=7493
 *     syscalls:sys_enter_futex: uaddr: 0x5620a494c584, op: 0x00000080
 *     syscalls:sys_exit_futex: 0x1
 *
 * Without the event (`-F-event`), the usual ones are recognized by their fields.
 */
import type { PrintedValue } from './printed-value.js';
import { fieldsOf, namelessFields } from './sample-fields.js';

export interface SampleText {
  /** As perf prints it, without modifiers. */
  readonly event: string;
  readonly values: readonly PrintedValue[];
}

/** It has fields, but not those of a usual event, and perf did not print which event it is. */
export const UNNAMED = 'unnamed';
export const GARBLED = 'a sample whose values are cut or garbled';

// A hardware event with modifiers is not a tracepoint: "branches:u:", "cycles:ppp:".
const NAMED = /^(?:\d{1,12} +)?([A-Za-z_]\w*:(?![ukhGHpPSDWeIb]+:)[A-Za-z_]\w*)(?::[ukhGHpPSDWeIb]+)?:(?: +|$)/;
/** The address column, which is empty for samples and follows without a blank. */
const NO_ADDRESS = / {15}0$/;
/** Where the thread was. */
const LOCATION = / [0-9a-f]{1,16} (?:\[unknown\]|\S{1,1024}\+0x[0-9a-f]{1,16})(?: \([^()]{1,4096}\))?$/;
/** Those of an earlier branch. */
const STALE_FLAGS = /^(?:(?:tr strt|tr end|call|return|jmp|jcc|syscall|sysret|hw int|int|iret|async)(?: +|$))+/;

/** `rest`: what follows the time. Returns null for any other event; UNNAMED or GARBLED if it cannot be used. */
export function parseSample(rest: string): SampleText | typeof UNNAMED | typeof GARBLED | null {
  const [head = '', event] = NAMED.exec(rest) ?? [];
  const body = withoutTail(rest.slice(head.length).trimStart().replace(STALE_FLAGS, ''));
  if (event === undefined) return namelessFields(body) ?? (UNKNOWN_FIELDS.test(body) ? UNNAMED : null);
  const values = fieldsOf(event, body);
  return values === null ? GARBLED : { event, values };
}

function withoutTail(text: string): string {
  return text.trimEnd().replace(LOCATION, '').trimEnd().replace(NO_ADDRESS, '').trimEnd();
}

const UNKNOWN_FIELDS = /^(?:[a-z]\w{0,63}=\S{1,256}(?: |$))+$/;
