/**
 * Recordings of programs whose call trees are known, and how much of their time a profile has on the right path.
 *
 * A folder has NAME.tree.jsonl.gz, the truth, and NAME.visible.folded.gz, its nested tree as far as calls and returns
 * show it (`PATH:CALLS NS`), with one or more of NAME.txt.gz, the text of `perf script`, NAME-branches.txt.gz, the same
 * with jumps, and NAME.data. Its cases.json may say about a NAME: `tests`, what it is there for; `root`, a regular expression for the functions where paths begin (false: whole paths), if not those with
 * which the stacks of fibers begin in the truth; `addresses`: functions without a name are told apart by where they
 * begin; `named`: they do not count; `same`: by the name that the truth has for some code, a regular expression for those
 * that it goes by in a profile, as a truth that is made from stack pointers tells no functions apart that share a frame;
 * `unseen`, a regular expression for functions that have no frame of their own: their time counts for their callers.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const INPUTS = [
  ['text', '.txt.gz'],
  ['with jumps', '-branches.txt.gz'],
  ['perf.data', '.data'],
];

const NAMELESS = /^\[[^\];]*(?:\+| )0x([0-9a-f]+)(-(?:0x)?[0-9a-f]+)?\]$/;
/** Where a thread waits, and what only passes control on: their time counts for the function below, see also `withoutStubs`. */
const NO_FRAME =
  /^(?:\[(?!unknown\])[^\]]*\]|\/suspended\/)$|@plt$|^_dl_runtime_resolve|^__x86_(?:indirect|return)_thunk|^$/;
const STUB = /@plt$/;
/** Ends in a jump to the function with which a stack begins. */
const SWITCHER = /^(?:gogo|jump_fcontext)$/;
/** See `codeAt`. */
const CODE = /^code \d+$/;
/** No function without a name is larger, in bytes. */
const LARGEST_NAMELESS = 65_536;
const PAGE = 4096;
/** The truth has whole nanoseconds, rounded down. */
const ROUNDING_NS = 1;

/** Returns one row per recording, in the order of their names. */
export function recordingsIn(folder) {
  const about = join(folder, 'cases.json');
  const cases = existsSync(about) ? JSON.parse(readFileSync(about, 'utf8')) : {};
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.tree\.jsonl\.gz$/.exec(file)?.[1] ?? []);
  return names.sort().flatMap((name) =>
    INPUTS.map(([input, suffix]) => ({ ...cases[name], name, input, folder, file: join(folder, name + suffix) }))
      .filter(({ file }) => existsSync(file))
      // The truth has addresses as text shows them; ptflame's own decoder names files and offsets.
      .filter(({ input, addresses }) => !(addresses && input === 'perf.data')),
  );
}

/**
 * Reads the truth about a recording. The function that it returns compares a profile, as in JSON, with a tree of it:
 * 'stack', as a stack walk shows it (`--tail-calls replace`), or 'nested', with functions that were jumped to below those
 * that jumped. Both as far as the input can show that: text shows nothing of a function between its call and a jump. It returns percent of the time: on the right path; wrong, but marked as inferred; wrong without a mark.
 * What the profile has too little is in none of them.
 */
export function readTruth(row) {
  const read = (suffix) => gunzipSync(readFileSync(join(row.folder, row.name + suffix))).toString();
  const rows = read('.tree.jsonl.gz').split('\n').filter(Boolean).map(JSON.parse);
  const trees = rows.filter(({ path }) => path); // others are about threads
  const seen = row.input === 'text' ? visiblePaths(read('.visible.folded.gz')) : [];
  const truth = withoutStubs([...trees, ...seen]);
  const stack = truth.filter(({ tree }) => tree === 'stack');
  const rootOf = rootsOfNested(stack);
  const starts = row.addresses ? startsIn(read('.txt.gz')) : null;
  return (profile, tree) => {
    const isNested = tree === 'nested';
    const known = (isNested ? ['nested', 'visible'] : ['stack', 'visible']).map((name) =>
      truth
        .filter((one) => one.tree === name)
        .map((one) => (name === 'stack' ? one : { ...one, path: rootOf(one.path) })),
    );
    return compare(known, profile, { ...row, isNested, stack, starts });
  };
}

function visiblePaths(folded) {
  return Array.from(folded.matchAll(/^(.*):(\d+) (\d+)$/gm), ([, path, calls, ns]) => ({
    tree: 'visible',
    path: path.split(';'),
    calls: Number(calls),
    pt_self_ns: Number(ns),
  }));
}

/**
 * Counts the time of a stub for the function that it led to, as profiles do. Only nested paths show both. Where the linker
 * looked the function up each time, it is not told apart from that of the linker, which counts for the caller.
 */
function withoutStubs(truth) {
  const targets = new Map();
  const linked = new Map(); // how often
  // Stubs of one name lead to several functions: perf calls all of a library's own `@plt`.
  const callOf = (path) => path.slice(-2).join('\0');
  for (const { tree, path, calls = Number.POSITIVE_INFINITY } of truth)
    for (const [at, name] of path.entries()) {
      if (name === '_dl_fixup') add(linked, path.slice(0, at).join('\0'), at === path.length - 1 ? calls : 0);
      else if (tree !== 'stack' && STUB.test(path[at - 1])) targets.set(callOf(path.slice(0, at)), name);
    }
  return truth.map((row) => {
    const caller = row.path.slice(0, -1);
    const target = targets.get(callOf(row.path));
    const isLinked = [caller, row.path].some((path) => linked.get(path.join('\0')) >= (row.calls ?? 0));
    return target === undefined || isLinked ? row : { ...row, path: [...caller, target] };
  });
}

/** Where functions without a name begin, as far as calls show it, and those with one. */
function startsIn(text) {
  const ascending = (found) => [...new Set(found)].sort((a, b) => a - b);
  const calls = text.matchAll(/^ *\S+ +\S+ +\S+ +call .*\b([0-9a-f]+) +\[unknown\] *$/gm);
  const named = text.matchAll(/\b([0-9a-f]+) \S[^=\n]*\+0x([0-9a-f]+)(?: +=>| *$)/gm);
  return {
    nameless: ascending(Array.from(calls, ([, target]) => Number.parseInt(target, 16))),
    named: ascending(Array.from(named, ([, at, offset]) => Number.parseInt(at, 16) - Number.parseInt(offset, 16))),
  };
}

function compare(truths, profile, { root, named, addresses, same = {}, unseen, isNested, stack, starts }) {
  const noFrame = new RegExp(`${NO_FRAME.source}${unseen ? `|${unseen}` : ''}`);
  const others = Object.entries(same).map(([name, names]) => [name, new RegExp(names)]);
  const clean = (path) =>
    path.flatMap((name) => {
      const [, address, isPage] = NAMELESS.exec(name) ?? [];
      if (named && (address || name === '[unknown]')) return [];
      const seen = address
        ? addresses
          ? codeAt(Number.parseInt(address, 16), isPage ? null : starts)
          : '[unknown]'
        : asPrinted(name);
      if (noFrame.test(seen)) return [];
      return [others.find(([, names]) => names.test(seen))?.[0] ?? seen];
    });
  // The truth does not see that nameless code jumps to other code, so there the number of nameless frames says nothing,
  // and code that only does so, such as linkage slots, has none.
  const isOne = (name) => name in same || (isNested && !addresses && name === '[unknown]');
  const otherRoots = new Set(root === undefined ? clean(rootsOfOtherStacks(stack)) : []);
  const rootNames = new RegExp(root || '(?!)');
  const withFrame = new Set(stack.flatMap(({ path, pt_self_ns }) => clean(pt_self_ns > 0 ? path : path.slice(0, -1))));
  const onlyJumps = (name) => isNested && (name === '[unknown]' || CODE.test(name)) && !withFrame.has(name);
  const key = (path) => {
    const names = clean(path).filter((name, at, all) => !onlyJumps(name) && !(isOne(name) && name === all[at - 1]));
    const from = names.findLastIndex((name) => otherRoots.has(name) || rootNames.test(name));
    return names.slice(Math.max(0, from)).join('\0');
  };

  const withoutSlots = slotRemover(stack);
  const variants = isNested
    ? truths.map((truth) => truth.map((row) => ({ ...row, path: withoutSlots(row.path) })))
    : [];
  const known = [...truths, ...variants].map((truth) => {
    const trueNs = new Map();
    for (const { path, pt_self_ns } of truth) add(trueNs, key(path), pt_self_ns);
    return trueNs;
  });
  const shownNs = new Map();
  const markedNs = new Map();
  for (const [path, selfNs, inferredNs] of pathsOf(profile)) {
    add(shownNs, key(path), selfNs);
    add(markedNs, key(path), inferredNs);
  }

  let right = 0;
  let wrong = 0;
  let unmarked = 0;
  for (const [path, ns] of shownNs) {
    const isTrue = isNested || known[0].has(path);
    const expected = isTrue ? Math.max(...known.map((trueNs) => (trueNs.get(path) ?? -ROUNDING_NS) + ROUNDING_NS)) : 0;
    right += Math.min(ns, expected);
    wrong += Math.max(0, ns - expected);
    unmarked += Math.max(0, ns - markedNs.get(path) - expected);
  }
  const share = (ns) => Number(((100 * ns) / Math.max(sum(known[0]), sum(shownNs), 1)).toFixed(3));
  return { right: share(right), marked: share(wrong - unmarked), unmarked: share(unmarked) };
}

/**
 * Returns a function that removes code without a name from nested paths, if it has no time where it was called: it only
 * jumped on, as a linkage slot does.
 */
function slotRemover(stack) {
  const calls = new Set();
  for (const { path, pt_self_ns } of stack)
    for (let at = 1; at < path.length - (pt_self_ns > 0 ? 0 : 1); at++) calls.add(`${path[at - 1]}\0${path[at]}`);
  return (path) =>
    path.filter((name, at) => !name.startsWith('[unknown') || at === 0 || calls.has(`${path[at - 1]}\0${name}`));
}

/** A thread's first stack has its first root; the others are those of fibers and signals. */
function rootsOfOtherStacks(stack) {
  const seen = new Set();
  return stack.flatMap(({ tid, path }) => {
    if (path.length > 1 || SWITCHER.test(path[0])) return [];
    const isFirst = !seen.has(tid);
    seen.add(tid);
    return isFirst ? [] : path;
  });
}

/**
 * In nested paths, a fiber that a jump began is below the switcher: returns a function that gives them the root that the
 * stack has.
 */
function rootsOfNested(stack) {
  const roots = new Set(stack.map(({ path }) => path[0]));
  const rootOver = new Map(stack.filter(({ path }) => path.length > 1).map(({ path }) => [path[1], path[0]]));
  return (path) => {
    const [first, second, ...others] = path;
    if (SWITCHER.test(second)) return [first, ...others];
    if (!SWITCHER.test(first) || second === undefined) return path;
    return [...(roots.has(second) || !rootOver.has(second) ? [] : [rootOver.get(second)]), second, ...others];
  };
}

/**
 * perf prints the symbol `camlStdlib__List__iter_261` as `Stdlib.List.iter_261`. libc's mempcpy is some instructions that
 * run on in memmove.
 */
function asPrinted(name) {
  if (name.startsWith('__mempcpy_')) return name.replace('mempcpy', 'memmove');
  return /^caml[A-Z]/.test(name) ? name.slice('caml'.length).replaceAll('__', '.') : name;
}

/** Names nameless code by where it begins, else by its page: if nothing was seen to enter it, or another function is in between. */
function codeAt(address, starts) {
  const start = starts?.nameless.findLast((at) => at <= address) ?? Number.NEGATIVE_INFINITY;
  const isInside = address - start < LARGEST_NAMELESS && !(starts.named.findLast((at) => at <= address) > start);
  return `code ${isInside ? start : address - (address % PAGE)}`;
}

function* pathsOf({ threads, symbols }) {
  for (const { tree } of threads) {
    const paths = [];
    for (const [at, parent] of tree.parent.entries()) {
      const symbol = tree.symbol[at];
      paths.push([...(paths[parent] ?? []), ...(symbol >= 0 ? [symbols.name[symbol]] : [])]);
      yield [paths[at], tree.selfNs[at], tree.inferredNs[at]];
    }
  }
}

function add(sums, key, value) {
  sums.set(key, (sums.get(key) ?? 0) + value);
}

function sum(sums) {
  return [...sums.values()].reduce((total, value) => total + value, 0);
}
