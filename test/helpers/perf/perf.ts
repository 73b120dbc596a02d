/**
 * The real perf and the recordings that it decodes in tests; fixtures/README.md describes how they were made.
 */
import { execFileSync } from 'node:child_process';
import { fixturePath } from '../cli/run-cli.js';

export const RECORDED_ROOT = fixturePath('recordings/root');

/** The recordings in fixtures/recordings, named after what is special about them. */
export const RECORDINGS = [
  'cpus-1',
  'cpus-2',
  'cpus-4',
  'noise', // interrupts and preemptions
  'lossy', // an overflow, and full buffers
  'switch-own', // context switches of the recorded process only
  'loop-1',
  'loop',
  'mtc-only', // times only about every 256 ns
  'loop-mtc',
] as const;

export function recordingPath(name: string): string {
  return fixturePath(`recordings/${name}.data`);
}

/** Runs the perf script command that ptflame recommends to users who decode recordings themselves. */
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
