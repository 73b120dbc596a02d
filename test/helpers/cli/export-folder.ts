/**
 * Runs `ptflame export` into a folder of a test, and lists what is in it.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Directory, ptflame } from './run-cli.js';

/** Exports into the folder `fleet`, and returns what was said. */
export async function exported(dir: Directory, inputs: readonly string[], ...flags: string[]): Promise<string> {
  const run = await ptflame(['export', ...inputs, '--to', `parquet:${dir.file('fleet')}`, ...flags]);
  expect(run).toMatchObject({ exitCode: 0, stdout: '' });
  return run.stderr;
}

/** Returns the paths of all files in the folder, with the hashes of their contents. */
export async function contents(dir: Directory): Promise<Map<string, string>> {
  const files = await readdir(dir.file('fleet'), { recursive: true, withFileTypes: true });
  const found = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  return new Map(await Promise.all(found.sort().map(async (path) => [path, sha256(await readFile(path))] as const)));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
