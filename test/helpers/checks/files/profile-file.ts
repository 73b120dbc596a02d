/**
 * Writes profiles as text and reads them back.
 */
import { type Profile, PtflameError, type ReadProfileOptions, readProfile, renderJson } from '../../../../src/index.js';
import { CallTreeBuilder, ROOT } from '../../../../src/model/calls/call-tree.js';
import { noInferences, noLines } from '../../../../src/model/profile/profile.js';
import { SymbolTableBuilder } from '../../../../src/model/symbol-table.js';
import { inputOf } from '../../traces/load.js';

export function jsonOf(profile: Profile): string {
  return [...renderJson(profile)].join('');
}

export async function readBack(text: string | Uint8Array, options: ReadProfileOptions = {}): Promise<Profile> {
  return readProfile(inputOf(text, 'out.json'), options);
}

/** Returns the error that refuses a file; rethrows any other. */
export async function refusalOf(text: string | Uint8Array, options: ReadProfileOptions = {}): Promise<PtflameError> {
  try {
    await readBack(text, options);
  } catch (error) {
    if (error instanceof PtflameError) return error;
    throw error;
  }
  throw new Error('it was read');
}

/** Returns a profile of one thread with 1 ns in each of some functions, all without a caller. */
export function profileOfNames(
  names: readonly (readonly [name: string, dso: string | null])[],
  comm?: string,
): Profile {
  const symbols = new SymbolTableBuilder();
  const tree = new CallTreeBuilder();
  for (const [name, dso] of names) tree.charge(tree.child(ROOT, symbols.intern(name, dso)), 1);
  const built = tree.build();
  const endNs = built.selfNs.reduce((sum, ns) => sum + ns, 0);
  const times = { lostNs: 0, hiddenNs: 0, inferredNs: 0, unknownNs: 0, totalNs: endNs };
  const lists = { firstDamaged: [], brokenInputs: [], losses: [], gaps: [], unknownFlags: [] };
  const counts = { threadsCut: 0, inferredEvents: 0, clockSteps: 0, unknownFlagLines: 0 };
  return {
    meta: {
      originNs: 0n,
      startNs: 0,
      endNs,
      scope: 'user',
      weight: 'ns',
      hasSwitches: null,
      part: null,
      recorded: null,
    },
    symbols: symbols.build(),
    threads: [{ tid: 1, pid: null, comm: comm ?? null, startNs: 0, endNs, tree: built, hiddenNs: 0, durations: null }],
    together: null,
    durations: null,
    quality: { ...noLines(), ...counts, ...lists, ...times, inferredCalls: noInferences() },
  };
}
