/**
 * `ptflame requests`: follows requests through threads.
 */

import { PtflameError } from '../../src/model/errors.js';
import type { FunctionPattern } from '../../src/pipeline/replay/find-functions.js';
import { requestsAnswer } from '../../src/questions/requests/answer.js';
import { askRequests, type RequestsResult } from '../../src/questions/requests/ask-requests.js';
import type { RequestsAnswer } from '../../src/questions/requests/schema.js';
import { visibleText } from '../../src/render/visible-text.js';
import { leftOutLines } from '../answers/requests/left-out.js';
import { flowHint, isKnownTime, requestsLines } from '../answers/requests/requests.js';
import { openInputs } from '../input/open-inputs.js';
import { requireTraces, withProgress } from '../input/traces.js';
import { RequestsOptions, requestsPattern } from '../options/questions/requests.js';
import { openAnswer } from '../output/answer.js';
import { answerFormats } from '../output/answer-files.js';
import { qualityLines } from '../output/lines.js';
import { notify } from '../terminal/notify.js';
import { defineCommand } from '../usage/define-command.js';
import { TRACES } from './arguments.js';

export const command = defineCommand({
  details:
    'Shows where the time of typical and of slow requests goes, and all that happened in the slowest. The work of other threads is found if the input was recorded with ptflame record --waits.',
  examples: [
    ['ptflame requests handle_request perf.data', 'distribution, and where the time goes'],
    ['ptflame requests do_command perf.data --slowest 1 --min-call 100us', 'the slowest one, without short calls'],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job --slowest 3',
      'with the work that was handed on by a queue, found by the argument job of two probes',
    ],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.jsonl',
      'all as spans, for a collector of OpenTelemetry, Jaeger or Tempo',
    ],
    [
      'ptflame requests handle_request perf.data --flow queue_push:job=run_job:job -o requests.pftrace',
      'all over time, with arrows from thread to thread, for https://ui.perfetto.dev',
    ],
    [
      "ptflame requests get_page web.data db.data --flow send:id=recv:id --id '^00-(\\w+-\\w+)'",
      'through two hosts, by the ids of messages; clocks are related by what was sent and came back',
    ],
  ],
  arguments: [
    {
      property: 'function',
      placeholder: 'ROOT',
      description: 'each of its calls is a request: an exact name or /a regular expression/',
      short: 'each of its calls is a request: a name or /a regular expression/',
    },
    TRACES,
  ],
  schema: RequestsOptions,
  formats: answerFormats,
  run: (options, signal) => requests(options, requestsPattern(options), signal),
});

export async function requests(options: RequestsOptions, root: FunctionPattern, signal: AbortSignal): Promise<void> {
  const { flow: flows, host, id, maxSpans, minCall, slowest, top } = options;
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const output = await openAnswer(options, options.inputs);
  const hasSpans = output.formats.some((format) => format === 'otlp' || format === 'perfetto');
  const question = {
    ...{ root, slowest },
    ...(minCall !== undefined && { minNs: minCall }),
    ...(flows && { flows }),
    ...(id && { id }),
    ...(host && { hosts: hostsOf(options.inputs, host) }),
    ...(hasSpans && { maxSpans }),
  };
  const found = await withProgress(inputs, { ...options, foldRecursion: false }, signal, (analyzing) =>
    askRequests(inputs, question, { ...analyzing, trees: 'together' }),
  );
  const answer = () => requestsAnswer(found);
  const text = (width: number) => requestsLines(answer(), { pattern: options.function, width, top });
  const formats = {
    ...{ json: answer, text, csv: () => csvRows(answer()) },
    ...{ otlp: () => otlpLines(found), perfetto: () => perfettoBytes(found) },
  };
  await output.write(formats);
  if (options.quiet) return;
  const hint = flowHint(answer());
  if (hint !== null) notify(`note: ${hint}`);
  if (hasSpans) for (const line of leftOutLines(found.requests)) notify(line);
  for (const { name, profile } of found.hosts)
    for (const line of qualityLines(profile))
      notify(found.hosts.length > 1 ? `${visibleText(name ?? '')}: ${line}` : line);
}

async function* otlpLines(found: RequestsResult): AsyncGenerator<string> {
  const { otlpOfRequests } = await import('../../src/export/otlp.js');
  yield* otlpOfRequests(found);
}

async function* perfettoBytes(found: RequestsResult): AsyncGenerator<Uint8Array> {
  const { perfettoOfRequests } = await import('../../src/export/perfetto/requests.js');
  yield* perfettoOfRequests(found);
}

/** By input. @throws PtflameError BAD_OPTION for a host of something that is no input */
function hostsOf(inputs: readonly string[], named: NonNullable<RequestsOptions['host']>): (string | null)[] {
  const other = named.find(({ input }) => !inputs.includes(input));
  if (other !== undefined)
    throw new PtflameError('BAD_OPTION', `--host names ${other.input}, which is not an input`, {
      hint: `the inputs are ${inputs.join(', ')}`,
    });
  return inputs.map((path) => named.find(({ input }) => input === path)?.host ?? null);
}

function csvRows({ where, flow }: RequestsAnswer): (string | number | boolean | null)[][] {
  const titles = ['host', 'isOwn', 'name', 'dso', 'call', 'stop', 'reason', 'typicalNs', 'slowestNs'];
  const rows = where.map(({ host, isOwn, function: own, call, stop, reason, typicalNs, slowestNs }) => {
    const times = [typicalNs, slowestNs].map((ns) => (isKnownTime(ns, isOwn, flow) ? ns : null));
    return [host, isOwn, own?.name ?? null, own?.dso ?? null, call?.name ?? null, stop, reason, ...times];
  });
  return [titles, ...rows];
}
