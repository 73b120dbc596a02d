/**
 * A directory of the process that runs tests, for helpers whose module several test files share: it is made when it is
 * needed, and removed after each file (test/setup.ts).
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const directory = join(tmpdir(), `ptflame-test-${process.pid}-${threadId}`);

export function ownDirectory(): string {
  mkdirSync(directory, { recursive: true });
  return directory;
}

export function removeOwnDirectory(): void {
  rmSync(directory, { recursive: true, force: true });
}
