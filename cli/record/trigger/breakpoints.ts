/**
 * Finds out whether the CPU's breakpoints stop programs. In some virtual machines they can be set, and none is ever hit.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { readNames } from '../../../src/symbols/functions.js';
import { DISK_FILES } from '../../../src/symbols/symbol-files.js';
import { mappedCode } from './place.js';

/** glibc's file, or musl's. */
const LIBC = /\/(libc[.-]|ld-musl-)[^/]*$/;
const EACH_MS = 5;
/** On a busy machine this process may not run for a while. */
const TRIES_S = ['0.1', '1'];

/** perf counts calls of `write` that this process makes. Returns null if that cannot be tried. */
export async function breakpointsAreHit(perf: string): Promise<boolean | null> {
  const address = addressOfWrite();
  if (address === null) return null;
  const { execa } = await import('execa');
  const sink = openSync('/dev/null', 'w');
  const calls = setInterval(() => writeSync(sink, ' '), EACH_MS);
  const event = `mem:0x${address.toString(16)}:x:u`;
  try {
    for (const seconds of TRIES_S) {
      const args = ['stat', '-x,', '-e', event, '-p', `${process.pid}`, '--', 'sleep', seconds];
      const { stderr } = await execa(perf, args, { reject: false, stdin: 'ignore', timeout: 10_000 });
      const count = /^\d+(?=,)/m.exec(stderr)?.[0]; // "0,,mem:0x7f7bc425a8d0:x:u,1205116,100.00,,"; or "<not counted>,,…"
      if (count !== '0') return count === undefined ? null : true;
    }
    return false;
  } finally {
    clearInterval(calls);
    closeSync(sink);
  }
}

function addressOfWrite(): number | null {
  const libc = mappedCode(readFileSync('/proc/self/maps', 'latin1')).filter(({ path }) => LIBC.test(path));
  const [first] = libc;
  const [write] = (first && readNames(first.path, DISK_FILES, { root: '', cache: null })?.named('write')) ?? [];
  const code = libc.find(({ offset, length }) => write && write.start >= offset && write.start < offset + length);
  return write === undefined || code === undefined ? null : code.start + write.start - code.offset;
}
