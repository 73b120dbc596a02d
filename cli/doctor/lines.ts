/**
 * Prints the doctor's report: a line per check with its remedy below, and the verdict.
 */
import { styleText } from 'node:util';
import { visibleText as escapeForTerminal } from '../../src/render/visible-text.js';
import type { Check, DoctorReport } from './report.js';

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** `to`: where the lines will be written; only terminals get colours. */
export function doctorLines({ checks, canRecord }: DoctorReport, to: NodeJS.WriteStream): string[] {
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
