/**
 * The options of `ptflame stacks`.
 */
import * as z from 'zod';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, reading, replaying, selection, srcline } from '../shared.js';
import { moment } from '../values/question-values.js';
import { path } from '../values/values.js';

export const StacksOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Selection', {
      at: flag(moment, "the moment, such as +10ms from the start, or on perf's clock", {
        value: 'TIME',
        common: 'the moment, such as +10ms from the start',
      }),
    }),
    ...group('Output', answering()),
    ...srcline(),
    ...selection(),
    ...replaying(),
    ...reading(),
  }),
);
export type StacksOptions = z.infer<ReturnType<typeof StacksOptions>>;
