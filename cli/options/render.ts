/**
 * The options of `ptflame render`.
 */
import * as z from 'zod';
import { FORMATS, FORMATS_OF_CALLS, FORMATS_OVER_TIME } from '../output/formats.js';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import {
  decoding,
  filters,
  general,
  inline,
  maxFolded,
  outputs,
  replaying,
  resources,
  selection,
  srcline,
} from './shared.js';
import { span } from './values/question-values.js';
import { detailSize, path } from './values/values.js';

/** Defaults are those of the library. */
const appearance = group('Appearance', {
  title: flag(z.string().optional(), 'title of the picture (html, svg)', {
    formats: ['html', 'svg'],
    common: 'title of the picture',
  }),
  icicle: flag(z.boolean().default(false), 'callers on top, callees below (html, svg)', {
    formats: ['html', 'svg'],
    common: 'callers on top, callees below',
  }),
  width: flag(
    z.number('must be a number').min(300, 'must be 300 or more').max(20_000, 'must be 20000 or less').optional(),
    'width if no browser window sets it (svg; default: 1200)',
    { value: 'PX', formats: ['svg'] },
  ),
  minPx: flag(
    z.number('must be a number').min(0, 'must be 0 or more').optional(),
    'merge neighbouring frames that are narrower (svg; default: a third of a pixel)',
    { value: 'PX', formats: ['svg'] },
  ),
  by: flag(
    z.enum(['none', 'thread', 'process', 'comm']).default('none'),
    'add a root frame for each thread, process or command name (svg, folded)',
    { formats: ['svg', 'folded'], common: 'a root frame for each of them' },
  ),
  timeDetail: flag(
    detailSize.default(4 * 2 ** 20),
    'maximum size of the timeline in a page, such as 16M for a finer one; 0: none (html; default: 4M)',
    { value: 'SIZE', formats: ['html'] },
  ),
  annotate: flag(z.boolean().default(false), 'add calls, inferred calls and the average in ns to each name (folded)', {
    formats: ['folded'],
  }),
  minNs: flag(
    z.number('must be a number').min(0, 'must be 0 or more').default(0),
    'leave out paths with less self time (folded)',
    { value: 'NS', formats: ['folded'] },
  ),
  maxFolded: maxFolded(['folded', 'pprof']),
});

/** Defaults are those of the library, too. */
const calls = group('Selection', {
  minCall: flag(span.default(0), `leave out calls that lasted shorter, such as 1us (${FORMATS_OF_CALLS.join(', ')})`, {
    value: 'DURATION',
    formats: FORMATS_OF_CALLS,
  }),
  maxCalls: flag(
    z
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be 1 or more')
      .max(1e9, 'must be 1000000000 or less')
      .default(500_000),
    `leave out the shortest of more calls (${FORMATS_OVER_TIME.join(', ')}; default: 500000)`,
    { formats: FORMATS_OVER_TIME },
  ),
});

export const RenderOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      output: outputs(
        'where to write; - is standard output (default); may be repeated',
        'where to write; the ending of FILE selects the format',
      ),
      format: flag(
        z.enum(FORMATS).optional(),
        `format of all outputs (default: by the ending of FILE, else folded): ${FORMATS.join(', ')}`,
        { value: 'FORMAT' },
      ),
    }),
    ...group('Selection', {
      blockedBy: flag(
        z.boolean().default(false),
        'only blocked time: stacks that waited, and above them, upside down, those of the threads that they waited for',
        { common: 'only blocked time, and for whom threads waited' },
      ),
    }),
    ...srcline(),
    ...inline(),
    ...appearance,
    ...selection(),
    ...filters(),
    ...calls,
    ...replaying(),
    ...group('Replay', {
      byCalls: flag(
        z.boolean().default(false),
        'accept a trace without times; the width of frames is their number of calls',
      ),
    }),
    ...decoding(),
    ...resources(),
    ...general(),
  }),
);
export type RenderOptions = z.infer<ReturnType<typeof RenderOptions>>;
