/**
 * `ptflame doctor`: checks whether this machine can record, and how to fix it. Changes nothing without `--fix`.
 */
import { PtflameError } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { runChecks } from '../doctor/checks.js';
import { removeLeftovers } from '../doctor/fix.js';
import { doctorLines } from '../doctor/lines.js';
import type { DoctorReport } from '../doctor/report.js';
import type { DoctorOptions } from '../options/doctor.js';
import { refuseRecordingName } from '../output/kinds.js';
import { chooseBuffers } from '../record/buffers.js';
import { freeDiskBytes, probe } from '../record/machine/probe.js';
import { perfBuildOptions, perfVersion } from '../record/machine/version.js';
import { notifier } from '../terminal/notify.js';
import { fitted } from '../terminal/width.js';

export async function doctor({ perf, auxSize, output, fix, json, quiet }: DoctorOptions): Promise<void> {
  refuseRecordingName(output);
  if (fix) removeLeftovers((await probe()).tracing, notifier(quiet));
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
  const text = json
    ? safeJson(JSON.stringify(report, null, 2))
    : [...fitted(doctorLines(report, process.stdout), process.stdout)].join('\n');
  process.stdout.write(`${text}\n`);
  if (!report.canRecord) process.exitCode = 1;
}

function asPtflameError(error: unknown): PtflameError {
  if (error instanceof PtflameError) return error;
  throw error;
}
