/**
 * The offline page, which the build makes.
 */

/** Relative to `dist/cli`, the folder of all built files. */
export const OFFLINE_PAGE = new URL('./ptflame.html', import.meta.url);
