/**
 * Fixtures for tools that show calls over time: held fibers, losses, exceptions, stops, several threads, deep recursion.
 */
export const OVER_TIME = [
  'demo/threads.perf.txt.gz',
  'truth/ptemu-boostfiber.perf.txt.gz',
  'lab/overflow-and-lost.txt',
  'hardware/overflow-memmove.txt',
  'lab/getpc-retpoline-fiber-vdso.txt',
  'lab/fields-pid-tid-cpu-event-dso.txt',
  'lab/thread-create-switch-migrate.txt',
] as const;
