/**
 * The exit codes, which scripts rely on.
 */
export const EXIT = { done: 0, fault: 1, usage: 2, aboveLimit: 3, interrupted: 130 } as const;

/** Their meanings in help and the man page. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT.done, 'done; also if the reader of standard output closed the pipe'],
  [EXIT.fault, 'fault of the input or the machine; the message says what to do'],
  [EXIT.usage, 'wrong command line; nothing was written'],
  [EXIT.aboveLimit, 'diff --fail-above: a change is above its limit; all output was written'],
  [EXIT.interrupted, 'interrupted by Ctrl-C or a signal; nothing new was written. record and serve end with 0'],
];
