/**
 * The options of `ptflame requests`.
 */
import * as z from 'zod';
import { PtflameError } from '../../../src/model/errors.js';
import type { FunctionPattern } from '../../../src/pipeline/replay/find-functions.js';
import { flag, group } from '../../usage/flag.js';
import { memoize } from '../../usage/memoize.js';
import { answering, limit, outputs, reading, regexFlag, replaying, selection, windowed } from '../shared.js';
import { flows } from '../values/flow-values.js';
import { hosts } from '../values/host-values.js';
import { expression, parseFunction, span } from '../values/question-values.js';
import { path, regex } from '../values/values.js';

export const RequestsOptions = memoize(() =>
  z.object({
    function: path,
    inputs: z.array(path).min(1),
    ...group('Output', {
      slowest: limit(
        0,
        'show each of the N slowest requests, with the work of other threads (not with --csv)',
        ['text', 'json', 'otlp', 'perfetto'],
        'all that happened in the N slowest requests',
      ),
      minCall: flag(
        span.optional(),
        'with --slowest: leave out calls and waits that lasted shorter (default: 1 % of the slowest; with --otlp and --perfetto: none)',
        { value: 'DURATION', formerly: { min: null } },
      ),
      top: limit(
        20,
        'maximum number of rows of a table; 0: all (JSON and CSV: all)',
        ['text'],
        'maximum number of rows, 0 for all',
      ),
      ...answering(),
      output: outputs(
        'write FILE.txt, .csv, .json, .jsonl (--otlp) or .pftrace (--perfetto) instead of printing; may be repeated',
        'write FILE.txt, .csv, .json, .jsonl or .pftrace',
      ),
      otlp: flag(
        z.boolean().default(false),
        'print all requests, or the slowest, as spans for OpenTelemetry, a line of JSON for each batch: docs/answers.md',
        { common: 'print requests as spans for OpenTelemetry' },
      ),
      perfetto: flag(
        z.boolean().default(false),
        'print the same spans as a trace for Perfetto, with arrows where work is handed on: docs/exports.md',
        { common: 'print them as a trace for Perfetto' },
      ),
      maxSpans: limit(500_000, 'with --otlp and --perfetto: maximum number of spans; shorter calls are left out', [
        'otlp',
        'perfetto',
      ]),
    }),
    ...group('Selection', {
      flow: flag(
        flows.optional(),
        'how work is handed on: where the event PUSH and the event POP have the same KEY; without KEYs by order; may be repeated (default: threads may work for those that wake them)',
        { value: 'PUSH:KEY=POP:KEY', common: 'how work is handed on from thread to thread' },
      ),
      id: flag(
        regex.optional(),
        'with --flow: the part of KEY that is the id: the first group of REGEX, or its whole match; ids join processes, too',
        { value: 'REGEX' },
      ),
      host: flag(
        hosts.optional(),
        'the host that recorded an input, if the recording does not name it; may be repeated; --window is on the clock of the first host',
        { value: 'INPUT=HOST' },
      ),
      regex: regexFlag('ROOT'),
    }),
    ...windowed(),
    ...selection(),
    ...replaying(),
    ...reading(),
  }),
);
export type RequestsOptions = z.infer<ReturnType<typeof RequestsOptions>>;

/** @throws PtflameError BAD_OPTION for an invalid regular expression */
export function requestsPattern({ function: text, regex: isRegex }: RequestsOptions): FunctionPattern {
  const pattern = isRegex ? expression(text) : parseFunction(text);
  if (pattern !== null) return pattern;
  throw new PtflameError('BAD_OPTION', `${text} is not a valid regular expression`, {
    hint: 'see ptflame requests --help',
  });
}
