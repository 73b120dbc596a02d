/**
 * `ptflame doctor` on simulated machines.
 */
import { chmod } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { DoctorReport } from '../../../cli/record/checks.js';
import { type Directory, ptflame, test } from '../../helpers/cli/run-cli.js';
import { type FakeMachine, machineTree } from '../../helpers/perf/machine-tree.js';
import { FAKE_PERF } from '../../helpers/perf/record-runs.js';

async function doctor(dir: Directory, machine: FakeMachine, args: readonly string[] = [], env = {}) {
  const root = await machineTree(dir.file('root'), machine);
  const options = { env: { PTFLAME_TEST_ROOT: root, ...env }, cwd: dir.path };
  return ptflame(['doctor', '--perf', FAKE_PERF, ...args], options);
}

/** Returns the checks by name and level: "pmu fail" → text and remedy. */
async function report(dir: Directory, machine: FakeMachine, args: readonly string[] = [], env = {}) {
  const { stdout, exitCode, stderr } = await doctor(dir, machine, ['--json', ...args], env);
  const { canRecord, checks } = DoctorReport.parse(JSON.parse(stdout));
  expect({ exitCode, stderr }).toEqual({ exitCode: canRecord ? 0 : 1, stderr: '' });
  const all = checks.map(({ check, level, text, remedy }) => [`${check} ${level}`, `${text} → ${remedy}`] as const);
  return { canRecord, checks: Object.fromEntries(all) };
}

const USER = { uid: 1000, capabilities: '0000000000000000' };

describe.concurrent('doctor on a machine', () => {
  test('lets root record on bare metal', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, {});
    expect(canRecord).toBe(true);
    expect(Object.keys(checks).filter((name) => name.endsWith('fail'))).toEqual([]);
    expect(checks['pmu ok']).toContain('intel_pt');
    expect(checks['filters ok']).toContain('2 address filters');
  });

  test('lets a user on bare metal record their own processes, with small buffers', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, USER);
    expect(canRecord).toBe(true);
    expect(checks['paranoid warn']).toMatch(
      /your own processes only; no -C, no -a.*sudo sysctl kernel.perf_event_paranoid=-1/,
    );
    expect(checks['mlock warn']).toMatch(/2\.6 MB.*perf_event_mlock_kb/);
    expect(checks['kernel-code warn']).toContain('sudo ptflame record --kernel');
  });

  test('fails once in a virtual machine without Intel PT', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { flags: 'fpu hypervisor', caps: null });
    expect(canRecord).toBe(false);
    expect(checks['cpu fail']).toMatch(/no Intel PT: this is a virtual machine.*recordings from there/);
    expect(Object.keys(checks).filter((check) => check.endsWith('fail'))).toEqual(['cpu fail']);
    expect(checks['cpu fail']).not.toContain('2015'); // it may well be newer
  });

  test('names the hypervisor if it hides Intel PT from a virtual machine', async ({ dir }) => {
    const { checks } = await report(dir, { flags: 'fpu intel_pt hypervisor', caps: null });
    expect(checks['cpu ok']).toContain('has Intel PT');
    expect(checks['pmu fail']).toContain('hides it from this virtual machine');
  });

  test('fails on a CPU from AMD', async ({ dir }) => {
    const { checks } = await report(dir, { vendor: 'AuthenticAMD', model: 'AMD EPYC', flags: 'fpu', caps: null });
    expect(checks['cpu fail']).toContain('its CPU is not from Intel (AMD EPYC)');
    expect(checks).not.toHaveProperty(['pmu fail']);
  });

  test('fails for a user at paranoid 4', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { ...USER, paranoid: '4' });
    expect(canRecord).toBe(false);
    expect(checks['paranoid fail']).toMatch(/may trace nothing/);
  });

  test('ignores paranoid 4 with CAP_PERFMON', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { uid: 1000, capabilities: '0000004000004000', paranoid: '4' });
    expect(canRecord).toBe(true);
    expect(checks['rights warn']).toContain('without CAP_SYS_PTRACE');
    expect(checks['mlock ok']).toContain('of any size');
  });

  test('warns of a small mlock limit and shows the command that raises it', async ({ dir }) => {
    const { checks } = await report(dir, { ...USER, mlockKb: '100', lockable: '65536' });
    expect(checks['mlock warn']).toMatch(/not enough for 131\.1 kB.*sudo sysctl/);
  });

  test('warns that an old CPU has coarse times and no address filters', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, { caps: { psb_cyc: '0', ip_filtering: '0' } });
    expect(canRecord).toBe(true);
    expect(checks['times warn']).toContain('about 1 µs');
    expect(checks['filters warn']).toContain('--only');
  });

  test('warns of buffers larger than the memory', async ({ dir }) => {
    const { checks } = await report(dir, { availableKb: 100_000 }, ['-m', '64M']);
    expect(checks['memory warn']).toMatch(/268\.4 MB of 102\.4 MB/);
  });
});

describe.concurrent('doctor on waits and probes', () => {
  test('finds nothing missing for root', async ({ dir }) => {
    const { checks } = await report(dir, {});
    expect(Object.keys(checks)).toEqual(expect.arrayContaining(['waits ok', 'probes ok', 'leftovers ok']));
  });

  test.for([
    [{ tracepoints: null }, 'waits', /tracefs is not mounted → sudo mount -t tracefs/],
    [{ tracepoints: null }, 'probes', /tracefs is not mounted → sudo mount -t tracefs/],
    [{ tracepoints: ['sched:sched_waking'] }, 'waits', /kernel has no sched:sched_switch, .*CONFIG_FTRACE_SYSCALLS/],
    [{ ...USER }, 'waits', /may not record tracepoints → use sudo; .*paranoid=-1/],
    [{ ...USER }, 'probes', /only root may add probes → sudo/],
    [{ uprobes: false }, 'probes', /kernel has no uprobes/],
  ] as const)('warns on %j: %s', async ([machine, check, text], { dir }) => {
    const { canRecord, checks } = await report(dir, machine);
    expect(canRecord).toBe(true);
    expect(checks[`${check} warn`]).toMatch(text);
  });

  test.for([
    [{}, '20', 'ok', /slow calls can be caught \(--trigger FUNCTION\) with breakpoints → null$/],
    [
      USER,
      '20',
      'ok',
      /with breakpoints, in functions with up to 3 returns; more need probes: only root may add probes →/,
    ],
    [
      { flags: 'fpu hypervisor' },
      '0',
      'ok',
      /with probes: the breakpoints of this virtual machine are never hit → null$/,
    ],
    [
      USER,
      '0',
      'warn',
      /no --trigger FUNCTION: .* of this CPU are never hit, .* → sudo ptflame record --trigger FUNCTION …$/,
    ],
    [{ uprobes: false }, '0', 'warn', /never hit, and probes cannot replace them: the kernel has no uprobes/],
    [{}, '<not supported>', 'warn', /perf cannot count a breakpoint of the CPU → perf stat -e mem:/],
  ] as const)('says how slow calls can be caught on %j with %s hits', async ([machine, hits, level, text], { dir }) => {
    const { canRecord, checks } = await report(dir, machine, [], { FAKE_PERF_BREAKPOINTS: hits });
    expect(canRecord).toBe(true);
    expect(checks[`triggers ${level}`]).toMatch(text);
  });

  test('says that a perf before 5.10 catches no slow calls', async ({ dir }) => {
    const { checks } = await report(dir, {}, [], { FAKE_PERF_VERSION: 'perf version 5.4.0' });
    expect(checks['triggers warn']).toMatch(/perf 5\.4\.0 is older than 5\.10 → install a newer perf/);
  });

  test('says that a machine without Intel PT can record waits', async ({ dir }) => {
    const { stdout } = await doctor(dir, { flags: 'fpu hypervisor', caps: null });
    expect(stdout).toContain('only waits (ptflame record --no-trace --waits)');
  });

  const PROBES = [11, 12, 13].map((pid) => `p:ptflame_${pid}/push /x:0x0000000000000010 job=%di\n`).join('');
  const FOREIGN = 'p:probe_libc/lock /libc.so.6:0x0000000000000010\n';
  const LEFT = { probes: `${PROBES}${FOREIGN}`, processes: { 12: 'node', 13: 'bash' } };

  test('finds probes of processes that are gone, and of no others', async ({ dir }) => {
    const { checks } = await report(dir, LEFT);
    expect(checks['leftovers warn']).toMatch(/: ptflame_11, ptflame_13 → sudo ptflame doctor --fix$/);
  });

  test('removes them with --fix, and no others', async ({ dir }) => {
    const { stderr } = await doctor(dir, LEFT, ['--fix']);
    expect(stderr).toBe('removed the probes of ptflame_11\nremoved the probes of ptflame_13\n');
    expect(await dir.read('root/sys/kernel/tracing/uprobe_events')).toBe(
      `${PROBES}${FOREIGN}-:ptflame_11/push\n-:ptflame_13/push\n`,
    );
  });

  test('removes nothing without --fix', async ({ dir }) => {
    await doctor(dir, LEFT);
    expect(await dir.read('root/sys/kernel/tracing/uprobe_events')).toBe(LEFT.probes);
  });
});

describe.concurrent('doctor with a perf', () => {
  test('that is missing shows how to install it', async ({ dir }) => {
    const { canRecord, checks } = await report(dir, {}, ['--perf', '/nowhere/perf']);
    expect(canRecord).toBe(false);
    expect(checks['perf fail']).toMatch(/no such program: \/nowhere\/perf; only recording needs perf.*apt install/);
    expect(Object.keys(checks).filter((check) => /^(?:waits|probes) /.test(check))).toEqual([]); // that of perf says it
  });

  test('that is missing is no fault where only rendering is possible', async ({ dir }) => {
    const { checks } = await report(dir, { flags: 'fpu hypervisor', caps: null }, ['--perf', '/nowhere/perf']);
    expect(checks['perf ok']).toMatch(/no such program.*; only recording needs perf → null$/);
    const { stdout } = await doctor(dir, { flags: 'fpu hypervisor', caps: null }, ['--perf', '/nowhere/perf']);
    expect(stdout).not.toContain('install');
    expect(stdout).toContain('it can render recordings from elsewhere, without perf');
  });

  test('that is a wrapper script names the missing package', async ({ dir }) => {
    const stderr = await dir.write('stderr', 'WARNING: perf not found for kernel 6.8.0-45\n');
    const fake = await dir.write('perf', `#!/bin/sh\ncat '${stderr}' >&2\nexit 2\n`);
    await chmod(fake, 0o755);
    const { checks } = await report(dir, {}, ['--perf', fake]);
    expect(checks['perf fail']).toMatch(/6\.8\.0-45.*linux-tools-6\.8\.0-45/);
  });

  test.for([
    ['perf version 6.8.0-45-generic', 'perf ok', '6.8.0-45-generic'],
    ['perf version 5.4.0', 'perf warn', 'before 5.10'],
  ] as const)('that prints "%s" judges the version', async ([version, name, text], { dir }) => {
    const { checks } = await report(dir, {}, [], { FAKE_PERF_VERSION: version });
    expect(checks[name]).toContain(text);
  });
});

test('doctor prints a line per check with its remedy below, without colours in a pipe', async ({ dir }) => {
  const { stdout, exitCode } = await doctor(dir, { flags: 'fpu hypervisor', caps: null });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^fail {2}this machine has no Intel PT: .*\n {6}→ record on a physical Intel machine/);
  expect(stdout).toMatch(
    /\n\nthis machine cannot record calls, only waits .*; it can render recordings from elsewhere, without perf: ptflame render\n$/,
  );
  expect(stdout).not.toContain('\x1b');
});

test('doctor works on any machine', async ({ dir }) => {
  const { exitCode, stdout, stderr } = await ptflame(['doctor'], { cwd: dir.path });
  expect([0, 1]).toContain(exitCode);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/\nthis machine can/);
});
