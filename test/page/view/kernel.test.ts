/**
 * What the page shows of a traced kernel: columns for whose the time is, also where the kernel is one frame.
 */
import { expect, test } from 'vitest';
import { OpenPaths } from '../../../src/page/view/call-paths.js';
import { START } from '../../../src/page/view/state.js';
import { type ColumnSubject, knownColumns } from '../../../src/page/view/table-columns.js';
import type { Views } from '../../../src/page/view/views.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const USER = `
  0    call     main                main_loop
  100  call     main_loop           read`;
const KERNEL = `
  110  syscall  read                k:entry_SYSCALL_64
  120  call     k:entry_SYSCALL_64  k:copy
  150  return   k:copy              k:entry_SYSCALL_64
  160  sysret   k:entry_SYSCALL_64  read+0xe2`;
const END = `
  170  return   read                main_loop`;

/** With the files of functions, as perf prints them. */
function withFiles(text: string): string {
  return text
    .replace(/(ffffffff8\w+ \w+\+0x\w+)/g, '$1 ([kernel.kallsyms])')
    .replace(/( \d{5,8} \w+\+0x\w+)(?! \()/g, '$1 (/bin/program)');
}

const subjectOf = (views: Views): ColumnSubject => ({
  ...{ views, width: 'wall', isInverted: false, isTree: false, sides: null, totalWeight: 1, maxCalls: 1 },
});
const keysOf = (views: Views, more: Partial<ColumnSubject> = {}) =>
  knownColumns({ ...subjectOf(views), ...more }).map(({ key }) => key);

test('has columns for time in the program, the kernel and interrupts, if a kernel was traced', async () => {
  const views = viewsOf(await analyzeText(withFiles(traceOf(USER + KERNEL + END)), { extend: false }));
  expect(keysOf(views)).toEqual(expect.arrayContaining(['user', 'kernel', 'interrupt']));
  expect(keysOf(views, { isTree: true })).toEqual(expect.arrayContaining(['user', 'kernel', 'interrupt']));
  expect(keysOf(views, { isTree: true, isInverted: true })).not.toContain('kernel'); // times are those of the leaves
  const without = viewsOf(await analyzeText(withFiles(traceOf(USER + END)), { extend: false }));
  for (const key of ['user', 'kernel', 'interrupt']) expect(keysOf(without)).not.toContain(key);
});

test('counts time as the kernel’s, whether its functions are shown or are one frame', async () => {
  const views = viewsOf(await analyzeText(withFiles(traceOf(USER + KERNEL + END)), { extend: false }));
  for (const collapsed of [[], ['[kernel.kallsyms]']]) {
    const rows = [
      ...views
        .viewAt({ ...START, collapsed })
        .functions()
        .values(),
    ];
    const read = rows.find(({ symbol }) => views.data.symbols.name[symbol] === 'read');
    expect(read).toMatchObject({ totalNs: 70, userNs: 20, kernelNs: 50, interruptNs: 0 });
  }
});

test('counts it likewise for call paths and threads, in what is in view', async () => {
  const views = viewsOf(await analyzeText(withFiles(traceOf(USER + KERNEL + END)), { extend: false }));
  const paths = views.callPathsAt(START);
  const open = new OpenPaths();
  paths.openHeaviest(open);
  const rows = paths.rows(open, (siblings) => siblings);
  const of = Object.fromEntries(rows.map(({ symbol, sums }) => [views.data.symbols.name[symbol], sums]));
  expect(of).toMatchObject({
    main_loop: { totalNs: 170, userNs: 120, kernelNs: 50, interruptNs: 0 },
    entry_SYSCALL_64: { totalNs: 50, userNs: 0, kernelNs: 50, interruptNs: 0 },
  });
  expect(views.threadsAt(START)).toMatchObject([{ userNs: 120, kernelNs: 50, interruptNs: 0 }]);
  const hidden = views.threadsAt({ ...START, hiddenLibraries: ['[kernel.kallsyms]'] });
  expect(hidden).toMatchObject([{ userNs: 120, kernelNs: 0, interruptNs: 0 }]);
  const without = viewsOf(await analyzeText(withFiles(traceOf(USER + END)), { extend: false }));
  expect(without.threadsAt(START)[0]).not.toHaveProperty('kernelNs');
});
