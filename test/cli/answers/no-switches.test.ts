/**
 * Questions about waits of a trace without switches of threads: the answer says so, and how to record them.
 */
import { describe, expect } from 'vitest';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';

const TEXT = fixturePath('lab/demo-cre.txt');
const REMEDY = /record with ptflame record --waits.*--show-switch-events/;

describe.each(['text', '.ptf'])('a trace without switches, %s', (kind) => {
  const input = async (dir: Directory) => {
    if (kind === 'text') return TEXT;
    const file = dir.file('demo.ptf');
    expect((await ptflame(['import', TEXT, '-o', file], { cwd: dir.path })).exitCode).toBe(0);
    return file;
  };

  test.for([
    ['waits', 'waits are not known'],
    ['locks', 'waits for locks are not known'],
  ])('%s does not say that nobody waited', async ([command, head], { dir }) => {
    const { stdout } = await ptflame([command as string, await input(dir), '-q'], { cwd: dir.path });
    expect(stdout.split('\n')[0]).toBe(head);
    expect(stdout).toMatch(REMEDY);
  });

  test.for(['waits', 'locks'])('%s --csv says so beside the table', async (command, { dir }) => {
    const { stdout, stderr } = await ptflame([command, await input(dir), '--csv'], { cwd: dir.path });
    expect(stdout).not.toContain('note:');
    expect(stderr).toMatch(REMEDY);
  });

  test('--inside counts the calls, although no wait in them is known', async ({ dir }) => {
    const { stdout } = await ptflame(['waits', await input(dir), '--inside', 'main', '--json'], { cwd: dir.path });
    const { inside, trace } = JSON.parse(stdout);
    expect([inside.calls, trace.hasSwitches]).toEqual([1, false]);
  });

  test('render --blocked-by warns', async ({ dir }) => {
    const { stderr } = await ptflame(['render', '--blocked-by', await input(dir), '-o', 'x.html'], {
      cwd: dir.path,
    });
    expect(stderr).toMatch(REMEDY);
  });

  test.for([
    ['sched:sched_switch:prev_state', '--waits=full'],
    ['sched_waking', '--waits'],
  ])('values %s names the option that records it', async ([field, option], { dir }) => {
    const { exitCode, stderr } = await ptflame(['values', field as string, await input(dir)], { cwd: dir.path });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`ptflame record ${option} records it`);
  });
});
