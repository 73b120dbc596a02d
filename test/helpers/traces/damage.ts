/**
 * Applies a list of damages to the lines of a trace. Lines are bytes as latin1 characters; positions are any numbers,
 * modulo the number of lines or bytes.
 */
export type Damage =
  | { readonly what: 'drop' | 'double'; readonly at: number; readonly lines: number }
  | { readonly what: 'swap'; readonly at: number; readonly other: number }
  | { readonly what: 'cut'; readonly at: number; readonly byte: number }
  | {
      readonly what: 'set byte' | 'insert byte' | 'delete byte';
      readonly at: number;
      readonly byte: number;
      readonly to: number;
    }
  | { readonly what: 'insert'; readonly at: number; readonly form: string };

/**
 * Lines that perf may print anywhere. TID, CPU and TIME are those of the previous branch; if perf does not know them,
 * it prints −1 and 0.
 */
export const ERRORS = [
  ' instruction trace error type 1 time TIME cpu CPU pid TID tid TID ip 0x401260 code 7: Overflow packet',
  ' instruction trace error type 1 time TIME cpu CPU pid -1 tid -1 ip 0 code 8: Lost trace data',
  ' instruction trace error type 1 time TIME cpu -1 pid TID tid TID ip 0 code 5: Failed to get instruction',
  " instruction trace error type 1 time TIME cpu -1 pid -1 tid -1 ip 0 code 6: Trace doesn't match instruction",
  ' instruction trace error type 1 time 0 cpu CPU pid TID tid TID ip 0 code 10: Never-ending loop',
  ' instruction trace error type 1 time 0 cpu -1 pid -1 tid -1 ip 0 code 2: Internal error',
  ' instruction trace error type 1 cpu CPU pid TID tid TID ip 0x401260 code 7: Overflow packet',
  ' instruction trace error type 1 cpu -1 pid -1 tid -1 ip 0 code 7: Overflow packet',
  ' instruction trace error type 1 time TIME machine_pid 7 vcpu 0 cpu CPU pid TID tid TID ip 0 code 3: Bad packet',
] as const;

export const RECORDS = [
  'TID [CPU] TIME: PERF_RECORD_SWITCH OUT',
  'TID [CPU] TIME: PERF_RECORD_SWITCH OUT preempt',
  'TID [CPU] TIME: PERF_RECORD_SWITCH IN',
  'TID [CPU] TIME: PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid: 7/7',
  'TID [CPU] TIME: PERF_RECORD_COMM exec: other:TID/TID',
  'TID [CPU] TIME: PERF_RECORD_COMM: other:TID/TID',
  'TID [CPU] TIME: PERF_RECORD_FORK(TID:TID):(7:7)',
  'TID [CPU] TIME: PERF_RECORD_FORK(7:7):(TID:TID)',
  'TID [CPU] 0.000000000: PERF_RECORD_COMM exec: other:TID/TID',
  '7 [CPU] TIME: PERF_RECORD_SWITCH OUT',
] as const;

/** Applies the damages one after another. Returns the text; each line but a cut last one has its newline. */
export function damaged(lines: readonly string[], damages: readonly Damage[]): string {
  const whole = { lines: [...lines], rest: '' };
  for (const damage of damages) if (whole.lines.length > 0) apply(whole, damage);
  return whole.lines.map((line) => `${line}\n`).join('') + whole.rest;
}

function apply(text: { lines: string[]; rest: string }, damage: Damage): void {
  const { lines } = text;
  const at = damage.at % lines.length;
  const line = lines[at];
  switch (damage.what) {
    case 'drop':
      lines.splice(at, damage.lines);
      return;
    case 'double':
      lines.splice(at, 0, ...lines.slice(at, at + damage.lines));
      return;
    case 'swap':
      lines[at] = lines[damage.other % lines.length];
      lines[damage.other % lines.length] = line;
      return;
    case 'cut':
      lines.splice(at);
      text.rest = line.slice(0, damage.byte % (line.length + 1));
      return;
    case 'insert':
      lines.splice(at + 1, 0, filledIn(damage.form, lines.slice(0, at + 1)));
      return;
    default:
      lines[at] = withByte(line, damage);
  }
}

function withByte(line: string, { what, byte, to }: { what: string; byte: number; to: number }): string {
  const at = byte % (line.length + 1);
  const rest = what === 'insert byte' ? at : at + 1;
  const char = what === 'delete byte' ? '' : String.fromCharCode(to);
  return line.slice(0, at) + char + line.slice(rest);
}

const PREFIX = /(\d+) +(?:\[(\d+)\] +)?(\d+\.\d+): /;

function filledIn(form: string, before: readonly string[]): string {
  const line = before.findLast((text) => PREFIX.test(text)) ?? '';
  const [, tid = '1', cpu = '000', time = '1000.000000000'] = PREFIX.exec(line) ?? [];
  const cpuOfError = form.startsWith(' ') ? String(Number(cpu)) : cpu;
  return form.replaceAll('TID', tid).replaceAll('CPU', cpuOfError).replaceAll('TIME', time);
}
