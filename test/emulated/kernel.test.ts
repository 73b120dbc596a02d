/**
 * Recordings of a kernel and its programs, with their true stacks: test/tools/qemupt makes them in an emulated machine.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { analyze, renderFolded } from '../../src/index.js';
import { encodedOf, profileOfOwn, profileOfPerf } from '../helpers/perf/both-decoders.js';
import { ALONE } from '../helpers/perf/decoding.js';
import { isMissing, needs } from '../tools/needs.js';

const PROGRAMS = ['perf', 'QEMU 7.2 of Debian 12', 'busybox', 'cpio', 'gcc', 'libc6-dev', 'python3'] as const;
const RECORD = fileURLToPath(new URL('../tools/qemupt/record.sh', import.meta.url));
const CACHE = join(tmpdir(), 'ptflame-consumers', 'kernel');
const LIMIT_MS = 600_000;
/** Exit codes of record.sh if it cannot get a kernel, and if the machine is too slow. */
const [NO_KERNEL, TOO_SLOW] = [3, 124];
const RECORDED = ['waits', 'chain'];

needs(...PROGRAMS);

const out = mkdtempSync(join(tmpdir(), 'ptflame-emulated-'));
const symfs = join(out, 'root');
let problem = '';

beforeAll(async () => {
  if (PROGRAMS.some(isMissing)) return;
  const { exitCode, all } = await execa(RECORD, [CACHE, out, ...RECORDED], { all: true, reject: false });
  if (exitCode === NO_KERNEL) problem = all;
  else if (exitCode === TOO_SLOW) problem = 'the emulator is too slow here';
  else expect(exitCode, all).toBe(0);
}, LIMIT_MS);

beforeEach(({ skip }) => skip(problem !== '', problem));
afterAll(() => rmSync(out, { recursive: true }));

describe.each(RECORDED)('%s', (name) => {
  const folder = join(out, name, 'perf.data');
  const path = join(folder, 'data');

  test('gives the profile that perf gives', async () => {
    const own = await profileOfOwn(path, symfs, true);
    expect(own === (await profileOfPerf(folder, symfs, true))).toBe(true); // too long to be shown
  });

  test('shows the time of threads on their true stacks', async () => {
    const profile = await analyze([await encodedOf(path, symfs, 'leaving')], { ...ALONE, extend: false });
    const stackOf = stacksAlike(readFileSync(join(folder, 'kcore_dir/kallsyms'), 'utf8'));
    const truth = readFileSync(join(out, name, 'truth.folded'), 'utf8');
    const shown = [...renderFolded(profile, { by: 'thread' })].join('');
    expect(overlap(timesOf(truth, stackOf), timesOf(shown, stackOf))).toBeGreaterThan(99.9);
  });
});

/** Functions of the scheduler, on which waiting is not shown. */
const SCHEDULER = /^(__|preempt_)?schedule(_timeout)?$|^__switch_to|^finish_task_switch/;
/** Frames that one of the two does not show: thunks, and the linkage tables of programs, which have the name before them. */
const WITHOUT_FRAME = /_thunk_(r|array)|return_thunk$|^_init$/;

/** Returns what makes stacks equal that only differ in what is shown otherwise; null: an idle CPU. */
function stacksAlike(kallsyms: string): (stack: string) => string | null {
  const symbols = [...kallsyms.matchAll(/^(\w+) [tTwW] (\S+)/gm)].map(
    ([, address = '', name = '']) => [address, name] as const,
  );
  const names = new Map<string, string>(); // by address, one of all that it has
  for (const [address, name] of symbols) {
    const other = names.get(address);
    if (other === undefined || WITHOUT_FRAME.test(name) || (name < other && !WITHOUT_FRAME.test(other)))
      names.set(address, name);
  }
  const alike = new Map(symbols.map(([address, name]) => [name, names.get(address)]));
  return (stack) => {
    const [thread = '', ...frames] = stack.split(';');
    if (/^(0|swapper)\//.test(thread)) return null;
    const path = frames.map((name) => alike.get(name) ?? name).filter((name) => !WITHOUT_FRAME.test(name));
    const isOff = (name = '') => SCHEDULER.test(name) || /^\[(off-cpu|preempted)\]$/.test(name);
    const end = path.findLastIndex((name) => !isOff(name)) + 1;
    const waits = end < path.length ? ['[off-cpu]'] : [];
    return [/\d+$/.exec(thread)?.[0], ...path.slice(0, end), ...waits].join(';');
  };
}

function timesOf(folded: string, stackOf: (stack: string) => string | null): Map<string, number> {
  const times = new Map<string, number>();
  for (const [, line = '', ns] of folded.matchAll(/^(.*) (\d+)$/gm)) {
    const stack = stackOf(line);
    if (stack !== null) times.set(stack, (times.get(stack) ?? 0) + Number(ns));
  }
  return times;
}

/** Returns how much of the true time is shown where it was spent, in percent. */
function overlap(truth: ReadonlyMap<string, number>, shown: ReadonlyMap<string, number>): number {
  let [right, all] = [0, 0];
  for (const [stack, ns] of truth) {
    right += Math.min(ns, shown.get(stack) ?? 0);
    all += ns;
  }
  return (100 * right) / all;
}
