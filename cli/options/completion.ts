/**
 * The options of `ptflame completion`.
 */
import * as z from 'zod';
import { memoize } from '../usage/memoize.js';
import { general } from './shared.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const CompletionOptions = memoize(() => z.object({ shell: z.enum(SHELLS).optional(), ...general() }));
export type CompletionOptions = z.infer<ReturnType<typeof CompletionOptions>>;
