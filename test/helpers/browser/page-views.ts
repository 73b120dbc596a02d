/**
 * Builds the views of a profile from its page data, written and read again.
 */
import type { Profile } from '../../../src/index.js';
import { openPageData } from '../../../src/page/browser/platform/decode.js';
import type { PageData } from '../../../src/page/data/page-data.js';
import { writePageData } from '../../../src/page/data/write.js';
import { Views } from '../../../src/page/view/views.js';

/** Reads and checks everything. */
export function readPageData(bytes: Uint8Array): PageData {
  const data = openPageData(bytes);
  for (const { durations: _ } of data.threads); // reading a lazy field forces it
  return data;
}

export function viewsOf(profile: Profile): Views {
  return new Views(readPageData(Buffer.concat(writePageData(profile))));
}

/** Returns the symbol id of a function. */
export function symbolOf({ names }: Views, name: string): number {
  const symbol = names.indexOf(name);
  if (symbol === -1) throw new Error(`there is no ${name}`);
  return symbol;
}
