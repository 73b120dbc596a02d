/**
 * What the command line needs of the library in addition to the public names: kinds of inputs, memory limits, sizes of results,
 * folded stacks as bytes, files that workers share.
 */

export { checkMemory } from './model/memory-watch.js';
export type { LossKind, TraceGap } from './model/profile/quality.js';
export { isPack } from './pack/is-pack.js';
export { isRecording } from './perfdata/is-recording.js';
export { detectInputKind, type InputKind } from './pipeline/input/input-kind.js';
export type { OpenedInput } from './pipeline/input/open-text.js';
export { limitMemory } from './pipeline/workers/limit-memory.js';
export type { ResourceOptions } from './pipeline/workers/resources.js';
export { planResources } from './pipeline/workers/resources.js';
export { type Place, sharedFile } from './pipeline/workers/shared-file.js';
export { foldedBytes, maxFoldedBytes, renderFoldedBytes } from './render/folded.js';
export { isTraceFile } from './trace-file/format.js';
