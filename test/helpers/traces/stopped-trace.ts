/**
 * A small trace with a stop. Of `a` and `b`, which it calls, all is seen; `main` and its last call are cut.
 */
import { traceOf } from './trace-of.js';

export const STOPPED = traceOf(`
  10  call             main  a
  12  call             a     b
  15  return           b     a
  18  return           a     main
  20  tr end  syscall  main
  50  tr strt                main
  55  call             main  a`);
