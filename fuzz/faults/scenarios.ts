/**
 * The command lines that run while requests fail.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { execaSync } from 'execa';

export interface Scenario {
  readonly name: string;
  /** INPUT and OUTPUT are replaced by paths. */
  readonly args: readonly string[];
  readonly input: 'text' | 'large' | 'gz' | 'ptf';
}

const LINES = 20_000;
/** Workers help to read a file of more than 48 MiB. */
const MANY_LINES = 800_000;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'threads', args: ['render', 'INPUT', '-o', 'OUTPUT', '--format', 'folded', '-j', '2'], input: 'large' },
  {
    name: 'threads-import',
    args: ['import', 'INPUT', '-o', 'OUTPUT', '-j', '2', '--memory', '160M'],
    input: 'large',
  },
  { name: 'page', args: ['render', 'INPUT', '-o', 'OUTPUT', '--format', 'html', '-j', '2'], input: 'text' },
  { name: 'render-gz', args: ['render', 'INPUT', '-o', 'OUTPUT', '--format', 'svg', '-j', '2'], input: 'gz' },
  { name: 'import', args: ['import', 'INPUT', '-o', 'OUTPUT'], input: 'text' },
  { name: 'render-ptf', args: ['render', 'INPUT', '-o', 'OUTPUT', '--format', 'json', '-j', '2'], input: 'ptf' },
];

/** Returns a file of the build. The fuzzer runs from the build itself, tests do not. */
export function builtFile(path: string): string {
  const fromHere = import.meta.url.includes('/dist/fuzz/') ? '../../' : '../../dist/';
  return fileURLToPath(new URL(fromHere + path, import.meta.url));
}

export function scenarioArguments({ args, input }: Scenario, directory: string, output: string): string[] {
  return args.map((arg) => (arg === 'INPUT' ? inputFile(input, directory) : arg === 'OUTPUT' ? output : arg));
}

function inputFile(kind: Scenario['input'], directory: string): string {
  const path = join(directory, `input.${kind}`);
  if (existsSync(path)) return path;
  if (kind === 'text') writeFileSync(path, trace(LINES));
  if (kind === 'large') writeFileSync(path, trace(MANY_LINES));
  if (kind === 'gz') writeFileSync(path, gzipSync(trace(LINES), { level: 1 }));
  if (kind === 'ptf') {
    execaSync(process.execPath, [builtFile('cli/main.js'), 'import', inputFile('text', directory), '-o', path]);
  }
  return path;
}

/** Three threads on two CPUs, each in a function that calls 700 others. */
function trace(lines: number): string {
  const hex = (value: number) => value.toString(16);
  return Array.from({ length: lines }, (_, at) => {
    const time = `1.${String(100 * at).padStart(9, '0')}`;
    const [site, row] = [16 * ((at >> 1) % 5000), (at >> 1) % 700];
    const entry = `${hex(0x800000 + 32 * row)} row${row}+0x0`;
    const branch =
      at % 2 === 0
        ? `call ${hex(0x400000 + site)} work+0x${hex(site)} => ${entry}`
        : `return ${hex(0x800009 + 32 * row)} row${row}+0x9 => ${hex(0x400005 + site)} work+0x${hex(site + 5)}`;
    return `${1 + ((at >> 9) % 3)} [00${(at >> 10) % 2}] ${time}: ${branch}\n`;
  }).join('');
}
