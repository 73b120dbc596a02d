/**
 * Libraries as one frame each: all time is kept, text and profile agree, and so does the page.
 */
import { expect, test } from 'vitest';
import { type Profile, PtflameError } from '../../../src/index.js';
import { START } from '../../../src/page/view/state.js';
import { streamedReport } from '../../../src/questions/report/answer.js';
import { collapseLibraries } from '../../../src/render/frames/collapse.js';
import { viewsOf } from '../../helpers/browser/page-views.js';
import { jsonOf, readBack } from '../../helpers/checks/files/profile-file.js';
import { analyzeText, fold } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const TRACE = traceOf(`
  0    call     main                read
  10   syscall  read                k:entry_SYSCALL_64
  20   call     k:entry_SYSCALL_64  k:copy
  30   hw int   k:copy              k:asm_sysvec_apic_timer_interrupt
  70   iret     k:asm_sysvec_apic_timer_interrupt k:copy+0xe0
  90   return   k:copy              k:entry_SYSCALL_64
  100  sysret   k:entry_SYSCALL_64  read+0xe2
  110  return   read                main
  120  call     main                other
  130  return   other               main`)
  .replace(/(ffffffff8\w+ \w+\+0x\w+)/g, '$1 ([kernel.kallsyms])')
  .replace(/( [\da-f]{5,8} \w+\+0x\w+)(?! \()/g, '$1 (/bin/program)');

const profileOf = () => analyzeText(TRACE, { extend: false, durations: true });
const totalNs = ({ threads }: Profile) => threads.flatMap(({ tree }) => [...tree.selfNs]).reduce((a, b) => a + b, 0);

test.each(['kernel', '[kernel.kallsyms]'])('draws the kernel as one frame, named %s', async (name) => {
  const profile = await profileOf();
  const collapsed = collapseLibraries(profile, [name]);
  expect(fold(collapsed, { annotate: true }).trimEnd().split('\n')).toEqual([
    'main:1(1) 10',
    'main:1(1);other:1,avg:10 10',
    'main:1(1);read:1,avg:110 20',
    'main:1(1);read:1,avg:110;▸ kernel:1,avg:90 90',
  ]);
  expect(totalNs(collapsed)).toBe(totalNs(profile));
});

test('gives the kernel to its callers, but keeps what has none', async () => {
  const profile = await profileOf();
  const folded = collapseLibraries(profile, [], ['kernel']);
  expect(fold(folded, { annotate: true }).trimEnd().split('\n')).toEqual([
    'main:1(1) 10',
    'main:1(1);other:1,avg:10 10',
    'main:1(1);read:1,avg:110 110',
  ]);
  expect(fold(collapseLibraries(profile, [], ['program'])).split('\n')[0]).toBe('▸ program 40');
  expect(totalNs(folded)).toBe(totalNs(profile));
});

test('writes it into profiles and reports', async () => {
  const collapsed = collapseLibraries(await profileOf(), ['kernel']);
  expect(fold(await readBack(jsonOf(collapsed)))).toBe(fold(collapsed));
  const { functions } = streamedReport(collapsed, {});
  expect(functions.find(({ name }) => name === '▸ kernel')).toMatchObject({
    ...{ dso: '[kernel.kallsyms]', calls: 1, totalNs: 90, selfNs: 90, avgNs: 90, p50Ns: null },
    ...{ userNs: 0, kernelNs: 90, interruptNs: 0 },
  });
  expect(jsonOf(collapsed)).not.toContain('entry_SYSCALL_64');
});

test('agrees with the page', async () => {
  const profile = await profileOf();
  const views = viewsOf(profile);
  const { symbols } = views.viewAt({ ...START, collapsed: ['[kernel.kallsyms]'] });
  const rows = [
    ...views
      .viewAt({ ...START, collapsed: ['[kernel.kallsyms]'] })
      .functions()
      .values(),
  ];
  const onPage = rows.map(({ symbol, totalNs, selfNs, calls }) => [symbols.name[symbol], totalNs, selfNs, calls]);
  const { functions } = streamedReport(collapseLibraries(profile, ['kernel']), {});
  const reported = functions.map(({ name, totalNs, selfNs, calls }) => [name, totalNs, selfNs, calls]);
  expect(onPage.sort()).toEqual(reported.sort());
});

test('collapses several libraries, each apart', async () => {
  const collapsed = collapseLibraries(await profileOf(), ['kernel', 'program']);
  expect(fold(collapsed)).toBe('▸ program 40\n▸ program;▸ kernel 90\n');
});

test('refuses a library that is not there, and names those that are', async () => {
  const profile = await profileOf();
  expect(() => collapseLibraries(profile, ['kernal'])).toThrow(
    new PtflameError('BAD_OPTION', 'no function of a library kernal ran', { hint: 'libraries here: program, kernel' }),
  );
});
