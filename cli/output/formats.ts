/**
 * Names of outputs → their formats.
 */
import { PtflameError } from '../../src/text.js';
import type { RenderOptions } from '../options/render.js';

export type Format = NonNullable<RenderOptions['format']>;

const ENDINGS: readonly (readonly [ending: string, format: Format])[] = [
  ['.folded', 'folded'],
  ['.txt', 'folded'],
  ['.svg', 'svg'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.json', 'json'],
];

/** ".png", ".folded"; not what mktemp puts behind a dot. */
const ENDING = /[^/]\.([a-z][a-z0-9]{0,7})$/i;

/**
 * The format that was asked for, or else the one that the name promises; folded for a name that promises nothing.
 *
 * @throws PtflameError BAD_OPTION for a name that promises what nobody here writes
 */
export function formatOf(path: string, format?: Format): Format {
  if (format !== undefined) return format;
  const name = path.toLowerCase();
  const known = ENDINGS.find(([ending]) => name.endsWith(ending))?.[1];
  if (known !== undefined || !ENDING.test(path)) return known ?? 'folded';
  throw new PtflameError('BAD_OPTION', `cannot tell the format of ${path} by its ending`, {
    hint: `known are ${ENDINGS.map(([ending]) => ending).join(', ')}; for any other name add --format, see --help`,
  });
}

/** Of what other commands write, and other tools, beside the formats of pictures. */
const OTHER_ENDINGS = ['.csv', '.gz', '.pack', '.png', '.ptf', '.tar', '.zst'];

/** The ending of a file that is no recording: ".svg" of "flame.svg"; null if the name may be that of one. */
export function endingOfOthers(path: string): string | null {
  const name = path.toLowerCase();
  const endings = [...ENDINGS.map(([ending]) => ending), ...OTHER_ENDINGS];
  return endings.find((ending) => name.endsWith(ending)) ?? null;
}

/** Of each output; standard output if none is named. @throws what `formatOf` throws */
export function formatsOf({ output = ['-'], format }: Partial<Pick<RenderOptions, 'output' | 'format'>>): Format[] {
  return output.map((path) => formatOf(path, format));
}

/** Of an answer: `formats` of its flags know it by that name. */
export function formOf({ json, csv }: { readonly json: boolean; readonly csv: boolean }): 'json' | 'csv' | 'text' {
  return json ? 'json' : csv ? 'csv' : 'text';
}
