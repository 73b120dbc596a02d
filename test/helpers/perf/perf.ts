/**
 * The real perf, and the recordings that it decodes in tests: fixtures/README.md says how they were made.
 */
import { execFileSync } from 'node:child_process';
import { fixturePath } from '../cli/run-cli.js';

export const RECORDED_ROOT = fixturePath('recordings/root');

/** All in fixtures/recordings, by what is special in them. */
export const RECORDINGS = [
  'cpus-1',
  'cpus-2',
  'cpus-4',
  'noise', // interrupts and preemptions
  'lossy', // an overflow, and buffers that were full
  'switch-own', // switches of the recorded process alone
  'loop-1',
  'loop',
  'mtc-only', // times every 256 ns or so only
  'loop-mtc',
] as const;

export function recordingPath(name: string): string {
  return fixturePath(`recordings/${name}.data`);
}

/** What perf prints of a recording, as ptflame asks those to print it who decode for themselves. */
export function textOfPerf(path: string, itrace = 'cre'): Buffer {
  const fields = '-F-event,-period,+addr,-comm,+flags,+dso,+symoff';
  const shown = ['--show-switch-events', '--show-task-events', '--show-mmap-events'];
  const args = [
    'script',
    `--input=${path}`,
    `--itrace=${itrace}`,
    ...shown,
    '--ns',
    fields,
    `--symfs=${RECORDED_ROOT}`,
  ];
  return execFileSync('perf', args, { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 30 });
}
