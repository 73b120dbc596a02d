/**
 * The output formats of `render`, and how they are chosen by option and file name. renderers.ts loads what writes them.
 */
import { PtflameError } from '../../src/text.js';

export const FORMATS = ['folded', 'svg', 'html', 'json'] as const;
export type Format = (typeof FORMATS)[number];

const ENDINGS_OF: Readonly<Record<Format, readonly string[]>> = {
  folded: ['.folded', '.txt'],
  svg: ['.svg'],
  html: ['.html', '.htm'],
  json: ['.json'],
};
const ENDINGS = FORMATS.flatMap((format) => ENDINGS_OF[format].map((ending) => [ending, format] as const));

/** ".png", ".folded"; not the ten characters that mktemp appends after a dot. */
const ENDING = /[^/]\.([a-z][a-z0-9]{0,7})$/i;

/**
 * Returns the requested format, else the one of the file ending, else folded.
 *
 * @throws PtflameError BAD_OPTION for an unknown file ending
 */
export function outputFormat(path: string, format?: Format): Format {
  if (format !== undefined) return format;
  const name = path.toLowerCase();
  const known = ENDINGS.find(([ending]) => name.endsWith(ending))?.[1];
  if (known !== undefined || !ENDING.test(path)) return known ?? 'folded';
  throw new PtflameError('BAD_OPTION', `unknown file ending: ${path}`, {
    hint: `use ${ENDINGS.map(([ending]) => ending).join(', ')}, or add --format; see --help`,
  });
}

/** Of files that other commands and tools write, in addition to those of `render`. */
const OTHER_ENDINGS = ['.csv', '.gz', '.pack', '.png', '.ptf', '.tar', '.zst'];

/** Returns the ending of a name that no recording should have: ".svg" of "flame.svg"; null for other names. */
export function foreignEnding(path: string): string | null {
  const name = path.toLowerCase();
  const endings = [...ENDINGS.map(([ending]) => ending), ...OTHER_ENDINGS];
  return endings.find((ending) => name.endsWith(ending)) ?? null;
}

interface OutputOptions {
  readonly output?: readonly string[] | undefined;
  readonly format?: Format | undefined;
}

/** Returns the format of each output, or of standard output if none is named. @throws PtflameError BAD_OPTION */
export function outputFormats({ output = ['-'], format }: OutputOptions): Format[] {
  return output.map((path) => outputFormat(path, format));
}

/** Returns the format of an answer, as in the `formats` of its flags. */
export function answerFormat(options: { readonly json: boolean; readonly csv: boolean }): 'json' | 'csv' | 'text' {
  return options.json ? 'json' : options.csv ? 'csv' : 'text';
}
