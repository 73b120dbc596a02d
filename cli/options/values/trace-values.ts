/**
 * Parses what `record` shall trace beyond calls: waits and probes.
 */
import * as z from 'zod';

/** Without a value: the events that cost least. */
export const waits = z.string().transform((text, context) => {
  if (text === '' || text === 'full') return text === '' ? ('some' as const) : text;
  context.addIssue({ code: 'custom', message: 'must be full, or have no value' });
  return z.NEVER;
});

/** A probe at an instruction of a program. */
export interface Probe {
  readonly name: string;
  readonly file: string;
  /** The position and the arguments, in the language of `perf probe`: "queue_push job=%di". */
  readonly definition: string;
}

/** The file ends at the first colon that a symbol follows. */
const PROBE = /^([A-Za-z_]\w{0,39})=(\S|\S.*?\S):([A-Za-z_.$][^\s:/;=]*(?:[ \t].*)?)$/;

/** "push=./server:queue_push job=%di", repeated → probes. */
export const probes = z.array(z.string()).transform((texts, context) => {
  const found = texts.map((text) => PROBE.exec(text));
  const names = found.map((match) => match?.[1]);
  const wrong = texts[found.indexOf(null)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (wrong === undefined && twice === undefined)
    return found.map(
      (match): Probe => ({ name: match?.[1] ?? '', file: match?.[2] ?? '', definition: match?.[3] ?? '' }),
    );
  const message =
    wrong === undefined
      ? `must have different names: ${twice}`
      : `must be NAME=FILE:SYMBOL[+OFFSET] ARGUMENTS, such as 'push=./server:queue_push job=%di': ${wrong}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});
