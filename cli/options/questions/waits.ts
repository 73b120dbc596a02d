/**
 * The options of `ptflame waits`.
 */
import * as z from 'zod';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, limit, reading, replaying, selection, srcline, windowed } from '../shared.js';
import { callPattern, functionList } from '../values/question-values.js';
import { path } from '../values/values.js';

export const WaitsOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Selection', {
      inside: flag(
        callPattern.optional(),
        'only waits inside calls of FUNCTION, or FUNCTION#MIN,MAX for calls of that duration; the slowest are calls',
        {
          value: 'CALLS',
          common: 'only waits inside calls of FUNCTION, or FUNCTION#MIN,MAX',
          formerly: { in: null },
        },
      ),
    }),
    ...group('Output', {
      slowest: limit(
        0,
        'show the critical path of each of the N longest waits (not with --csv)',
        ['text', 'json'],
        'what each of the N longest waits consisted of',
      ),
      points: flag(
        functionList.optional(),
        'show the stages from each point to the next, in the same thread: calls of a function, or hits of a probe, as in push or probe:push, or other events',
        {
          value: 'P1,P2,…',
          common: 'show the stages from point to point',
        },
      ),
      top: limit(
        12,
        'maximum number of rows of a table; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      ...answering(),
    }),
    ...srcline(),
    ...windowed(),
    ...selection(),
    ...replaying(),
    ...reading(),
  }),
);
export type WaitsOptions = z.infer<ReturnType<typeof WaitsOptions>>;
