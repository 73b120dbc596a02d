/**
 * Reads a recording with the own decoder and imports it into a file that is not written: what this process costs is decoding and storing.
 */
import { argv, stdout } from 'node:process';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { findBinaries } from '../../src/pipeline/decode/encoded-recording.js';
import { locator } from '../../src/pipeline/decode/locate.js';
import { importTrace } from '../../src/pipeline/import-trace.js';
import { DISK_FILES } from '../../src/symbols/symbol-files.js';

const ROOTS = { root: '', cache: null };

async function read(path: string, jobs: number, memoryBytes: number): Promise<number> {
  const recording = await openRecording(path);
  const { paths: binaries } = findBinaries(recording, DISK_FILES, ROOTS);
  const naming = { files: null, roots: ROOTS, pltNames: 'perf-6.1', buildIds: new Map() } as const;
  const own = { name: path, path, recording, binaries, naming, locate: locator(naming), sizeBytes: 0 };
  const options = memoryBytes > 0 ? { jobs, memoryBytes } : { jobs };
  const { events } = await importTrace(
    [{ ...own, jumps: 'none' as const, recorded: null, broken: null }],
    async () => {},
    options,
  );
  return events;
}

const [, , path = '', jobs = '1', memoryMiB = '0'] = argv;
stdout.write(`${await read(path, Number(jobs), Number(memoryMiB) * 1024 * 1024)}`);
