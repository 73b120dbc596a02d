/**
 * Reads inputs in any order into one trace.
 */

import type { EncodedRecording } from '../decode/encoded-recording.js';
import type { StoredTrace } from '../input/stored-trace.js';
import type { TraceInput } from '../input/trace-input.js';
import { type DecodedRecording, RecordingSource } from './recording-source.js';
import { notAlone, severalHosts } from './refusals.js';
import type { SampledRecording } from './sampled-source.js';
import type { Source } from './source.js';
import { StoredSource } from './stored-source.js';
import { TextSource } from './text/text-source.js';
import type { Trace } from './trace.js';
import type { TraceBuilder } from './trace-builder.js';

/**
 * Text, a recording that is decoded while it is read, one without Intel PT, or an imported trace, which must be the only
 * input.
 */
export type AnalyzedInput = TraceInput | DecodedRecording | EncodedRecording | SampledRecording | StoredTrace;

/** @throws PtflameError INPUT_KIND if the inputs cannot be one trace, and as sources do */
export async function readTrace(inputs: readonly AnalyzedInput[], into: TraceBuilder): Promise<Trace> {
  const sources = await Promise.all(inputs.map(sourceOf));
  const alone = sources.find(({ standsAlone }) => standsAlone);
  if (alone !== undefined && sources.length > 1) throw notAlone(alone.name);
  refuseSeveralHosts(sources);
  for (const source of sources) await source.read(into);
  return into.freeze(sources.length === 1 ? (sources[0]?.recorded ?? null) : null);
}

/** A source that does not say where it was recorded may be of any host. */
function refuseSeveralHosts(sources: readonly Source[]): void {
  const hosts = sources.map(({ recorded }) => recorded?.host ?? null);
  const first = hosts.findIndex((host) => host !== null);
  const other = hosts.findIndex((host) => host !== null && host !== hosts[first]);
  if (other < 0) return;
  throw severalHosts([sources[first].name, sources[other].name], [hosts[first], hosts[other]] as [string, string]);
}

/** The only code that examines what kind an input is. The decoder is loaded only for a recording that it decodes. */
async function sourceOf(input: AnalyzedInput): Promise<Source> {
  if ('stored' in input) return new StoredSource(input);
  if ('binaries' in input) return new (await import('../decode/decoding-source.js')).DecodingSource(input);
  if ('sampled' in input) return new (await import('./sampled-source.js')).SampledSource(input);
  if ('parts' in input) return new RecordingSource(input);
  return new TextSource(input);
}
