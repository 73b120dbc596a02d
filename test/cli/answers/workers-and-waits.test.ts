/**
 * Questions about waits give the same bytes with one worker as with four: threads are asked by several workers at once,
 * and what one of them has replayed serves further questions.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const INPUTS = [fixturePath('waits/requests.txt.gz'), fixturePath('waits/waits.txt.gz')];
const FLOW = 'queue_push:job=run_job:job';

test.each<[string, string[]]>([
  ['waits', ['--json', '--slowest', '5']],
  ['waits', ['--json', '--inside', 'handle_request', '--slowest', '3', '--points', 'queue_push,run_job,await_reply']],
  ['locks', ['--json', '--slowest', '5']],
  ['requests', ['handle_request', '--json', '--flow', FLOW, '--slowest', '5']],
  ['requests', ['handle_request', '--json', '--slowest', '5']],
])('%s %j', async (command, args) => {
  const of = async (jobs: string) => {
    const root = args[0].startsWith('--') ? [] : [args[0]];
    const run = await ptflame([command, ...root, ...INPUTS, ...args.slice(root.length), '-j', jobs]);
    expect(run).toMatchObject({ exitCode: 0 });
    return run.stdout;
  };
  const [one, four] = await Promise.all(['1', '4'].map(of));
  expect(one).toContain(`"format": "ptflame-${command}"`);
  expect(four).toBe(one);
});

const drawn = async (dir: Directory, name: string, args: string[]) => {
  const of = async (jobs: string) => {
    const path = dir.file(`${jobs}-${name}`);
    const title = name.endsWith('.html') ? ['--title', 'same'] : [];
    expect(await ptflame(['render', ...INPUTS, ...args, ...title, '-o', path, '-j', jobs])).toMatchObject({
      exitCode: 0,
    });
    return readFileSync(path, 'utf8');
  };
  const [one, four] = await Promise.all(['1', '4'].map(of));
  expect(one.length).toBeGreaterThan(1000);
  expect(four).toBe(one);
};

test('render --blocked-by', ({ dir }) => drawn(dir, 'blocked.folded', ['--blocked-by']));
test('render, a page', ({ dir }) => drawn(dir, 'page.html', []));
