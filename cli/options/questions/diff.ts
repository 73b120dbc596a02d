/**
 * The options of `ptflame diff`.
 */
import * as z from 'zod';
import { type AnswerFormat, answerFormats, isTableFile } from '../../output/answer-files.js';
import { OWN_FORMATS, type OwnFormat, outputFormats } from '../../output/formats.js';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { csv, inline, json, limit, matching, maxFolded, outputs, reading, shown, srcline } from '../shared.js';
import { limits, side } from '../values/diff-values.js';
import { path } from '../values/values.js';

const SIDE = 'OPTION=VALUE';
const PICTURES = ['html', 'svg'];

export const DiffOptions = memoize(() =>
  z.object({
    beforeInput: path,
    afterInput: path.optional(),
    ...group('Output', {
      sort: flag(z.enum(['self', 'total', 'calls', 'avg']).default('self'), 'sort by the change of this column', {
        common: true,
      }),
      top: limit(
        40,
        'maximum number of functions; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      json,
      csv,
      output: outputs(
        'write the table as FILE.txt, .csv or .json instead of printing it, or both sides as .svg, .html or .folded; may be repeated',
        'write FILE.txt, .csv, .json, .svg, .html or .folded',
      ),
      format: flag(
        z.enum(OWN_FORMATS).optional(),
        'format of all outputs (default: by the ending of FILE, else folded)',
      ),
    }),
    ...group('Appearance', {
      title: flag(z.string().optional(), 'title of the picture (html, svg; default: the names of the inputs)', {
        formats: PICTURES,
      }),
      icicle: flag(z.boolean().default(false), 'callers on top, callees below (html, svg)', { formats: PICTURES }),
      widthOf: flag(
        z.enum(['after', 'before', 'larger']).default('after'),
        'what the width of a frame shows: its time after or before, or the larger of both (html, svg)',
        { formats: PICTURES },
      ),
      width: flag(
        z.number('must be a number').min(300, 'must be 300 or more').max(20_000, 'must be 20000 or less').optional(),
        'width if no browser window sets it (svg; default: 1200)',
        { value: 'PX', formats: ['svg'] },
      ),
      maxFolded: maxFolded(['folded']),
    }),
    ...group('Comparison', {
      per: flag(
        z.enum(['call', 'second']).optional(),
        'divide times and calls by the calls of the outermost functions (see --root), or by the seconds recorded',
        { common: 'divide by calls of outermost functions, or by seconds' },
      ),
      before: flag(
        side.optional(),
        'compare only this part of BEFORE: an option of the selection, such as tid=12, window=+1ms,+2ms or root=f; may be repeated',
        { value: SIDE },
      ),
      after: flag(
        side.optional(),
        'compare only this part of AFTER, or of BEFORE if AFTER is left out; may be repeated',
        { value: SIDE },
      ),
    }),
    ...group('Limits', {
      failAbove: flag(
        limits.optional(),
        "exit with code 3 if FUNCTION increases by more than this: 'FUNCTION avg|total|self|calls|p99 +20%', or +5us; may be repeated",
        { value: 'LIMIT', common: 'exit with 3 above a limit, such as "parse avg +20%"' },
      ),
      strict: flag(z.boolean().default(false), 'with --fail-above: fail even if the increase is within noise'),
    }),
    ...srcline(),
    ...inline(),
    ...matching(),
    ...shown(),
    ...reading(),
  }),
);
export type DiffOptions = z.infer<ReturnType<typeof DiffOptions>>;

/** Returns the files of `-o`: pictures or stacks, and tables, undefined if the table is printed. */
export function diffFiles({ output, format }: Pick<DiffOptions, 'output' | 'format'>) {
  if (format !== undefined) return { pictures: output ?? ['-'], tables: [] };
  return { pictures: output?.filter((path) => !isTableFile(path)) ?? [], tables: output?.filter(isTableFile) };
}

export function diffFormats(options: DiffOptions): (OwnFormat | AnswerFormat)[] {
  const { pictures, tables } = diffFiles(options);
  return [
    ...answerFormats({ ...options, output: tables }),
    ...outputFormats({ ...options, output: pictures }, OWN_FORMATS),
  ];
}
