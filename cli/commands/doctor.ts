/**
 * `ptflame doctor`: checks whether this machine can record, and how to fix it. Changes nothing without `--fix`.
 */

import { styleText } from 'node:util';
import * as z from 'zod';
import { PtflameError, systemReason } from '../../src/model/errors.js';
import { safeJson } from '../../src/model/text.js';
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import { auxSize, general, perf } from '../options/shared.js';
import { path } from '../options/values.js';
import { refuseRecordingName } from '../output/formats.js';
import { chooseBuffers } from '../record/buffers.js';
import type { Check, DoctorReport } from '../record/checks.js';
import { runChecks } from '../record/checks.js';
import { freeDiskBytes, probe } from '../record/machine/probe.js';
import type { Tracing } from '../record/machine/tracing.js';
import { removeUprobes } from '../record/machine/uprobes.js';
import { perfBuildOptions, perfVersion } from '../record/machine/version.js';
import { breakpointsAreHit } from '../record/trigger/breakpoints.js';
import { notifier } from '../terminal/notify.js';
import { fitted } from '../terminal/width.js';
import { defineCommand } from '../usage/define-command.js';
import { flag, group } from '../usage/flag.js';

/** The options of `ptflame doctor`. */
const DoctorOptions = z.object({
  ...group('What to check', {
    auxSize,
    output: flag(path.default('perf.data'), 'where the recording would be written', { alias: 'o', value: 'FILE' }),
    perf,
  }),
  ...group('What to fix', {
    fix: flag(z.boolean().default(false), 'remove the probes that killed recordings left behind', { common: true }),
  }),
  ...group('Output', {
    json: flag(z.boolean().default(false), 'print JSON, for programs: docs/recording.md', {
      common: 'print JSON, for programs',
    }),
  }),
  ...general(),
});
type DoctorOptions = z.infer<typeof DoctorOptions>;

export const command = defineCommand({
  examples: [
    ['ptflame doctor', 'one line for each requirement'],
    ['ptflame doctor --json', 'the same, for programs'],
  ],
  schema: DoctorOptions,
  run: doctor,
});

export async function doctor({ perf, auxSize, output, fix, json, quiet }: DoctorOptions): Promise<void> {
  refuseRecordingName(output);
  if (fix) removeLeftovers((await probe()).tracing, notifier(quiet));
  const machine = await probe();
  const checks = runChecks({
    machine,
    perf: await perfVersion(perf).catch(asPtflameError),
    buildOptions: await perfBuildOptions(perf),
    hasBreakpoints: await breakpointsAreHit(perf),
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

/**
 * Removes what killed recordings left behind.
 *
 * @throws PtflameError NO_PERMISSION
 */
function removeLeftovers({ directory, leftovers }: Tracing, notify: (text: string) => void): void {
  for (const group of leftovers) {
    try {
      removeUprobes(directory ?? '', group);
      notify(`removed the probes of ${group}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY')
        throw new PtflameError('NO_PERMISSION', `cannot remove the probes of ${group}: ${systemReason(error)}`, {
          hint: 'sudo ptflame doctor --fix',
          cause: error,
        });
      notify(`the probes of ${group} are still recorded: find the perf that does, pgrep -a perf, and end it`);
    }
  }
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/**
 * Prints the doctor's report: a line per check with its remedy below, and the verdict.
 *
 * `to`: where the lines will be written; only terminals get colours.
 */
function doctorLines({ checks, canRecord }: DoctorReport, to: NodeJS.WriteStream): string[] {
  const isColored = to.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  return [...checks.flatMap((check) => checkLines(check, isColored)), '', verdict(checks, canRecord)];
}

function checkLines({ level, text, remedy }: Check, isColored: boolean): string[] {
  const word = level.padEnd(4);
  const mark = isColored ? styleText(COLORS[level], word, { validateStream: false }) : word;
  const lines = [`${mark}  ${escapeForTerminal(text)}`];
  return remedy === null ? lines : [...lines, `      → ${escapeForTerminal(remedy)}`];
}

function verdict(checks: readonly Check[], canRecord: boolean): string {
  if (!canRecord) {
    const canWait = checks.some(({ check, level }) => check === 'waits' && level === 'ok');
    const what = canWait ? 'cannot record calls, only waits (ptflame record --no-trace --waits)' : 'cannot record';
    return `this machine ${what}; it can render recordings from elsewhere, without perf: ptflame render`;
  }
  const warnings = checks.filter(({ level }) => level === 'warn').length;
  return warnings === 0 ? 'this machine can record' : 'this machine can record, within the limits above';
}
