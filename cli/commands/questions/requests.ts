/**
 * `ptflame requests`: follows requests through threads.
 */
import { type RequestsAnswer, requestsAnswer } from '../../../src/answers.js';
import { askRequests, type FunctionPattern } from '../../../src/index.js';
import { requestsLines } from '../../answers/requests/requests.js';
import { openInputs } from '../../input/open-inputs.js';
import { requireTraces, withProgress } from '../../input/traces.js';
import type { RequestsOptions } from '../../options/requests.js';
import { refuseTwoFormats, writeAnswer } from '../../output/answer.js';
import { qualityLines } from '../../quality/lines.js';
import { notify } from '../../terminal/notify.js';
import { tableWidth } from '../../terminal/width.js';

export async function requests(options: RequestsOptions, root: FunctionPattern, signal: AbortSignal): Promise<void> {
  refuseTwoFormats(options);
  const { flow: flows, min, slowest, top } = options;
  const inputs = await requireTraces(await openInputs(options.inputs, options, signal));
  const question = { root, slowest, ...(min !== undefined && { minNs: min }), ...(flows && { flows }) };
  const found = await withProgress(inputs, { ...options, foldRecursion: false }, signal, (analyzing) =>
    askRequests(inputs, question, { ...analyzing, trees: 'together' }),
  );
  const answer = requestsAnswer(found);
  const text = () => requestsLines(answer, { pattern: options.function, width: tableWidth(), top });
  await writeAnswer({ json: () => answer, text, csv: () => csvRows(answer) }, options);
  if (!options.quiet) for (const line of qualityLines(found.profile)) notify(line);
}

function csvRows({ where }: RequestsAnswer): (string | number | boolean | null)[][] {
  const titles = ['isOwn', 'name', 'dso', 'call', 'stop', 'reason', 'typicalNs', 'slowestNs'];
  const rows = where.map(({ isOwn, function: own, call, stop, reason, typicalNs, slowestNs }) => {
    return [isOwn, own?.name ?? null, own?.dso ?? null, call?.name ?? null, stop, reason, typicalNs, slowestNs];
  });
  return [titles, ...rows];
}
