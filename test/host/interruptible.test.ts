/**
 * Ctrl-C ends work on symbol files that does not return to the event loop, and is handled as any other.
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { interruptible, interruptibleNow } from '../../src/host/turns.js';

const BUILT = pathToFileURL(join(import.meta.dirname, '../../dist/src/host/turns.js'));
const ENDLESS = `
  import { writeSync } from 'node:fs';
  import { interruptible, interruptibleNow } from '${BUILT}';
  process.on('SIGINT', () => writeSync(1, 'handled '));
  try {
    await interruptible(() => interruptibleNow(() => { writeSync(1, 'begun '); for (;;); }));
  } catch ({ code }) {
    writeSync(1, code + ' ');
  }
  setTimeout(() => {}, 200);
`;

test('Ctrl-C ends a loop without end', async () => {
  const running = execa(process.execPath, ['--input-type=module', '-e', ENDLESS], { timeout: 60_000 });
  await new Promise((begun) => running.stdout.once('data', begun));
  running.kill('SIGINT');
  expect((await running).stdout).toBe('begun INTERRUPTED handled ');
});

const LATE = `
  import { writeSync } from 'node:fs';
  import { interruptible } from '${BUILT}';
  process.on('SIGINT', () => writeSync(1, 'handled '));
  process.kill(process.pid, 'SIGINT');
  await interruptible(() => writeSync(1, 'work '));
  setTimeout(() => {}, 200);
`;

test('a Ctrl-C that comes before the work is handled before it', async () => {
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', LATE]);
  expect(stdout).toBe('handled work ');
});

test('otherwise, work returns and throws as it does without', async () => {
  expect(await interruptible(() => interruptibleNow(() => 7))).toBe(7);
  const fail = () => {
    throw new RangeError('own');
  };
  await expect(interruptible(fail)).rejects.toThrow(RangeError);
});
