/**
 * Places of triggers in processes: of a program that is built here, and of the C library, which has no debug information.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPlace } from '../../../cli/record/trigger/place.js';

const SOURCE = `#include <unistd.h>
#define KEEP __attribute__((noinline)) void
static inline __attribute__((always_inline)) void inlined(int n) {
  usleep(n);
}
KEEP accept_one(int n) { __asm__ volatile("" ::"r"(n)); }

KEEP work(int n) {
  inlined(n);
  __asm__ volatile("nop");
}
KEEP other(int n) {
  inlined(n + 1);
  __asm__ volatile("");
}
int main(void) {
  for (;;) { accept_one(1); work(1000); other(1000); }
}
`;

const folder = mkdtempSync(join(tmpdir(), 'places-'));
const program = join(folder, 'program');
writeFileSync(join(folder, 'source.c'), SOURCE);
const isBuilt = spawnSync('gcc', ['-O2', '-g', '-o', program, 'source.c'], { cwd: folder }).status === 0;
const isStripped = isBuilt && spawnSync('strip', ['-o', `${program}-stripped`, program]).status === 0;

/** Where `nm` has a function. */
function addressIn(file: string, name: string, flags: readonly string[] = []): string {
  const line = spawnSync('nm', [...flags, file]).stdout.toString().split('\n').find((each) => new RegExp(` [TW] ${name}(@|$)`).test(each)); // biome-ignore format: short
  return `0x${Number.parseInt(line ?? '', 16).toString(16)}`;
}

let processes: readonly ChildProcess[] = [];
const pidOf = (row: number) => processes[row]?.pid as number;

beforeAll(async () => {
  if (!isStripped) return;
  processes = [spawn(program), spawn(`${program}-stripped`)];
  await Promise.all(processes.map((each) => once(each, 'spawn')));
  await wait(300);
});
afterAll(() => {
  for (const each of processes) each.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

describe.skipIf(!isStripped)('places of a program', () => {
  test('an address, also of a stripped program, is the function that begins there', async () => {
    const named = await findPlace(pidOf(0), 'work');
    const address = addressIn(program, 'work');
    for (const row of [0, 1]) {
      const place = await findPlace(pidOf(row), address);
      expect({ ...place, file: '', addressOf: null }).toEqual({ ...named, name: address, file: '', addressOf: null });
    }
    expect(named.exits?.returns.length).toBeGreaterThan(0);
  });

  test('an address within a function has no end', async () => {
    const work = await findPlace(pidOf(1), 'accept_one').catch((error: Error) => error.message);
    expect(work).toMatch(/has no function accept_one/);
    const within = `0x${(Number(addressIn(program, 'work')) + 1).toString(16)}`;
    expect(await findPlace(pidOf(1), within)).toMatchObject({ name: within, exits: null });
  });

  test('a line at which a function begins is that function; another one is its first code', async () => {
    const work = await findPlace(pidOf(0), 'work');
    expect(await findPlace(pidOf(0), 'source.c:8')).toMatchObject({ entry: work.entry, exits: work.exits });
    const within = await findPlace(pidOf(0), 'source.c:10');
    expect(within.exits).toBeNull();
    expect(within.entry - work.entry).toBeGreaterThan(0);
    expect(within.entry).toBeLessThanOrEqual(work.exits?.returns[0] as number);
  });

  test.each([
    ['inlined', /inlined wherever it is called/, ['work', 'other']],
    ['source.c:4', /is in 2 functions/, [/^0x[0-9a-f]+ \(in work\)$/, /^0x[0-9a-f]+ \(in other\)$/]],
    ['source.c:7', /source\.c:7 has no code/, null],
    ['nothing.c:7', /no debug information has nothing\.c/, null],
    ['0x1', /0x1 is no address of code of /, null],
    ['libnone.so+0x1000', /libnone\.so is not mapped as code/, null],
  ])('%s is refused', async (wanted, message, output) => {
    const error = await findPlace(pidOf(0), wanted).catch((each: unknown) => each);
    expect(error).toMatchObject({ code: 'NO_SUCH_TARGET', message: expect.stringMatching(message) });
    if (output !== null)
      expect((error as { output: string[] }).output.sort()).toEqual(
        output.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each))).sort(),
      );
  });

  test('the next line with code is named', async () => {
    const error = await findPlace(pidOf(0), 'source.c:7').catch((each: unknown) => each);
    expect(error).toMatchObject({ hint: 'the next line that has is source.c:8' });
  });

  test('an address in one of the functions of a line may be chosen', async () => {
    const error = (await findPlace(pidOf(0), 'source.c:4').catch((each: unknown) => each)) as { output: string[] };
    const [address = ''] = error.output[0]?.split(' ') ?? [];
    const place = await findPlace(pidOf(0), address);
    expect(place.addressOf(place.entry)).toBeGreaterThan(0);
  });

  test('an address of a library is the function by its name', async () => {
    const named = await findPlace(pidOf(0), 'usleep');
    const address = addressIn(named.file, 'usleep', ['-D']);
    expect(await findPlace(pidOf(0), `libc.so.6+${address}`)).toMatchObject({
      entry: named.entry,
      exits: named.exits,
    });
  });
});
