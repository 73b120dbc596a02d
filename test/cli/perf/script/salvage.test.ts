/**
 * Salvages recordings that break off.
 */
import { copyFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { openRecording } from '../../../../src/perfdata/open-recording.js';
import { salvageRecording } from '../../../../src/perfdata/salvage.js';
import { ptflame, test } from '../../../helpers/cli/run-cli.js';
import { decoded, treesOf } from '../../../helpers/perf/decoding.js';
import { RECORDED_ROOT, recordingPath } from '../../../helpers/perf/perf.js';
import { isMissing } from '../../../tools/needs.js';

describe('--salvage', () => {
  const render = (path: string) => ptflame(['render', path, '--salvage', '--symfs', RECORDED_ROOT, '--annotate']);

  test.skipIf(isMissing('perf'))('reads all of a recording that perf did not finish', async ({ dir }) => {
    const path = dir.file('killed.data');
    const bytes = await readFile(recordingPath('cpus-4'));
    bytes.fill(0, 48, 56); // the size of the data, which perf writes last
    await writeFile(path, bytes);
    const intact = await ptflame([
      'render',
      recordingPath('cpus-4'),
      '--symfs',
      RECORDED_ROOT,
      '--annotate',
      '--quiet',
    ]);
    const { exitCode, stdout, stderr } = await render(path);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: intact.stdout });
    expect(stderr).toMatch(/killed\.data ends early \(salvaged .* of .*\)/);
  });

  test.skipIf(isMissing('perf'))('renders the intact part of a truncated recording, on all CPUs', async ({ dir }) => {
    const path = dir.file('half.data');
    await copyFile(recordingPath('cpus-4'), path);
    await truncate(path, 20_000);
    const { exitCode, stdout, stderr } = await render(path);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('critical');
    expect(stderr).toMatch(/half\.data ends early \(salvaged 1\d\.\d kB of 27\.\d kB\)/);
    const salvaged = await salvageRecording(path, dir.file('salvaged.data'), AbortSignal.timeout(10_000));
    expect(salvaged.keptBytes).toBeGreaterThan(15_000);
    expect((await openRecording(dir.file('salvaged.data'))).damage).toEqual([]);
    const alone = (jobs: number) => decoded(dir.file('salvaged.data'), { jobs });
    expect(treesOf(await alone(4))).toBe(treesOf(await alone(1)));
  });

  test('salvages a recording truncated anywhere', async ({ dir }) => {
    const intact = await readFile(recordingPath('cpus-2'));
    const [path, target] = [dir.file('any.data'), dir.file('any-salvaged.data')];
    for (let length = 600; length < intact.length; length += 937) {
      await writeFile(path, intact.subarray(0, length));
      const { keptBytes } = await salvageRecording(path, target, AbortSignal.timeout(10_000));
      expect(keptBytes).toBeLessThanOrEqual(length);
      expect((await openRecording(target)).damage).toEqual([]);
    }
  });

  test('stops before a trace buffer whose record is too short', async ({ dir }) => {
    const bytes = await readFile(recordingPath('cpus-2'));
    bytes.fill(0, 48, 56); // the size of the data: up to the end of the file
    const at = bytes.indexOf(Uint8Array.of(71, 0, 0, 0, 0, 0, 48, 0)); // an AUXTRACE record of 48 bytes
    bytes[at + 6] = 16;
    const path = dir.file('short.data');
    await writeFile(path, bytes.subarray(0, at + 16));
    const target = dir.file('salvaged.data');
    const { keptBytes } = await salvageRecording(path, target, AbortSignal.timeout(10_000));
    expect(keptBytes).toBe(at);
    expect((await openRecording(target)).damage).toEqual([]);
  });

  test('reports that the copy cannot be written', async ({ dir }) => {
    const target = dir.file('no/such/place');
    const salvaging = salvageRecording(recordingPath('cpus-1'), target, AbortSignal.timeout(10_000));
    await expect(salvaging).rejects.toMatchObject({
      code: 'TEMPORARY_FILE',
      hint: expect.stringContaining('--temp-dir'),
    });
  });

  test('decodes an intact recording as usual', async () => {
    const { stderr } = await render(recordingPath('cpus-1'));
    expect(stderr).not.toContain('salvaged');
  });
});
