/**
 * Parses the text after `PERF_RECORD_`: what the kernel reported to perf.
 */
import type { SidebandRecord } from '../../model/trace/sideband.js';
import { parseAddress } from './location.js';

/** Parses a record; unused and garbled ones become 'other'. */
export function parseRecord(text: string): SidebandRecord {
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
