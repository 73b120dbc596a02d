/**
 * Parses one line of `perf script`: the reference parser, exact, and tolerant of every field set and of every perf
 * since 5.x. docs/perf-format.md describes the format with examples.
 *
 *     line    = prefix [ period ] [ event ":" ] flags from " => " to
 *     prefix  = [ comm ] [ pid "/" ] tid [ "[" cpu "]" ] [ misc ] [ time-of-day ] [ sec "." frac ":" ]
 *     from,to = address [ symbol [ "+0x" offset ] ] [ "(" file ")" ]
 *
 * Columns only have minimum widths, so nothing is found by position. Every line is parsed by itself: lines that belong
 * to the previous one (source lines, call chains) are recognized by their own form.
 */

import { isThreadId, MAX_ID } from '../../model/limits.js';
import type { PerfTime } from '../../model/trace/perf-time.js';
import type { SidebandRecord } from '../../model/trace/trace-chunk.js';
import { type Address, idleTid, NONE, type Tid } from '../../model/units.js';
import { parseAddress } from './location.js';
import { type PerfLine, type Prefix, parseFlags } from './perf-line-types.js';
import { GARBLED, parseSample, UNNAMED } from './sample-line.js';

const IGNORED: PerfLine = { type: 'ignored' };
export const NO_FLAGS = 'a branch without flags (perf script needs -F+flags)';

// Matches all blanks in a row: a pattern that may match fewer would backtrack over every length.
const GAP = ' +(?! )';
// The comm is tried last and kept short: it may look like anything, and the kernel's has at most 15 bytes.
const COMM_AND_IDS =
  `^ *(?! )(?:VM: *-?\\d+${GAP}VCPU: *-?\\d+${GAP})?(?:(\\S(?:.{0,62}?\\S)??)${GAP})??` +
  `(?:(-?\\d{1,9})\\/)?(-?\\d{1,9})${GAP}(?:\\[(-?\\d{1,5})\\]${GAP})?`;
const MISC_AND_DATE = `(?:[A-Za-z]{1,6}${GAP})?(?:\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+${GAP})?`;
const TIMED = new RegExp(`${COMM_AND_IDS}${MISC_AND_DATE}(\\d{1,10})\\.(\\d{9}|\\d{6}): *`);
const TIMELESS = new RegExp(`${COMM_AND_IDS}(?:[KUHGg]${GAP})?`);

const KINDS = 'call|return|jmp|jcc|syscall|sysret|hw int|int|iret|async|tx abrt|vmentry|vmexit|br miss';
const FLAG_WORDS =
  'raw flags:0x[0-9a-f]+|' +
  `(?:(?:tr strt tr end|tr strt|tr end)(?: *(?! )(?:${KINDS}))?|${KINDS}|[bcrosyiABExghDt?]+(?= ))?` +
  '(?:\\/[a-z_,]*\\/)?(?: *\\([xDt]*\\))?';
// The name of a branch event has no dot and does not begin with a digit; a garbled time has and does.
const PERIOD_AND_EVENT = `^(?:\\d{1,12}${GAP})?(?:[A-Za-z][^\\s.]*:${GAP})?`;
/** Not an address if another one follows in a column of its own: then it is a name, indented by call depth ("add"). */
const ADDRESS_AND_SYMBOL = '([0-9a-f]{1,16}(?! {2,}[0-9a-f]{1,16}(?: |$))(?: .*)?)$';
const KNOWN_FLAGS = new RegExp(`${PERIOD_AND_EVENT}(${FLAG_WORDS}) *(?<![^ ])(?! )${ADDRESS_AND_SYMBOL}`, 's');
/** Flags that no known perf prints, or a name indented by call depth before the address. */
const ANY_FLAGS = new RegExp(
  `${PERIOD_AND_EVENT}([A-Za-z][^ :]*(?: .{0,1023}?[^ ])??)${GAP}${ADDRESS_AND_SYMBOL}`,
  's',
);
/** Flags fill 21 columns; indented names follow them. */
const INDENTED_NAME = new RegExp(`^(${FLAG_WORDS}) {2,}(?<=^.{21,})`, 's');

/** Parses one line without its newline; bytes as latin1 characters, so that offsets stay those of bytes. */
export function parsePerfLine(line: string): PerfLine {
  const parsed = readLine(line);
  const reason = lineFault(parsed);
  return reason === null ? parsed : { type: 'damaged', reason };
}

function readLine(line: string): PerfLine {
  if (line.startsWith(' instruction trace error')) return parseError(line);
  if (isContinuation(line)) return IGNORED;
  const sideband = parseSideband(line);
  if (sideband !== null) return sideband;
  const arrow = findArrow(line);
  const branch = arrow === -1 ? null : parseBranch(line, arrow);
  if (branch?.type === 'branch' && !line.includes('comm=')) return branch; // the name of a thread may contain an arrow
  return parseSampleLine(line) ?? branch ?? parseOtherEvent(line);
}

// "  dl-lookup.c:118" and "  libc.so.6[29d90]" are source lines, perhaps followed by " insn: …"; frames of call chains
// begin with a tab and end with a blank line.
const SOURCE_LINE = /^ {2}\S.*(?::\d+|[^ ]\[[0-9a-f]+\])(?: ilen:.*| insn:.*)?$/s;

function isContinuation(line: string): boolean {
  if (line.trim() === '' || line[0] === '\t' || line[0] === '#') return true;
  return SOURCE_LINE.test(line) && !line.includes(' => ') && !TIMED.test(line);
}

const ARROW_AND_ADDRESS = / => +(?! )[0-9a-f]{1,16}(?:[ \t]|$)/y;
const SYMBOL_ENDS = /(?:\+0x[0-9a-f]+|\[unknown\])$/;
const FILE_STARTS = /(?:\+0x[0-9a-f]{1,16}|\[unknown\]|(?:^| )[0-9a-f]{1,16}) \(/;
const ADDRESS_ENDS = / [0-9a-f]{1,16}$/;
const MAX_ARROWS = 64;

/**
 * Returns the offset of the " => " between the two ends. Names may contain one, too ("lambda => 7f00 bar"), so it is
 * the rightmost one that follows a complete location and that an address follows.
 */
function findArrow(line: string): number {
  const arrows: number[] = [];
  for (let at = line.lastIndexOf(' => '); at > 0; at = line.lastIndexOf(' => ', at - 1)) {
    ARROW_AND_ADDRESS.lastIndex = at;
    if (!ARROW_AND_ADDRESS.test(line)) continue;
    if (followsSymbol(line, at)) return at;
    if (arrows.push(at) === MAX_ARROWS) break;
  }
  return arrows.find((at) => ADDRESS_ENDS.test(line.slice(Math.max(0, at - 17), at))) ?? arrows[0] ?? -1;
}

function followsSymbol(line: string, at: number): boolean {
  if (line[at - 1] !== ')') return SYMBOL_ENDS.test(line.slice(Math.max(0, at - 19), at));
  return FILE_STARTS.test(line.slice(line.lastIndexOf(' => ', at - 1) + 1, at));
}

function parseBranch(line: string, arrow: number): PerfLine {
  const left = line.slice(0, arrow);
  const head = parsePrefix(left);
  if (head === null) return { type: 'damaged', reason: 'a branch without a thread id' };
  const rest = left.slice(head.length);
  const match = KNOWN_FLAGS.exec(rest) ?? ANY_FLAGS.exec(rest);
  if (match === null) return { type: 'damaged', reason: 'a branch without an origin address' };
  const [, words = '', from = ''] = match;
  if (words === '') return { type: 'damaged', reason: NO_FLAGS };
  const indented = INDENTED_NAME.exec(words);
  const flags = parseFlags((indented?.[1] ? indented[1] : words).trim());
  return { type: 'branch', prefix: head.prefix, flags, from, to: withoutTail(line.slice(arrow + 4).trimStart()) };
}

const CYCLES_OR_ASSEMBLY = /\t(?: IPC: |\t)/;
const INSTRUCTION = /(?: +ilen: +\d{1,2})?(?: +insn:(?: [0-9a-f]{2}){0,16})?$/;
const MAX_INSTRUCTION_LENGTH = 80;

// After the target perf may print " \t IPC: 0.53 (27/50) " or " ilen: 3 insn: 48 89 e5 \t\tmov %rsp, %rbp".
function withoutTail(to: string): string {
  const tab = to.search(CYCLES_OR_ASSEMBLY);
  const target = (tab === -1 ? to : to.slice(0, tab)).trimEnd();
  const tail = Math.max(0, target.length - MAX_INSTRUCTION_LENGTH);
  return target.slice(0, tail) + target.slice(tail).replace(INSTRUCTION, '');
}

/** No machine has more. */
const MAX_CPUS = 2 ** 20;

/**
 * Returns the thread of a branch; null: no thread ran. An idle task runs the kernel's code alone: other branches of thread 0
 * are damaged.
 */
export function threadOf({ prefix, from, to }: Extract<PerfLine, { type: 'branch' }>): Tid | null {
  const { tid, cpu } = prefix;
  if (tid > 0) return tid;
  const isIdle = tid === 0 && cpu !== null && cpu >= 0 && cpu < MAX_CPUS && (isKernel(from) || isKernel(to));
  return isIdle ? idleTid(cpu) : null;
}

function isKernel(location: string): boolean {
  return parseAddress(location.split(' ', 1)[0] ?? '') < 0;
}

function parsePrefix(text: string): { prefix: Prefix; length: number } | null {
  const match = TIMED.exec(text) ?? TIMELESS.exec(text);
  if (match === null) return null;
  const [all, comm, pid, tid, cpu, seconds, fraction] = match;
  const time = seconds === undefined ? null : toTime(seconds, fraction);
  const prefix = { comm: comm ?? null, pid: numberOrNull(pid), tid: Number(tid), cpu: numberOrNull(cpu), time };
  return { prefix, length: all.length };
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

/** `fraction` has nine digits, or six without `--ns`. */
function toTime(seconds: string, fraction: string): PerfTime {
  return { seconds: Number(seconds), ns: Number(fraction) * (fraction.length === 6 ? 1000 : 1) };
}

// "time 0" means unknown; perf ≤ 5.0 prints no time; guests have two more columns.
const ERROR =
  /^ instruction trace error type \d+(?: time (?:(\d{1,10})\.(\d{9}|\d{6})|0))?(?: machine_pid -?\d+ vcpu -?\d+)? cpu (-?\d{1,9}) pid (-?\d{1,9}) tid (-?\d{1,9}) ip (?:0x)?([0-9a-f]+) code (\d{1,9}): (.*)$/;

function parseError(line: string): PerfLine {
  const match = ERROR.exec(line);
  if (match === null) return { type: 'damaged', reason: 'an unreadable error line' };
  const [, seconds, fraction, cpu, pid, tid, ip = '', code, message = ''] = match;
  const time = seconds === undefined ? null : toTime(seconds, fraction);
  const ids = { cpu: Number(cpu), pid: Number(pid), tid: Number(tid) };
  return { type: 'error', time, ...ids, ip: knownAddress(ip), code: Number(code), message };
}

/** Returns NaN for address 0, where no code is, and for more than 16 digits. */
function knownAddress(hex: string): Address {
  return hex.length > 16 ? Number.NaN : parseAddress(hex) || Number.NaN;
}

/**
 * Returns null for any other line. A function's name may contain " PERF_RECORD_", but then no line prefix ends there.
 */
function parseSideband(line: string): PerfLine | null {
  const at = line.indexOf('PERF_RECORD_');
  if (at === -1) return null;
  const head = parsePrefix(line.slice(0, at));
  if (head === null || head.length !== at) return null;
  return { type: 'sideband', prefix: head.prefix, record: parseRecord(line.slice(at + 'PERF_RECORD_'.length)) };
}

/** Returns null for any other line. */
function parseSampleLine(line: string): PerfLine | null {
  const head = parsePrefix(line);
  if (head === null || head.prefix.time === null) return null;
  const sample = parseSample(line.slice(head.length));
  if (sample === null) return null;
  if (sample === GARBLED) return { type: 'damaged', reason: GARBLED };
  return { type: 'sample', prefix: head.prefix, sample: sample === UNNAMED ? null : sample };
}

/** Events that perf synthesizes without a name; only their text identifies them, their flags are stale. */
const SYNTHESIZED =
  /(?:^| )(?:psb offs: |cbr: +\d|IP: \d|hints: 0x|hw: \d cstate: |deepest cstate: |cfe: |IFLAG: |payload: 0x)/;
const EVENT_NAME = /^(?:\d{1,20} +)?(\S*[^:\s]):(?: |$)/;
/** Without its name: perhaps the period, the address that it is about, and where the thread was. No flags precede them. */
const ADDRESS_COLUMNS = /^(?:[0-9a-f]{1,20}(?: +(?! )|$))+/;
const ADDRESS_INSIDE = / [0-9a-f]{1,16} /;
/** A branch cut off before its target, which is not another event. */
const CUT_BRANCH = new RegExp(`^(?:\\d{1,12}${GAP})?branches:\\S*${GAP}(?:tr |${KINDS})`);

function parseOtherEvent(line: string): PerfLine {
  const head = parsePrefix(line);
  if (head === null) return { type: 'damaged', reason: 'not a line of perf script' };
  const rest = line.slice(head.length);
  const event = head.prefix.time === null ? undefined : otherEvent(rest);
  if (SYNTHESIZED.test(rest)) return IGNORED;
  if (event !== undefined) return { type: 'other', event };
  return { type: 'damaged', reason: 'no " => ADDRESS" (a cut line, or perf script without +addr)' };
}

/** Returns the name of the event, null for one whose name was not printed, undefined for anything else. */
function otherEvent(rest: string): string | null | undefined {
  const name = EVENT_NAME.exec(rest)?.[1];
  if (name !== undefined) return CUT_BRANCH.test(rest) ? undefined : name;
  const columns = ADDRESS_COLUMNS.exec(rest)?.[0] ?? '';
  if (columns === '') return undefined;
  const place = rest.slice(columns.length);
  if (place === '' || columns.trimEnd().includes(' ')) return null; // nothing: a call chain follows
  return ADDRESS_INSIDE.test(place) && followsSymbol(place, place.length) ? null : undefined; // after a symbol
}

/**
 * Parses the text after `PERF_RECORD_`: what the kernel reported to perf.
 *
 * Parses a record; unused and garbled ones become 'other'.
 */
function parseRecord(text: string): SidebandRecord {
  return parseSwitch(text) ?? parseComm(text) ?? parseTask(text) ?? parseMapping(text) ?? { what: 'other' };
}

// "SWITCH OUT preempt", "SWITCH_CPU_WIDE IN  prev pid/tid: …"
function parseSwitch(text: string): SidebandRecord | null {
  const change = /^SWITCH(?:_CPU_WIDE)? (IN|OUT preempt|OUT)/.exec(text);
  if (change === null) return null;
  return { what: 'switch', direction: change[1] === 'IN' ? 'in' : change[1] === 'OUT' ? 'out' : 'preempted' };
}

// "COMM exec: demo:15223/15223"
function parseComm(text: string): SidebandRecord | null {
  const comm = /^COMM( exec)?: (.*):(-?\d+)\/(-?\d+)/.exec(text);
  if (comm === null) return null;
  return { what: 'comm', exec: !!comm[1], name: comm[2], pid: Number(comm[3]), tid: Number(comm[4]) };
}

// "FORK(15223:15236):(15223:15223)": pid and tid of the child, then of the parent; "EXIT" has those of the exiting
// thread first
function parseTask(text: string): SidebandRecord | null {
  const task = /^(FORK|EXIT)\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)/.exec(text);
  if (task === null) return null;
  const [pid = 0, tid = 0, parentPid = 0, parent = 0] = task.slice(2).map(Number);
  return task[1] === 'FORK' ? { what: 'fork', pid, tid, parentPid, parent } : { what: 'exit', pid, tid };
}

// "MMAP2 15223/15223: [0x401000(0x1000) @ 0x1000 fe:00 2277498 0]: r-xp /opt/lab/demo", with "<build id>" instead of
// the device; "MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text". Linux limits
// paths to 4,096 bytes.
const MAPPING =
  /^MMAP2? (-?\d{1,9})\/-?\d{1,9}: \[(?:0x)?([0-9a-f]{1,16})\((?:0x)?([0-9a-f]{1,16})\) @ (?:0x)?([0-9a-f]{1,16})?[^\]]*\]: (?:[rx]|[r-][w-][x-][ps]) (.{1,4096})$/s;

function parseMapping(text: string): SidebandRecord | null {
  const mapping = MAPPING.exec(text);
  if (mapping === null) return null;
  const [, pid = '', start = '', length = '', offset, file = ''] = mapping;
  const range = { start: parseAddress(start), length: Number.parseInt(length, 16) };
  return { what: 'mmap', pid: Number(pid), ...range, fileOffset: parseAddress(offset ?? ''), file };
}

/**
 * Rejects lines with ids, CPUs or addresses that no machine has. They are damaged, so no later stage has to check.
 */
export const FAR_TIME = 'its time is more than 52 days from that of the first line';
const BAD_THREAD = 'a thread or process id that no kernel assigns';
const BAD_CPU = 'an impossible CPU number';
const BAD_ADDRESS = 'an address that no program has';

/** Returns what is impossible in a record, or null. An id may be −1 if perf does not know it. */
function recordFault(record: SidebandRecord): string | null {
  switch (record.what) {
    case 'comm':
    case 'exit':
    case 'traced':
      return idFault(record.pid, record.tid);
    case 'fork':
      return idFault(record.pid, record.tid, record.parentPid, record.parent);
    case 'mmap':
      return idFault(record.pid) ?? (Number.isFinite(record.start + record.length) ? null : BAD_ADDRESS);
    default:
      return null;
  }
}

/** Returns what is impossible in a line, or null. Its time is checked elsewhere, against those of other lines. */
export function lineFault(line: PerfLine): string | null {
  switch (line.type) {
    case 'branch':
      return prefixFault(line.prefix) ?? addressFault(line.from) ?? addressFault(line.to);
    case 'error':
      return idFault(line.pid, line.tid) ?? cpuFault(line.cpu);
    case 'sample':
      return prefixFault(line.prefix);
    case 'sideband':
      return prefixFault(line.prefix) ?? recordFault(line.record);
    default:
      return null;
  }
}

function prefixFault({ pid, tid, cpu }: Prefix): string | null {
  return idFault(pid ?? NONE, tid) ?? cpuFault(cpu ?? NONE);
}

function idFault(...ids: readonly number[]): string | null {
  return ids.every(isThreadId) ? null : BAD_THREAD;
}

function cpuFault(cpu: number): string | null {
  return cpu >= NONE && cpu <= MAX_ID ? null : BAD_CPU;
}

/** Programs use the lower half of the address space and the kernel the upper one, each far less than 2^53 bytes. */
function addressFault(location: string): string | null {
  const blank = location.indexOf(' ');
  const address = parseAddress(blank === -1 ? location : location.slice(0, blank));
  return Number.isSafeInteger(address) ? null : BAD_ADDRESS;
}
