/** The version in package.json; a test compares the two. */
export const PTFLAME_VERSION = '0.2.0';
