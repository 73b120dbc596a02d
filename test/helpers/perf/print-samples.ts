/**
 * Prints samples as `perf script -F tid,cpu,time,event,trace` does, by the format of their event.
 */
import type { SampleTable } from '../../../src/model/sample-table.js';
import type { Recording } from '../../../src/perfdata/recording.js';

type Format = Recording['samples']['formats'][number];

/** Returns the lines of all samples, sorted; perf's are sorted by time only. */
export function printedSamples({ samples }: Recording): string[] {
  const lines = samples.tables.flatMap((table) => {
    const format = samples.formats.find(({ event }) => event === table.event) as Format;
    const print = printer(format, table);
    return Array.from({ length: table.length }, (_, row) => {
      const time = BigInt(samples.originSeconds) * 1_000_000_000n + BigInt(table.timeNs[row] as number);
      const cpu = String(table.cpu[row]).padStart(3, '0');
      const [seconds, ns] = [time / 1_000_000_000n, String(time % 1_000_000_000n).padStart(9, '0')];
      return `${table.tid[row]} [${cpu}] ${seconds}.${ns}: ${table.event}: ${print(row)}`;
    });
  });
  return lines.sort();
}

/** Returns the same lines of perf's text, which has the name of the thread first and is aligned. */
export function perfLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, head, time, event, rest] = /^\s*.*?\s(\d+ \[\d+\])\s+([\d.]+):\s+(\S+): (.*)$/.exec(line) ?? [line];
      return `${head} ${time}: ${event}: ${rest}`;
    })
    .sort();
}

function printer({ print, fields }: Format, table: SampleTable): (row: number) => string {
  const [, format = '', rest = ''] = /^"((?:[^"\\]|\\.)*)"(.*)$/.exec(print) ?? [];
  const values = argumentsOf(rest).map((argument) => valueReader(argument, fields, table));
  const text = format.replaceAll('\\"', '"');
  return (row) => {
    let next = 0;
    return text.replaceAll(/%(0?)(\d*)[lL]*([a-z])/g, (_, zero, width, kind) => {
      const printed = inKind((values[next++] as (row: number) => string | bigint)(row), kind);
      return printed.padStart(Number(width), zero === '' ? ' ' : '0');
    });
  };
}

function inKind(value: string | bigint, kind: string): string {
  if (typeof value === 'string') return kind === 'x' ? value.replace(/^0x/, '') : value;
  if (kind === 'x') return BigInt.asUintN(64, value).toString(16);
  return String(kind === 'u' ? BigInt.asUintN(64, value) : value);
}

/** Splits at commas outside of brackets and texts. */
function argumentsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[^"]/g)) {
    if (token === ',' && depth === 0) parts.push('');
    else if (parts.length > 0) parts[parts.length - 1] += token;
    depth += '({['.includes(token) ? 1 : ')}]'.includes(token) ? -1 : 0;
  }
  return parts;
}

function valueReader(
  argument: string,
  fields: Format['fields'],
  { fields: columns }: SampleTable,
): (row: number) => string | bigint {
  const [, ofText, ofNumber, index] = /__get_str\((\w+)\)|REC->(\w+)(?:\[(\d+)\])?/.exec(argument) ?? [];
  const name = ofText ?? ofNumber;
  const column = columns.find((field) => field.name === name);
  const { sizeBytes = 8 } = fields.find((field) => field.name === name) ?? {};
  const texts = column?.texts;
  if (argument.includes('__print_flags')) return (row) => texts?.[row]?.replace('+', '') ?? '';
  if (argument.includes('"+"')) return (row) => (texts?.[row]?.endsWith('+') ? '+' : '');
  if (index !== undefined) return (row) => BigInt(texts?.[row]?.slice(1, -1).split(',')[Number(index)] ?? 0);
  if (texts) return (row) => texts[row] ?? '';
  // perf prints the lower bits of numbers of 8 and 16 bits, even if they are signed
  const bits = sizeBytes <= 2 ? (value: bigint) => BigInt.asUintN(8 * sizeBytes, value) : (value: bigint) => value;
  return (row) => bits(BigInt(column?.numbers?.[row] as number));
}
