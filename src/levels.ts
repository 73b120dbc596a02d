/**
 * All calls of a trace in a file from which parts are read: only `ptflame serve` loads it.
 */
export type { Origin } from './levels-file/format.js';
export type { IndexedThread, Part } from './levels-file/index-section.js';
export { BLOCK_BYTES, type ChunkListName, type LevelsFile, readLevels, type Unusable } from './levels-file/read.js';
export { LevelsWriter } from './levels-file/write.js';
export type { OnThreadChunks } from './pipeline/profile/profile-builder.js';
