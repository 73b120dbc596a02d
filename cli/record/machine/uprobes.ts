/**
 * Lists and removes the kernel's uprobes, in the file `uprobe_events` of tracefs.
 */
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Uprobe {
  readonly group: string;
  readonly name: string;
  readonly file: string;
  /** Where in the file the probed instruction is. */
  readonly offset: number;
  /** It is hit when the function returns. */
  readonly isReturn: boolean;
}

const GROUP = /^ptflame_(\d{1,10})$/;

/** Returns the name of the group of the probes that a process of ptflame adds. */
export function probeGroup(pid: number): string {
  return `ptflame_${pid}`;
}

/** Returns the process that a group of probes belongs to; null: it is not one of ptflame's. */
export function ownerOf(group: string): number | null {
  const pid = GROUP.exec(group)?.[1];
  return pid === undefined ? null : Number(pid);
}

/** "p:group/name /path/of/file:0x0000000000001139 job=%di"; a probe of a return begins with "r". */
const LINE = /^([pr])\d*:([^/\s]+)\/(\S+) (\S+):0x([0-9a-f]+)/;

/** Returns no probes if this user may not read them. `tracing`: the directory of tracefs. */
export function listUprobes(tracing: string): Uprobe[] {
  let text = '';
  try {
    text = readFileSync(join(tracing, 'uprobe_events'), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [, kind, group = '', name = '', file = '', offset = ''] = LINE.exec(line) ?? [];
    if (kind === undefined) return [];
    return [{ group, name, file, offset: Number.parseInt(offset, 16), isReturn: kind === 'r' }];
  });
}

/** Synchronous, for the exit of the process. @throws the system's error: EBUSY while a probe is recorded */
export function removeUprobes(tracing: string, group: string): void {
  for (const { name } of listUprobes(tracing).filter((each) => each.group === group)) {
    // Opened to append: the kernel removes all probes of the machine if the file is truncated.
    const fd = openSync(join(tracing, 'uprobe_events'), constants.O_WRONLY | constants.O_APPEND);
    try {
      writeSync(fd, `-:${group}/${name}\n`);
    } finally {
      closeSync(fd);
    }
  }
}
