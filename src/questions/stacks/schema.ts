/**
 * zod schema of the JSON that `ptflame stacks` prints; docs/answers.md describes it.
 */
import * as z from 'zod';
import { QualityPart } from '../../profile-file/schema.js';
import { head, name, ns, Trace, thread } from '../schema.js';

export const Stacks = z.object({
  ...head('ptflame-stacks'),
  trace: Trace,
  at: z.string(),
  threads: z.array(
    z.object({
      ...thread,
      /** Outermost first; a stop is on top. `isStartSeen`: if false, the call may be older than `sinceNs`. */
      frames: z.array(z.object({ ...name, since: z.string(), sinceNs: ns, isStartSeen: z.boolean() })),
    }),
  ),
  quality: QualityPart,
});
export type Stacks = z.infer<typeof Stacks>;
