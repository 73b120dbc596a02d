/**
 * What the report tells of a traced kernel: whose the time of functions is.
 */
import { expect, test } from 'vitest';
import { type ReportOptions, reportOf } from '../../../src/questions/report/answer.js';
import { Report } from '../../../src/questions/report/schema.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

/** A system call that is interrupted and sleeps, and a page fault; the interrupt is interrupted itself. */
const TRACE = traceOf(`
  0    call     main                     work
  10   hw int   work                     k:asm_exc_page_fault
  20   call     k:asm_exc_page_fault     k:handle
  30   return   k:handle                 k:asm_exc_page_fault
  40   iret     k:asm_exc_page_fault     work+0xe0
  100  call     work                     read
  110  syscall  read                     k:entry_SYSCALL_64
  120  call     k:entry_SYSCALL_64       k:copy
  130  hw int   k:copy                   k:asm_sysvec_timer
  140  call     k:asm_sysvec_timer       k:tick
  150  hw int   k:tick                   k:asm_exc_nmi
  155  iret     k:asm_exc_nmi            k:tick+0xe0
  160  return   k:tick                   k:asm_sysvec_timer
  170  iret     k:asm_sysvec_timer       k:copy+0xe0
  180  call     k:copy                   k:__schedule
  190  call     k:__schedule             k:__switch_to
  690  return   k:__switch_to            k:__schedule
  700  return   k:__schedule             k:copy
  710  return   k:copy                   k:entry_SYSCALL_64
  720  sysret   k:entry_SYSCALL_64       read+0xe2
  730  return   read                     work
  800  return   work                     main`);

test('divides the time of functions between program, kernel, interrupts and time without a CPU', async () => {
  const report = reportOf(await analyzeText(TRACE, { extend: false }));
  const of = Object.fromEntries(
    report.functions.map(({ name, userNs, kernelNs, interruptNs, offCpuNs }) => [
      name,
      [userNs, kernelNs, interruptNs, offCpuNs].join(' '),
    ]),
  );
  expect(of).toMatchObject({
    main: '160 100 40 500',
    work: '160 100 40 500',
    read: '20 70 40 500',
    asm_exc_page_fault: '0 30 0 0',
    entry_SYSCALL_64: '0 70 40 500',
    copy: '0 50 40 500',
    asm_sysvec_timer: '0 0 40 0',
    tick: '0 0 20 0',
    asm_exc_nmi: '0 0 5 0',
    __schedule: '0 20 0 0',
    '[off-cpu]': '0 0 0 500',
  });
  expect(Report.parse(JSON.parse(JSON.stringify(report))).functions.filter(({ entry }) => entry)).toMatchObject([
    { name: 'entry_SYSCALL_64', entry: 'system call' },
    { name: 'asm_sysvec_timer', entry: 'interrupt' },
    { name: 'asm_exc_page_fault', entry: 'exception' },
    { name: 'asm_exc_nmi', entry: 'NMI' },
  ]);
});

test('lists interrupts by what they hit, and how long they took, with those that interrupted them', async () => {
  const profile = await analyzeText(TRACE, { extend: false, trees: 'apart' });
  const report = reportOf(profile, { interrupts: true, threads: true });
  const found = [
    {
      ...{ name: 'asm_sysvec_timer', entry: 'interrupt', interrupted: { name: 'copy' } },
      ...{ calls: 1, totalNs: 40, avgNs: 40, maxNs: 40 },
    },
    {
      ...{ name: 'asm_exc_nmi', entry: 'NMI', interrupted: { name: 'tick' } },
      ...{ calls: 1, totalNs: 5, avgNs: 5, maxNs: 5 },
    },
  ];
  expect(report.interrupts).toMatchObject(found);
  expect(report.threads).toMatchObject([{ tid: 1, interrupts: found }]);
  const of = (options: ReportOptions) => reportOf(profile, { interrupts: true, ...options }).interrupts;
  expect(of({ sort: 'name' })?.map(({ name }) => name)).toEqual(['asm_exc_nmi', 'asm_sysvec_timer']);
  expect(of({ match: (name) => name === 'copy' })).toMatchObject([{ name: 'asm_sysvec_timer' }]);
  expect(of({ top: 1 })).toHaveLength(1);
  expect(reportOf(profile)).not.toHaveProperty('interrupts');
});

test('has none of these numbers if no kernel was traced', async () => {
  const text = traceOf(`
    10  call             main  read
    20  tr end  syscall  read
    30  tr strt          read
    40  return           read  main`);
  const [row] = JSON.parse(JSON.stringify(reportOf(await analyzeText(text)))).functions;
  for (const key of ['userNs', 'kernelNs', 'interruptNs', 'offCpuNs', 'entry']) expect(row).not.toHaveProperty(key);
});
