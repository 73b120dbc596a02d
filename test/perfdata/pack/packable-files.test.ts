/**
 * A pack contains what was recorded, not everything that a recording names.
 */

import { chmod, chown, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect } from 'vitest';
import { packableFiles, packableVdso } from '../../../src/perfdata/pack/packable-files.js';
import { openChecked } from '../../../src/perfdata/pack/write-pack.js';
import { type Directory, fixturePath, ptflame, test } from '../../helpers/cli/run-cli.js';
import { elfFile } from '../../helpers/perf/elf.js';
import { dumpHeader } from '../../helpers/perf/jit.js';
import { install, recordingOfFiles } from '../../helpers/perf/mapped-files.js';
import { recordingOf } from '../../helpers/perf/recordings.js';

const [ID, OTHER_ID] = ['0123456789abcdef', 'fedcba9876543210'];
const SHORT_ID = '01234567';
const ELF = elfFile({ buildId: ID });

async function outcome(
  files: Readonly<Record<string, string | null>>,
  symfs: string | null,
  uid = 0,
  recordingUid = 0,
) {
  const found = await packableFiles(recordingOfFiles(files), { symfs, uid, recordingUid });
  return {
    packed: found.files.map(({ path }) => path),
    leftOut: Object.fromEntries(found.leftOut.map(({ path, reason }) => [path, reason])),
  };
}

test('packs only binaries of the recorded build, and jitdumps', async ({ dir }) => {
  for (const path of ['/bin/same', '/bin/other', '/bin/no-id', '/bin/same (deleted)']) await install(dir, path, ELF);
  await install(dir, '/etc/shadow', 'root:$6$secret');
  await install(dir, '/cores/core', Object.assign(elfFile({ buildId: ID }), { 16: 4 }));
  await install(dir, '/bin/filled-up', elfFile({ buildId: SHORT_ID }));
  await install(dir, '/bin/without', elfFile({}));
  await install(dir, '/tmp/jit-7.dump', dumpHeader(0n));
  await install(dir, '/tmp/jit-8.dump', 'root:$6$secret'.repeat(9));
  await install(dir, '/etc/secret', dumpHeader(0n));
  await execa('mkfifo', [dir.file('/bin/pipe')]);
  const files = {
    '/bin/same': ID,
    '/bin/other': OTHER_ID,
    '/bin/filled-up': `${SHORT_ID}${'00'.repeat(16)}`,
    '/bin/no-id': null,
    '/bin/without': ID,
    '/bin/same (deleted)': ID,
    '/etc/shadow': null,
    '/cores/core': ID,
    '/tmp/jit-7.dump': null,
    '/tmp/jit-8.dump': null,
    '/etc/secret': null,
    '/bin/pipe': ID,
    '/bin/gone': ID,
    '/bin/../bin/same': ID,
  };
  expect(await outcome(files, dir.path)).toEqual({
    packed: ['/bin/filled-up', '/bin/no-id', '/bin/same', '/tmp/jit-7.dump'],
    leftOut: {
      '/bin/other': 'changed',
      '/bin/without': 'changed',
      '/bin/same (deleted)': 'missing',
      '/etc/shadow': 'no-program',
      '/cores/core': 'no-program',
      '/tmp/jit-8.dump': 'no-program',
      '/etc/secret': 'no-program',
      '/bin/pipe': 'missing',
      '/bin/gone': 'missing',
      '/bin/../bin/same': 'missing',
    },
  });
});

test('follows links inside the root, but never out of it', async ({ dir }) => {
  await install(dir, '/secret', ELF);
  await install(dir, '/tree/usr/lib/x.so', ELF);
  await symlink('usr/lib', dir.file('/tree/lib'));
  await symlink('../secret', dir.file('/tree/up'));
  await symlink(dir.file('/secret'), dir.file('/tree/absolute'));
  await symlink('..', dir.file('/tree/parent'));
  const files = { '/lib/x.so': ID, '/up': ID, '/absolute': ID, '/parent/secret': ID };
  expect(await outcome(files, dir.file('tree'))).toEqual({
    packed: ['/lib/x.so'],
    leftOut: { '/up': 'outside', '/absolute': 'outside', '/parent/secret': 'outside' },
  });
});

describe('without a recorded build id', () => {
  test.skipIf(process.geteuid?.() !== 0)(
    'root packs what everybody can read, or what the owner of the recording owns',
    async ({ dir }) => {
      for (const path of ['/public', '/private', '/his', '/hidden/public']) await install(dir, path, ELF);
      await chmod(dir.path, 0o755);
      await chmod(dir.file('private'), 0o700);
      await chmod(dir.file('his'), 0o700);
      await chown(dir.file('his'), 1234, 1234);
      await chmod(dir.file('hidden'), 0o700);
      const paths = ['/public', '/private', '/his', '/hidden/public'].map((path) => dir.file(path));
      const files = Object.fromEntries(paths.map((path) => [path, null]));
      const [open, secret, his, hidden] = paths;
      expect((await outcome(files, null, 0, 1234)).packed.sort()).toEqual([open, his].sort());
      expect((await outcome(files, null, 0, 0)).leftOut).toEqual({
        [secret]: 'unverified',
        [his]: 'unverified',
        [hidden]: 'unverified',
      });
      expect((await outcome(files, null, 1000, 1000)).leftOut).toEqual({});
    },
  );
});

test('packs separate debug symbols by build id, by name, and next to the file, only of the same build', async ({
  dir,
}) => {
  await install(dir, '/opt/x', elfFile({ buildId: ID, debugLink: 'x.dbg' }));
  const places = [
    '/usr/lib/debug/.build-id/01/23456789abcdef.debug',
    '/opt/.debug/x.dbg',
    '/usr/lib/debug/opt/x.dbg',
    '/usr/lib/debug/opt/x.debug',
  ];
  for (const place of places) await install(dir, place, ELF);
  expect((await outcome({ '/opt/x': ID }, dir.path)).packed).toEqual(['/opt/x', ...places]);
  await install(dir, places[1], elfFile({ buildId: OTHER_ID }));
  await install(dir, places[2], 'secret');
  expect((await outcome({ '/opt/x': ID }, dir.path)).packed).toEqual(['/opt/x', places[0], places[3]]);
});

test('does not follow a debug link to another directory', async ({ dir }) => {
  await install(dir, '/opt/x', elfFile({ buildId: ID, debugLink: '../../secret' }));
  await install(dir, '/secret', ELF);
  expect((await outcome({ '/opt/x': ID }, dir.path)).packed).toEqual(['/opt/x']);
});

test('takes only the recorded vdso from the cache of build ids', async ({ dir }) => {
  await install(dir, `.build-id/01/${ID.slice(2)}/vdso`, ELF);
  await install(dir, `.build-id/fe/${OTHER_ID.slice(2)}/vdso`, 'no program');
  await install(dir, '.build-id/secret', 'secret');
  const vdsoOf = async (buildId: string) => {
    const recording = recordingOf({ buildIds: [{ file: '[vdso]', buildId, isKernel: false }] });
    return (await packableVdso(recording, dir.path)).map(({ path }) => path);
  };
  expect(await vdsoOf(ID)).toEqual([`.build-id/01/${ID.slice(2)}/vdso`]);
  for (const id of [OTHER_ID, '', '01']) expect(await vdsoOf(id)).toEqual([]);
});

test('does not read a file that was replaced after the check', async ({ dir }) => {
  await install(dir, '/x', ELF);
  await install(dir, '/y', 'secret');
  const { files } = await packableFiles(recordingOfFiles({ '/x': ID }), { symfs: dir.path, uid: 0, recordingUid: 0 });
  const [{ file }] = files;
  await (await openChecked(file)).close();
  await rename(dir.file('y'), dir.file('x'));
  await expect(openChecked(file)).rejects.toThrow(/changed meanwhile/);
  await rename(dir.file('x'), dir.file('z'));
  await symlink('z', dir.file('x'));
  await expect(openChecked(file)).rejects.toThrow(/ELOOP/);
});

describe('ptflame pack', () => {
  test('omits and lists files that an untrusted recording merely names', async ({ dir }) => {
    const path = dir.file('x.pack');
    const { exitCode, stderr } = await ptflame(['pack', fixturePath('hostile/evil.data'), '-o', path]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^left out \(not a binary\): \/etc\/shadow: /m);
    const { stdout } = await execa('tar', ['-tzf', path]);
    expect(stdout.split('\n')).toEqual(['ptflame-pack.json', 'recording']);
  });

  test.for([
    ['a link to a secret', (dir: Directory) => symlink(dir.file('secret'), dir.file('perf.data.ptflame.json'))],
    ['something else', (dir: Directory) => writeFile(dir.file('perf.data.ptflame.json'), '{"secret": 1}')],
    ['a pipe', (dir: Directory) => execa('mkfifo', [dir.file('perf.data.ptflame.json')])],
  ] as const)('ignores notes that are %s', async ([, place], { dir }) => {
    await dir.write('secret', 'a secret');
    await dir.write('perf.data', await readFile(fixturePath('recordings/loop-1.data')));
    await place(dir);
    const run = await ptflame(['pack', dir.file('perf.data'), '-o', dir.file('x.pack')]);
    expect(run.exitCode).toBe(0);
    expect((await execa('tar', ['-tzf', dir.file('x.pack')])).stdout).not.toContain('ptflame.json\n');
    expect((await execa('tar', ['-xzOf', dir.file('x.pack')])).stdout).not.toContain('secret');
  });

  test('packs only what perf writes from the directory of a recording', async ({ dir }) => {
    await mkdir(dir.file('rec/kcore_dir'), { recursive: true });
    await dir.write('rec/data', await readFile(fixturePath('recordings/loop-1.data')));
    await dir.write('rec/kcore_dir/modules', 'modules');
    await dir.write('rec/secret', 'secret');
    await dir.write('secret', 'secret');
    await symlink('../secret', join(dir.path, 'rec/kcore_dir/kallsyms'));
    await ptflame(['pack', dir.file('rec'), '-o', dir.file('x.pack')]);
    const names = (await execa('tar', ['-tzf', dir.file('x.pack')])).stdout.split('\n');
    expect(names).toEqual(['ptflame-pack.json', 'recording/data', 'recording/kcore_dir/modules']);
  });

  test('packs kernel addresses only from a file that has some', async ({ dir }) => {
    const kallsyms = await dir.write('shadow', 'root:$6$secret');
    const args = ['pack', fixturePath('recordings/loop-1.data'), '--kallsyms', kallsyms, '-o', dir.file('x.pack')];
    const { exitCode, stderr } = await ptflame(args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('no kernel addresses') });
  });
});
