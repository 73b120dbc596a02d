/**
 * What the report tells of a traced kernel: whose the time of functions is.
 */
import { expect, test } from 'vitest';
import { reportLines } from '../../../cli/commands/report.js';
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
  132  call     k:asm_sysvec_timer       k:__do_softirq
  137  return   k:__do_softirq           k:asm_sysvec_timer
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

/** The same with the files of functions, as perf prints them. */
const WITH_FILES = TRACE.replace(/(ffffffff8\w+ \w+\+0x\w+)/g, '$1 ([kernel.kallsyms])');

test.each([
  ['unknown', TRACE],
  ['known', WITH_FILES],
])(
  'divides the time of functions between program, kernel, interrupts and time without a CPU (files: %s)',
  async (_, text) => {
    const report = reportOf(await analyzeText(text, { extend: false }));
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
      { name: '__do_softirq', entry: 'softirq' },
      { name: 'asm_exc_nmi', entry: 'NMI' },
    ]);
  },
);

test('marks the average of calls that lasted longer than their total: the scheduler’s, and those around a halt', async () => {
  const idle = traceOf(`
    0/10   call    k:do_idle           k:native_safe_halt
    0/500  hw int  k:native_safe_halt  k:asm_sysvec_timer
    0/520  iret    k:asm_sysvec_timer  k:native_safe_halt+0xe0
    0/900  return  k:native_safe_halt  k:do_idle`);
  const asideOf = async (text: string) => {
    const { functions } = reportOf(await analyzeText(text, { extend: false }));
    return Object.fromEntries(functions.flatMap(({ name, asideNs = 0 }) => (asideNs > 0 ? [[name, asideNs]] : [])));
  };
  expect(await asideOf(TRACE)).toEqual({ __schedule: 500, __switch_to: 500 });
  expect(await asideOf(idle)).toEqual({ native_safe_halt: 870 });
  const shown = [...reportLines(reportOf(await analyzeText(TRACE, { extend: false })), [], 200, 0)];
  expect(shown.filter((line) => / __schedule$/.test(line))).toEqual([
    expect.stringMatching(/\(520 ns\).* __schedule$/),
  ]);
  expect(shown.at(-1)).toMatch(/^avg in brackets: /);
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

test('names the devices’ functions that handled interrupts, the most calls first', async () => {
  const handled = (handler: string, ...calls: string[]) => `
    hw int   work                         k:asm_common_interrupt
    call     k:asm_common_interrupt       k:__handle_irq_event_percpu
    ${[handler, ...calls]
      .map(
        (own) => `call k:__handle_irq_event_percpu k:${own}
    return   k:${own}  k:__handle_irq_event_percpu`,
      )
      .join('\n')}
    return   k:__handle_irq_event_percpu  k:asm_common_interrupt
    iret     k:asm_common_interrupt       work+0xe0`;
  const lines = [
    handled('vring_interrupt', '__traceiter_irq_handler_exit'),
    handled('ata_interrupt', 'vring_interrupt'),
  ];
  const body = `call main work\n${lines.join('\n')}\nhw int work k:asm_sysvec_timer\niret k:asm_sysvec_timer work+0xe0`;
  const timed = body
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, row) => `${10 * row} ${line.trim()}`);
  const report = reportOf(await analyzeText(traceOf(timed.join('\n')), { extend: false }), { interrupts: true });
  expect(
    report.interrupts?.map(({ name, calls, handlers }) => [name, calls, ...handlers.map((own) => own.name)]),
  ).toEqual([
    ['asm_common_interrupt', 2, 'vring_interrupt', 'ata_interrupt'],
    ['asm_sysvec_timer', 1],
  ]);
  const [title = '', first] = [...reportLines(report, [], 200, 0)].slice(-3);
  expect(title).toMatch(/interrupt +handled by +interrupted$/);
  expect(first).toMatch(/asm_common_interrupt +vring_interrupt, ata_interrupt +work$/);
  const ofHandler = reportOf(await analyzeText(traceOf(timed.join('\n'))), {
    interrupts: true,
    match: (name) => name === 'ata_interrupt',
  });
  expect(ofHandler.interrupts).toHaveLength(1);
});

test('has none of these numbers if no kernel was traced', async () => {
  const text = traceOf(`
    10  call             main  read
    20  tr end  syscall  read
    30  tr strt          read
    40  return           read  main`);
  const [row] = JSON.parse(JSON.stringify(reportOf(await analyzeText(text)))).functions;
  for (const key of ['userNs', 'kernelNs', 'interruptNs', 'offCpuNs', 'asideNs', 'entry'])
    expect(row).not.toHaveProperty(key);
});
