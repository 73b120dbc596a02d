/**
 * The exit codes: a promise to scripts.
 */
export const EXIT = { done: 0, fault: 1, usage: 2, interrupted: 130 } as const;

/** As help, the man page and docs/cli.md tell of them. */
export const EXIT_TEXTS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.done, 'done; also when the reader of standard output went away'],
  [EXIT.fault, 'the input or the machine is at fault; the message says what to do'],
  [EXIT.usage, 'the command line is wrong; nothing was written'],
  [EXIT.interrupted, 'interrupted by Ctrl-C or a signal; nothing new was written'],
];
