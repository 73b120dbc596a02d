/**
 * A reason that was concluded from other waits is marked in requests: in text, and in the attributes of spans.
 */
import { expect, test } from 'vitest';
import { requestLines } from '../../../cli/commands/requests.js';
import { callValues } from '../../../src/export/request-spans.js';
import { requestPart } from '../../../src/questions/requests/answer.js';
import { EndedBy, UNKNOWN_PLACE } from '../../../src/questions/waits/wait-facts.js';
import { HandOffBy } from '../../../src/waits/hand-offs.js';
import { Reason } from '../../../src/waits/reason.js';
import { analyzeText } from '../../helpers/traces/load.js';
import { traceOf } from '../../helpers/traces/trace-of.js';

test.each([
  [true, ' file (inferred)', true],
  [false, ' file', undefined],
])('inferred: %s', async (isReasonInferred, text, attribute) => {
  const { symbols } = await analyzeText(traceOf('1/100 call main f\n1/200 return f main'));
  const thread = { tid: 1, pid: 1, comm: 'a', isTraced: true, isRecorded: true, isSelected: true };
  const wait = {
    ...{ reason: Reason.File, isReasonInferred, address: null, endedBy: EndedBy.Interrupt, waker: null },
    ...{ wakerPlace: UNKNOWN_PLACE, wakeUpNs: Number.NaN },
  };
  const times = { startNs: 0, endNs: 100 };
  const spans = [{ depth: 0, parent: -1, symbol: 0, ...times, selfNs: 100, isInferred: false, wait }];
  const own = { host: 0, thread, errorNs: 0, by: HandOffBy.None, sharedBy: 1, parent: -1, handedOnNs: Number.NaN };
  const part = requestPart(null, symbols, { ...own, ...times, ownStartNs: 0, ownEndNs: 100, spans }, 0);
  expect(requestLines([part])[0].text).toContain(`${text}: [interrupt]`);
  expect(callValues(part.spans[0])['ptflame.wait.reason_inferred'] ?? undefined).toBe(attribute);
});
