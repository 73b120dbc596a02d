/**
 * Makes directories with binaries of fixtures, for `--symfs`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Directory, fixturePath } from './run-cli.js';

/** Returns a directory that has a binary of fixtures/dwarf at `program`. */
export async function rootWith(dir: Directory, program: string, fixture: string): Promise<string> {
  const root = join(dir.path, 'root');
  await mkdir(dirname(root + program), { recursive: true });
  await writeFile(root + program, gunzipSync(await readFile(fixturePath(`dwarf/${fixture}.gz`))));
  return root;
}
