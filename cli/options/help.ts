/**
 * The options of `ptflame help`.
 */
import * as z from 'zod';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { general } from './shared.js';

export const HelpOptions = memoize(() =>
  z.object({
    command: z.string().optional(),
    ...group('Output', { man: flag(z.boolean().default(false), 'print the man page: ptflame help --man | man -l -') }),
    ...general(),
  }),
);
export type HelpOptions = z.infer<ReturnType<typeof HelpOptions>>;
