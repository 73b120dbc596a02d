/**
 * Tests the report page of a traced kernel: the colour of entries, and columns for whose the time is.
 */
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { windows } from '../../helpers/browser/browser.js';
import { frames, goTo, openReport, rows, titles } from '../../helpers/browser/report-page.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

const browser = windows('html');

/** A system call that is interrupted and sleeps. */
const TRACE = traceOf(`
  0     call     main                work
  100   call     work                read
  200   syscall  read                k:entry_SYSCALL_64
  250   hw int   k:entry_SYSCALL_64  k:asm_sysvec_timer
  300   iret     k:asm_sysvec_timer  k:entry_SYSCALL_64+0xe0
  350   call     k:entry_SYSCALL_64  k:__schedule
  400   call     k:__schedule        k:__switch_to
  900   return   k:__switch_to       k:__schedule
  950   return   k:__schedule        k:entry_SYSCALL_64
  960   sysret   k:entry_SYSCALL_64  read+0xe2
  980   return   read                work
  1000  return   work                main`);

let page: Page;
beforeAll(async () => {
  page = await openReport(browser, TRACE);
}, 60_000);

test('shows entries of the kernel in a colour of their own, which the legend names', async () => {
  await goTo(page);
  expect(await page.locator('.legend').textContent()).toContain('kernel entry');
  const entries = (await frames(page)).filter(({ fill }) => fill === 'var(--entry)');
  expect(entries.map(({ label }) => label.slice(0, 5))).toEqual(['entry', 'asm_s']);
});

test('says of call paths and threads how much time the program, the kernel and interrupts took', async () => {
  await goTo(page, '#view=tree&columns=total,user,kernel,interrupt,off-cpu');
  expect(await titles(page, 'Call tree')).toEqual(['Call path', 'Total ↓', 'User', 'Kernel', 'Interrupt']);
  expect((await rows(page, 'Call tree')).map((cells) => cells.join(' '))).toEqual([
    'main 1 µs 240 ns 210 ns 50 ns',
    'work 1 µs 240 ns 210 ns 50 ns',
    'read 880 ns 120 ns 210 ns 50 ns',
    'entry_SYSCALL_64 760 ns 0 ns 210 ns 50 ns',
    'off CPU 500 ns 0 ns 0 ns 0 ns',
    '__schedule 100 ns 0 ns 100 ns 0 ns',
    'asm_sysvec_timer 50 ns 0 ns 0 ns 50 ns',
  ]);
  await goTo(page, '#view=threads');
  expect((await titles(page, 'Threads')).slice(5, 8)).toEqual(['User', 'Kernel', 'Interrupt']);
  const [all = []] = await rows(page, 'Threads');
  expect(all.slice(5, 8)).toEqual(['240 ns', '210 ns', '50 ns']);
});
