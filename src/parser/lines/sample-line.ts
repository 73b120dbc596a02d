/**
 * Parses what `perf script` prints of a sample of a tracepoint or probe:
 *
 *     sched:sched_waking: comm=teller pid=7493 prio=120 target_cpu=001
 *     probe_libc:lock_slow: (7f6c9a7c6100) lock=0x5620a494c540 owner=7493
 *     syscalls:sys_enter_futex: uaddr: 0x5620a494c584, op: 0x00000080
 *     syscalls:sys_exit_futex: 0x1
 *     raw_syscalls:sys_enter: NR 0 (3, 7ffe1c02b2d0, 400, 0, 0, 0)
 *
 * Without the event (`-F-event`), the usual ones are recognized by their fields.
 */
import type { NumberStyle } from '../../model/sample-table.js';

/** Reads one printed value of a sample: a number as in a recording, or a text. */
interface PrintedValue {
  readonly name: string;
  /** Bytes as latin1 characters. */
  readonly text: string;
  /** It is a text even if it looks like a number. */
  readonly isText: boolean;
  /** As in a recording: numbers of 64 bits are signed, and a text beyond 2^53. Other texts are as printed. */
  readonly value: number | string;
  readonly style: NumberStyle;
}

const TEXT_FIELDS = /comm$|^(?:file)?name$/;

function isTextField(name: string): boolean {
  return TEXT_FIELDS.test(name);
}

function printedValue(name: string, text: string, isText = isTextField(name)): PrintedValue {
  const value = isText ? text : (numberOf(text) ?? text);
  return { name, text, isText, value, style: styleOf(text, value) };
}

/** Returns null if it is not a number. */
function numberOf(text: string): number | string | null {
  if (!/^(?:-?\d{1,20}|0x[0-9a-f]{1,16})$/.test(text)) return null;
  const short = Number(text);
  if (Number.isSafeInteger(short)) return short;
  const signed = Number(BigInt.asIntN(64, BigInt(text)));
  if (Number.isSafeInteger(signed)) return signed;
  return text.startsWith('0x') ? `0x${BigInt(text).toString(16)}` : text;
}

function styleOf(text: string, value: number | string): NumberStyle {
  if (text.startsWith('0x')) return 'hexadecimal';
  const isAbove = typeof value === 'number' && value < 0 && !text.startsWith('-');
  return isAbove ? 'unsigned' : 'signed';
}

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

/** Returns the fields, or null if the text has another form. */
type Form = (text: string) => PrintedValue[] | null;

// Names of threads may contain anything, so only the whole line shows where they end.
const SWITCH =
  /^prev_comm=(?<prev_comm>.{0,64}) prev_pid=(?<prev_pid>-?\d+) prev_prio=(?<prev_prio>-?\d+) prev_state=(?<prev_state>\S+) ==> next_comm=(?<next_comm>.{0,64}) next_pid=(?<next_pid>-?\d+) next_prio=(?<next_prio>-?\d+)$/s;
const WAKING =
  /^comm=(?<comm>.{0,64}) pid=(?<pid>-?\d+) prio=(?<prio>-?\d+)(?: success=(?<success>\d+))? target_cpu=(?<target_cpu>\d+)$/s;
// The same, printed by the plugins of libtraceevent.
const SHORT_SWITCH =
  /^(?<prev_comm>.{0,64}):(?<prev_pid>\d+) \[(?<prev_prio>-?\d+)\] (?<prev_state>\S+) ==> (?<next_comm>.{0,64}):(?<next_pid>\d+) \[(?<next_prio>-?\d+)\]$/s;
const SHORT_WAKING =
  /^(?<comm>.{0,64}):(?<pid>\d+) \[(?<prio>-?\d+)\](?: success=(?<success>\d+))? CPU:(?<target_cpu>\d+)$/s;
const FUTEX =
  /^uaddr: (?<uaddr>0x[0-9a-f]+), op: (?<op>0x[0-9a-f]+), val: (?<val>0x[0-9a-f]+), utime: (?<utime>0x[0-9a-f]+), uaddr2: (?<uaddr2>0x[0-9a-f]+), val3: (?<val3>0x[0-9a-f]{8,16})$/;
const NUMBERED = /^NR (?<id>-?\d{1,10}) \([0-9a-f]{1,16}(?:, [0-9a-f]{1,16}){5}\)$/;
const EXIT = /^(?<ret>0x[0-9a-f]{1,16})$/;

const switchForm = formOf(SWITCH, SHORT_SWITCH);
const wakingForm = formOf(WAKING, SHORT_WAKING);
const futexForm = formOf(FUTEX);
const exitForm = formOf(EXIT);
const numberedForm = formOf(NUMBERED);

/**
 * Parses the fields of samples, in the forms that the kernel gives their events.
 *
 * Returns the fields of an event; null if they are garbled.
 */
function fieldsOf(event: string, text: string): PrintedValue[] | null {
  if (event === 'sched:sched_switch') return switchForm(text);
  if (/^sched:sched_wak(ing|eup|eup_new)$/.test(event)) return wakingForm(text);
  if (event === 'raw_syscalls:sys_enter') return numberedForm(text);
  if (event.startsWith('syscalls:sys_exit_')) return exitForm(text);
  if (event === 'syscalls:sys_enter_futex') return futexForm(text);
  if (event.startsWith('syscalls:sys_enter_')) return callArguments(text);
  return event.startsWith('probe') ? probeForm(text) : namedValues(text);
}

const NAMELESS: readonly (readonly [event: string, Form])[] = [
  ['sched:sched_switch', switchForm],
  ['sched:sched_waking', wakingForm],
  ['syscalls:sys_enter_futex', futexForm],
  ['raw_syscalls:sys_enter', numberedForm],
  ['syscalls:sys_exit_futex', exitForm],
];

/** Returns the event that has such fields; null: none of the usual ones. Probes are named after their address. */
function namelessFields(text: string): { readonly event: string; readonly values: PrintedValue[] } | null {
  for (const [event, form] of NAMELESS) {
    const values = form(text);
    if (values !== null) return { event, values };
  }
  const values = probeForm(text);
  if (values === null) return null;
  const [at] = values;
  return { event: `probe:${at?.text}${at?.name === '__probe_func' ? '%return' : ''}`, values };
}

function formOf(...patterns: readonly RegExp[]): Form {
  const forms = patterns.map((pattern) => ({ pattern, fields: groupsOf(pattern) }));
  return (text) => {
    for (const { pattern, fields } of forms) {
      const match = pattern.exec(text);
      if (match !== null) return valuesOf(match, fields);
    }
    return null;
  };
}

interface Field {
  readonly name: string;
  readonly isText: boolean;
}

/** Returns the named groups of a pattern that has no others. */
function groupsOf({ source }: RegExp): Field[] {
  return Array.from(source.matchAll(/\(\?<(\w+)>/g), ([, name = '']) => ({ name, isText: isTextField(name) }));
}

function valuesOf(match: RegExpExecArray, fields: readonly Field[]): PrintedValue[] {
  const values: PrintedValue[] = [];
  fields.forEach(({ name, isText }, index) => {
    const text: string | undefined = match[index + 1]; // undefined: an optional one that is missing
    if (text !== undefined) values.push(printedValue(name, text, isText));
  });
  return values;
}

/** Parses `fd: 0x00000004, buf: 0x5620a494c580`. */
function callArguments(text: string): PrintedValue[] {
  return Array.from(text.matchAll(/(?<![^ ])(\w{1,64}): ([^, ]*)/g), ([, name = '', text = '']) =>
    printedValue(name, text),
  );
}

const PROBE = /^\(([0-9a-f]{1,16})(?: <- ([0-9a-f]{1,16}))?\)(?: (?=\w+=)|$)/;

/** Parses `(7f6c9a7c6100) lock=0x5620a494c540`, or `(function <- return address) arg1=0x1`. */
function probeForm(text: string): PrintedValue[] | null {
  const [head, address, returnAddress] = PROBE.exec(text) ?? [];
  if (head === undefined) return null;
  const at =
    returnAddress === undefined
      ? [printedValue('__probe_ip', `0x${address}`)]
      : [printedValue('__probe_func', `0x${address}`), printedValue('__probe_ret_ip', `0x${returnAddress}`)];
  return [...at, ...namedValues(text.slice(head.length))];
}

const NAMED_VALUE = /(?<![^ ])(\w{1,64})=(".{0,4096}?"(?= \w{1,64}=|$)|.*?(?=,? \w{1,64}=|$))/gs;

/** Parses `name=value` wherever it is, and `name="text"`. Nothing else is understood. */
function namedValues(text: string): PrintedValue[] {
  return Array.from(text.matchAll(NAMED_VALUE), ([, name = '', printed = '']) => {
    const isQuoted = printed.length > 1 && printed.startsWith('"') && printed.endsWith('"');
    return isQuoted ? printedValue(name, printed.slice(1, -1), true) : printedValue(name, printed);
  });
}
