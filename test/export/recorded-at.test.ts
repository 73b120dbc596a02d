/**
 * Dates of events, also of a window and of a profile that was read back.
 */
import { expect, test } from 'vitest';
import { wallClock } from '../../src/export/shared.js';
import { type Profile, renderJson } from '../../src/index.js';
import { parseProfile } from '../../src/profile-file/read.js';
import { analyzeText } from '../helpers/traces/load.js';
import { traceOf } from '../helpers/traces/trace-of.js';

const TRACE = traceOf(`
  100  call    main  a
  500  return  a     main
  600  call    main  b
  900  return  b     main`);
const STARTED_AT = '2026-11-22T10:00:00.123Z';

function dated({ meta, ...profile }: Profile): Profile {
  const recorded = { host: null, kernel: null, cpu: null, perf: null, command: null, startedAt: STARTED_AT };
  return { ...profile, meta: { ...meta, recorded } };
}

/** How long after the noted start something was. */
function sinceStart({ meta }: Profile, ns: number): number {
  return Number((wallClock(meta)?.(ns) ?? 0n) - BigInt(Date.parse(STARTED_AT)) * 1_000_000n);
}

test('the first event was when the recording began, whatever is selected', async () => {
  const whole = dated(await analyzeText(TRACE));
  expect(sinceStart(whole, whole.meta.startNs)).toBe(0);
  const window = { from: { afterStartNs: 450 }, to: { afterStartNs: 700 } };
  const part = dated(await analyzeText(TRACE, { window }));
  expect(sinceStart(part, part.meta.startNs)).toBe(450);
  const read = parseProfile(Buffer.from([...renderJson(part)].join('')), 'part.json');
  expect(read.meta.startNs).toBe(0);
  expect(sinceStart(read, 0)).toBe(450);
  expect(wallClock({ ...whole.meta, recorded: null })).toBe(null);
});
