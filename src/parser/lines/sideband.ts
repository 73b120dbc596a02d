/**
 * What the kernel told perf, the text behind `PERF_RECORD_`, taken apart.
 */
import type { SidebandRecord } from '../../model/trace/sideband.js';
import { parseAddress } from './location.js';

/** Records that are not needed, and garbled ones, are 'other'. */
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

// "FORK(15223:15236):(15223:15223)": the child's pid and tid, then the parent's; EXIT likewise, of the one that ends
function parseTask(text: string): SidebandRecord | null {
  const task = /^(FORK|EXIT)\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)/.exec(text);
  if (task === null) return null;
  const [pid = 0, tid = 0, parentPid = 0, parent = 0] = task.slice(2).map(Number);
  return task[1] === 'FORK' ? { what: 'fork', pid, tid, parentPid, parent } : { what: 'exit', pid, tid };
}

// "MMAP2 15223/15223: [0x401000(0x1000) @ 0x1000 fe:00 2277498 0]: r-xp /opt/lab/demo", with "<build id>" in place of
// the device; "MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text". A path of
// Linux has 4,096 bytes at most.
const MAPPING =
  /^MMAP2? (-?\d{1,9})\/-?\d{1,9}: \[(?:0x)?([0-9a-f]{1,16})\((?:0x)?([0-9a-f]{1,16})\) @ (?:0x)?([0-9a-f]{1,16})?[^\]]*\]: (?:[rx]|[r-][w-][x-][ps]) (.{1,4096})$/s;

function parseMapping(text: string): SidebandRecord | null {
  const mapping = MAPPING.exec(text);
  if (mapping === null) return null;
  const [, pid = '', start = '', length = '', offset, file = ''] = mapping;
  const place = { start: parseAddress(start), length: Number.parseInt(length, 16) };
  return { what: 'mmap', pid: Number(pid), ...place, fileOffset: parseAddress(offset ?? ''), file };
}
