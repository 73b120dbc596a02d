/**
 * Fuzzes profiles as JSON: a valid one can be drawn and is written again with the same bytes; a damaged one is
 * rejected, or read as a valid profile.
 */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { PtflameError } from '../../src/model/errors.js';
import type { Profile } from '../../src/model/profile/profile.js';
import { renderHtml } from '../../src/page/html.js';
import { readProfile } from '../../src/pipeline/profile/read-profile.js';
import { renderJson } from '../../src/profile-file/write.js';
import { renderFolded } from '../../src/render/folded.js';
import { renderSvg } from '../../src/render/svg/svg.js';
import { randomProfiles } from '../../test/helpers/random/random-profiles.js';
import type { Kind } from '../kind.js';
import { Random } from '../random.js';
import { mutated } from './mutate.js';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const ODD_VALUES: readonly Json[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e300,
  2 ** 53,
  '',
  '\u001b[31m',
  '</script>',
  [],
  {},
  [[]],
];
const MAX_TEXT = 2 ** 24;

export function profiles(seed: number): Kind {
  return {
    isText: true,
    sizeOf: () => 1,
    make(number) {
      const random = new Random(seed, number);
      const [profile] = fc.sample(randomProfiles, { seed: random.below(2 ** 31), numRuns: 1 });
      const text = [...renderJson(profile as Profile)].join('');
      const steps: string[] = [];
      if (random.oneIn(3)) return { number, bytes: mutated(Buffer.from(text), random, steps), steps };
      steps.push('odd values');
      return { number, bytes: Buffer.from(JSON.stringify(withOddValues(JSON.parse(text), random))), steps };
    },
    async check({ bytes }) {
      const profile = await read(bytes);
      if (profile === null) return { parserMs: 0 };
      const text = draw(renderJson(profile));
      const again = await read(Buffer.from(text));
      assert(again !== null, 'the written profile cannot be read');
      assert.equal(draw(renderJson(again)), text, 'reading and writing again changes the profile');
      for (const pieces of [renderFolded(profile, { annotate: true }), renderSvg(profile), renderHtml(profile)])
        draw(pieces);
      return { parserMs: 0 };
    },
  };
}

async function read(bytes: Buffer): Promise<Profile | null> {
  try {
    return await readProfile({ name: 'profile', bytes: Readable.from([bytes]) });
  } catch (error) {
    if (error instanceof PtflameError) return null;
    throw error;
  }
}

/** Stops at a limit: deep paths of long names make very long text. */
function draw(pieces: Iterable<string>): string {
  let text = '';
  for (const piece of pieces) if ((text += piece).length > MAX_TEXT) break;
  return text;
}

/** Replaces one value in 150. */
function withOddValues(value: Json, random: Random): Json {
  if (random.oneIn(150)) return random.pick(ODD_VALUES);
  if (Array.isArray(value)) return value.map((each) => withOddValues(each, random));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withOddValues(each, random)]));
}
