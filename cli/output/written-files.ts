/**
 * Formats the last lines of a command: the files that it wrote, their sizes, and the next command to try.
 */
import { stat } from 'node:fs/promises';
import { formatBytes } from '../../src/render/format.js';
import { visibleText as escapeForTerminal, shellWords } from '../../src/render/visible-text.js';
import { type DecodingOptions, decodingWords } from '../options/shared.js';
import { type Format, showStep } from './formats.js';
import { isStandardOutput } from './write-chunks.js';

export interface WrittenFile {
  readonly path: string;
  readonly format: Format;
}

/** Returns "wrote x.csv: 3.1 kB"; null for standard output and devices. Not escaped. */
export async function sizeLine(path: string): Promise<string | null> {
  if (isStandardOutput(path)) return null;
  const stats = await stat(path).catch(() => null);
  return stats?.isFile() ? `wrote ${path}: ${formatBytes(stats.size)}` : null;
}

/** With more inputs, the next command would be hard to read. */
const MAX_INPUTS = 3;

/**
 * `inputs`: paths as given; empty if they cannot be read again. `options`: with which they were read. Standard output and devices
 * are not listed.
 */
export async function writtenLines(
  outputs: readonly WrittenFile[],
  inputs: readonly string[],
  options: Partial<DecodingOptions> = {},
): Promise<string[]> {
  const sizes = await Promise.all(outputs.map(({ path }) => sizeLine(path)));
  const files = outputs.filter((_, at) => sizes[at] !== null);
  const next = nextStep(files.length === 0 && process.stdout.isTTY ? outputs : files, inputs, decodingWords(options));
  const lines = [...sizes.filter((line) => line !== null), ...(next === null ? [] : [`next: ${next}`])];
  return lines.map(escapeForTerminal);
}

function nextStep(files: readonly WrittenFile[], inputs: readonly string[], options: readonly string[]): string | null {
  const canRead = inputs.length > 0 && inputs.length <= MAX_INPUTS && !inputs.includes('-');
  const again = canRead ? shellWords([...inputs, ...options]) : null;
  const pathOf = (wanted: Format) => files.find(({ format }) => format === wanted)?.path;
  const picture = pathOf('html') ?? pathOf('svg');
  if (picture !== undefined) {
    const table = again === null ? '' : `; ptflame report ${again} lists the functions`;
    return `open ${shellWords([picture])} in a browser${table}`;
  }
  const step = files.map(({ format, path }) => showStep(format, path)).find((text) => text !== null);
  if (step !== undefined) return step;
  const source = pathOf('json') === undefined ? again : shellWords([pathOf('json') as string]);
  return files.length === 0 || source === null ? null : `ptflame render ${source} -o flame.html`;
}
