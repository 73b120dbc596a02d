/**
 * Random pairs of profiles with some functions in common, each at another row of its table.
 */
import fc from 'fast-check';
import type { Profile } from '../../../src/index.js';
import { type CallTree, CallTreeBuilder } from '../../../src/model/calls/call-tree.js';
import { DurationsBuilder } from '../../../src/model/calls/durations.js';
import { SymbolTableBuilder } from '../../../src/model/symbol-table.js';
import { profileOfNames } from '../checks/files/profile-file.js';

/** One name in two binaries, one of a stop, one with separators. */
const NAMES = ['main', 'a', 'b', 'c::d(int)', 'x;y z', '[syscall]', 'größe'] as const;
const FIRST_FUNCTION = 6;

const node = fc.record({
  parent: fc.nat(60),
  symbol: fc.nat(11),
  ns: fc.constantFrom(0, 0, 1, 3, 10, 1000),
  calls: fc.array(fc.constantFrom(-1, -30, 0, 1, 20, 21, 500), { maxLength: 4 }), // below 0: inferred
});

/** `names`: in the order of the table. */
const profile: fc.Arbitrary<Profile> = fc
  .record({
    nodes: fc.array(node, { maxLength: 30 }),
    names: fc.shuffledSubarray([...NAMES], { minLength: 6, maxLength: 6 }),
    lengthNs: fc.integer({ min: 1, max: 1e10 }),
  })
  .map(({ nodes, names, lengthNs }) => {
    const symbols = new SymbolTableBuilder();
    for (const [at, name] of names.entries())
      symbols.intern(at === 5 ? (names[4] as string) : name, at === 5 ? '/b' : '/a');
    const builder = new CallTreeBuilder();
    builder.durations = new DurationsBuilder();
    for (const { parent, symbol, ns, calls } of nodes) {
      const here = builder.child(parent % builder.length, symbol % (FIRST_FUNCTION + names.length));
      builder.charge(here, ns);
      for (const took of calls)
        if (took < 0) builder.countInferred(here, -1 - took);
        else builder.countComplete(here, took);
    }
    const durations = builder.durations.build();
    const base = profileOfNames([]);
    const tree: CallTree = builder.build();
    const thread = { ...(base.threads[0] as Profile['threads'][number]), tree, durations };
    const totalNs = tree.selfNs.reduce((sum, ns) => sum + ns, 0);
    return {
      ...base,
      meta: { ...base.meta, endNs: lengthNs },
      symbols: symbols.build(),
      threads: [thread],
      quality: { ...base.quality, totalNs },
    };
  });

export const profilePairs = fc.tuple(profile, profile);
