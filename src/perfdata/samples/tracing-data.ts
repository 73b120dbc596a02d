/**
 * Reads the formats of events from a recording's tracing data, or from notes next to a recording whose perf was killed.
 */
import { hexOf, SectionReader } from '../file/sections.js';
import { type EventFormat, parseFormat } from './event-format.js';

/** The bytes 17 08 44, then "tracing". */
const MAGIC = '17084474726163696e67';
const LITTLE_ENDIAN = 0;

/** Far above all events of a kernel, with all their fields. */
const MAX_DECLARATIONS = 131_072;

/**
 * Yields the formats of the section, laid out as trace-cmd.dat(5) describes. `refuse` receives the system of one that no kernel
 * writes.
 *
 * @throws RangeError where it is truncated or damaged
 */
export function* readTracingData(view: DataView, refuse: (system: string) => void): Generator<EventFormat> {
  const reader = new SectionReader(view);
  if (hexOf(reader.bytes(MAGIC.length / 2)) !== MAGIC) throw new RangeError('not tracing data');
  reader.line(); // the version
  if (reader.u8() !== LITTLE_ENDIAN) throw new RangeError('tracing data of a big-endian machine');
  reader.bytes(5); // sizes of a long and of a page
  for (const name of ['header_page', 'header_event']) {
    if (reader.line() !== name) throw new RangeError(`no ${name}`);
    reader.longText();
  }
  for (let left = reader.u32(); left > 0; left--) reader.longText(); // ftrace's own events
  let declarations = 0;
  for (let systems = reader.u32(); systems > 0; systems--) {
    const system = reader.line();
    for (let left = reader.u32(); left > 0; left--) {
      const format = parseFormat(system, reader.longText());
      declarations += 1 + (format?.fields.length ?? 0);
      if (declarations > MAX_DECLARATIONS) throw new RangeError('more events than a kernel has');
      if (format === null) refuse(system);
      else yield format;
    }
  }
}

/** Reads notes: a line `event SYSTEM:EVENT` before each `format` file. What is not a format is skipped, as notes of the kernel. */
export function readFormatNotes(text: string): EventFormat[] {
  const parts = text
    .replace(/^(kernel|blocked) .*\n/gm, '')
    .split(/^event /m, MAX_DECLARATIONS)
    .slice(1);
  return parts.flatMap((part) => {
    const system = part.slice(0, Math.max(0, part.indexOf(':')));
    return parseFormat(system, part.slice(part.indexOf('\n') + 1)) ?? [];
  });
}
