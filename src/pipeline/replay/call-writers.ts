/**
 * Loads what writes all calls of a thread into files.
 */
import type { Questions } from './replay-setup.js';

/** null: not requested. */
export interface CallWriters {
  readonly chunks: typeof import('./thread-chunks.js').threadChunks | null;
  readonly rows: import('./thread-call-rows.js').ThreadCallRows | null;
}

export async function loadCallWriters({ chunksOf, callRows }: Questions): Promise<CallWriters> {
  return {
    chunks: chunksOf && (await import('./thread-chunks.js')).threadChunks,
    rows: callRows && new (await import('./thread-call-rows.js')).ThreadCallRows(),
  };
}
