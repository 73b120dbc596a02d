/** This program's version, as package.json has it; a test holds the two together. */
export const PTFLAME_VERSION = '0.2.0';
