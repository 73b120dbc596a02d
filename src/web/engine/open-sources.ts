/**
 * Opens files as inputs of a library in a browser. Takes the place of `src/pipeline/open-sources.ts`.
 */
import { PtflameError } from '../../model/errors.js';
import type { OpenedSources, TraceSource } from '../../pipeline/open-sources.js';
import type { AnalyzedInput } from '../../pipeline/read/read-trace.js';
import { openDropped } from './open.js';

/** Files are opened together: binaries are among them. What is missing is lost time. */
export async function openSources(sources: readonly (TraceSource | AnalyzedInput)[]): Promise<OpenedSources> {
  const files = sources.filter((source) => source instanceof File);
  const others = sources.filter((source): source is AnalyzedInput => !(source instanceof File));
  if (files.length === 0) return { inputs: others, close() {} };
  const opened = await openDropped({ drops: [files], added: [] }, true, () => {});
  const [only, second] = opened;
  if (only === undefined || second !== undefined || only.profile !== null)
    throw new PtflameError('INPUT_KIND', `${files.map(({ name }) => name).join(', ')} are not one trace`, {
      hint: 'analyze each recording by itself, and read profiles with readProfile',
    });
  return { inputs: [...others, ...only.inputs], close() {} };
}
