/**
 * `ptflame doctor` on machines of all kinds, which are trees of files here.
 */
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { DoctorReport } from '../../../cli/doctor/report.js';
import { type Directory, ptflame, test } from '../../helpers/cli/run-cli.js';
import { type FakeMachine, machineTree } from '../../helpers/perf/machine-tree.js';

const FAKE_PERF = fileURLToPath(new URL('../../helpers/perf/fake-perf.mjs', import.meta.url));

async function doctor(dir: Directory, machine: FakeMachine, args: readonly string[] = [], env = {}) {
  const root = await machineTree(dir.file('root'), machine);
  const options = { env: { PTFLAME_TEST_ROOT: root, ...env }, cwd: dir.path };
  return ptflame(['doctor', '--perf', FAKE_PERF, ...args], options);
}

/** "pmu fail" → what is said of it. */
async function report(dir: Directory, machine: FakeMachine, args: readonly string[] = [], env = {}) {
  const { stdout, exitCode, stderr } = await doctor(dir, machine, ['--json', ...args], env);
  const { canRecord, checks } = DoctorReport.parse(JSON.parse(stdout));
  expect({ exitCode, stderr }).toEqual({ exitCode: canRecord ? 0 : 1, stderr: '' });
  const all = checks.map(({ check, level, text, remedy }) => [`${check} ${level}`, `${text} → ${remedy}`] as const);
  return { canRecord, checks: Object.fromEntries(all) };
}

const USER = { uid: 1000, capabilities: '0000000000000000' };

describe.concurrent('doctor, on a machine', () => {
  test('root on bare metal with Intel PT can record', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, {});
    expect(canRecord).toBe(true);
    expect(Object.keys(checks).filter((name) => name.endsWith('fail'))).toEqual([]);
    expect(checks['pmu ok']).toContain('intel_pt');
    expect(checks['filters ok']).toContain('2 address filters');
  });

  test('a user on bare metal can record own processes, with small buffers', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, USER);
    expect(canRecord).toBe(true);
    expect(checks['paranoid warn']).toMatch(
      /own processes only, no -C and no -a.*sudo sysctl kernel.perf_event_paranoid=-1/,
    );
    expect(checks['mlock warn']).toMatch(/2\.6 MB.*perf_event_mlock_kb/);
    expect(checks['kernel-code warn']).toContain('sudo ptflame record --kernel');
  });

  test('a virtual machine without the PMU cannot record', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { flags: 'fpu hypervisor', caps: null });
    expect(canRecord).toBe(false);
    expect(checks['pmu fail']).toMatch(/no Intel PT: it is a virtual machine.*recorded elsewhere/);
  });

  test('a virtual machine whose CPU has Intel PT is told who keeps it back', async ({ dir }) => {
    const { checks } = await report(dir, { flags: 'fpu intel_pt hypervisor', caps: null });
    expect(checks['cpu ok']).toContain('has Intel PT');
    expect(checks['pmu fail']).toContain('keeps it from this virtual machine');
  });

  test('a CPU of AMD has no Intel PT', async ({ dir }) => {
    const { checks } = await report(dir, { vendor: 'AuthenticAMD', model: 'AMD EPYC', flags: 'fpu', caps: null });
    expect(checks['pmu fail']).toContain('its CPU is not of Intel (AMD EPYC)');
  });

  test('paranoid 4 lets a user trace nothing', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { ...USER, paranoid: '4' });
    expect(canRecord).toBe(false);
    expect(checks['paranoid fail']).toMatch(/may trace nothing/);
  });

  test('paranoid 4 does not matter to CAP_PERFMON', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { uid: 1000, capabilities: '0000004000004000', paranoid: '4' });
    expect(canRecord).toBe(true);
    expect(checks['rights warn']).toContain('without CAP_SYS_PTRACE');
    expect(checks['mlock ok']).toContain('of any size');
  });

  test('a small mlock limit is told, with the command that raises it', async ({ dir }) => {
    const { checks } = await report(dir, { ...USER, mlockKb: '100', lockable: '65536' });
    expect(checks['mlock warn']).toMatch(/not enough for 131\.1 kB.*sudo sysctl/);
  });

  test('an old CPU can record, with coarse times and without address filters', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { caps: { psb_cyc: '0', ip_filtering: '0' } });
    expect(canRecord).toBe(true);
    expect(checks['times warn']).toContain('about 1 µs');
    expect(checks['filters warn']).toContain('--only');
  });

  test('buffers that memory does not hold are told', async ({ dir }) => {
    const { checks } = await report(dir, { availableKb: 100_000 }, ['-m', '64M']);
    expect(checks['memory warn']).toMatch(/268\.4 MB of 102\.4 MB/);
  });
});

describe.concurrent('doctor, asking perf', () => {
  test('a perf that is missing is told, with how to install it', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, {}, ['--perf', '/nowhere/perf']);
    expect(canRecord).toBe(false);
    expect(checks['perf fail']).toMatch(/there is no \/nowhere\/perf.*apt install/);
  });

  test('a script in its place names the package', async ({ dir }) => {
    const says = await dir.write('says', 'WARNING: perf not found for kernel 6.8.0-45\n');
    const fake = await dir.write('perf', `#!/bin/sh\ncat '${says}' >&2\nexit 2\n`);
    await chmod(fake, 0o755);
    const { checks } = await report(dir, {}, ['--perf', fake]);
    expect(checks['perf fail']).toMatch(/6\.8\.0-45.*linux-tools-6\.8\.0-45/);
  });

  test.for([
    ['perf version 6.8.0-45-generic', 'perf ok', '6.8.0-45-generic'],
    ['perf version 5.4.0', 'perf warn', 'before 5.10'],
  ] as const)('"%s" is judged by its version', async ([version, name, text], { dir }) => {
    const { checks } = await report(dir, {}, [], { FAKE_PERF_VERSION: version });
    expect(checks[name]).toContain(text);
  });
});

test('as text each check is a line with its remedy below, without colours in a pipe', async ({ dir }) => {
  const { stdout, exitCode } = await doctor(dir, { flags: 'fpu hypervisor', caps: null });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^fail {2}Intel\(R\).*\n {6}→ record on another machine/);
  expect(stdout).toMatch(
    /\n\nthis machine cannot record; traces recorded elsewhere can be rendered here: ptflame render\n$/,
  );
  expect(stdout).not.toContain('\x1b');
});

test('doctor judges this machine, whatever it is', async ({ dir }) => {
  const { exitCode, stdout, stderr } = await ptflame(['doctor'], { cwd: dir.path });
  expect([0, 1]).toContain(exitCode);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/\nthis machine can/);
});
