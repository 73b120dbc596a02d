/**
 * `ptflame doctor`: checks whether this machine can record, and how to fix it. Records and changes nothing.
 */
import { PtflameError, safeJson } from '../../src/text.js';
import { runChecks } from '../doctor/checks.js';
import { doctorLines } from '../doctor/lines.js';
import type { DoctorReport } from '../doctor/report.js';
import type { DoctorOptions } from '../options/doctor.js';
import { freeDiskBytes, probe } from '../perf/machine/probe.js';
import { perfBuildOptions, perfVersion } from '../perf/machine/version.js';
import { chooseBuffers } from '../perf/plan/buffers.js';

export async function doctor({ perf, auxSize, output, json }: DoctorOptions): Promise<void> {
  const machine = await probe();
  const checks = runChecks({
    machine,
    perf: await perfVersion(perf).catch(asPtflameError),
    buildOptions: await perfBuildOptions(perf),
    buffers: chooseBuffers(machine, machine.cpu.online.length, auxSize),
    output,
    freeDiskBytes: await freeDiskBytes(output),
  });
  const report: DoctorReport = { version: 1, canRecord: checks.every(({ level }) => level !== 'fail'), checks };
  const text = json ? safeJson(JSON.stringify(report, null, 2)) : doctorLines(report, process.stdout).join('\n');
  process.stdout.write(`${text}\n`);
  if (!report.canRecord) process.exitCode = 1;
}

function asPtflameError(error: unknown): PtflameError {
  if (error instanceof PtflameError) return error;
  throw error;
}
