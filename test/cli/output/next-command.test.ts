/**
 * The next command reads the recording as the user had it read.
 */
import { cp } from 'node:fs/promises';
import { expect } from 'vitest';
import { ptflame, test } from '../../helpers/cli/run-cli.js';
import { RECORDED_ROOT, recordingPath } from '../../helpers/perf/perf.js';

const nextOf = (text: string) => /^next: (.*)$/m.exec(text)?.[1];

test('keeps the options of its input, quoted', async ({ dir }) => {
  const root = dir.file("it's a root");
  await cp(RECORDED_ROOT, root, { recursive: true });
  const [path, quoted] = [recordingPath('cpus-1'), `'${root.replace("'", "'\\''")}'`];
  const options = ['--precise', '--symfs', root, '--decoder', 'own', '--comm', '.'];
  const { stderr } = await ptflame(['render', path, '-o', dir.file('x.svg'), ...options]);
  expect(nextOf(stderr)).toBe(
    `open ${dir.file('x.svg')} in a browser; ptflame report ${path} --decoder own --precise --symfs ${quoted} lists the functions`,
  );
  const { stdout } = await ptflame(['info', path, '--symfs', root]);
  expect(nextOf(stdout)).toBe(`ptflame render ${path} --symfs ${quoted} -o flame.html`);
});

test('of a profile that was written needs none of them', async ({ dir }) => {
  const options = ['--symfs', RECORDED_ROOT, '-o', dir.file('x.json')];
  const { stderr } = await ptflame(['render', recordingPath('cpus-1'), ...options]);
  expect(nextOf(stderr)).toBe(`ptflame render ${dir.file('x.json')} -o flame.html`);
});
