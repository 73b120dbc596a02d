/**
 * Packs: a recording and its binaries in one file. Separate from `index.ts`, as few programs need them and they load more code.
 */
export type { Manifest } from './pack/manifest.js';
export { PACK_PATHS } from './pack/pack-paths.js';
export { type LeftOut, type PackableFile, packableFiles, packableVdso } from './pack/packable-files.js';
export { readPack } from './pack/read-pack.js';
export { sideFiles } from './pack/side-files.js';
export { filesOfRecording, type PackedFile, writePack } from './pack/write-pack.js';
