/**
 * A file that replaces a private one is private from its first moment, not only once its mode is set.
 */
import { fstatSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { createTemporaryFile } from '../../../cli/output/temporary-files.js';
import { test } from '../../helpers/cli/run-cli.js';

const modesBefore: number[] = [];
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fchmodSync: typeof fs.fchmodSync = (fd, mode) => {
    modesBefore.push(fstatSync(fd).mode & 0o777);
    fs.fchmodSync(fd, mode);
  };
  return { ...fs, fchmodSync };
});

test('nobody else may read it before it has the mode of what it replaces', async ({ dir }) => {
  const path = await dir.write('private', 'x');
  await chmod(path, 0o640);
  const file = createTemporaryFile(path, { replaced: await stat(path) });
  expect(modesBefore).toEqual([0o600]);
  expect((await stat(file.path)).mode & 0o777).toBe(0o640);
});
