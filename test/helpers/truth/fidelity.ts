/**
 * Compares a folded file with a truth file: how much of its time is on the right call path?
 */

export interface Paths {
  readonly ns: Map<string, number>;
  readonly calls: Map<string, number>;
}

export interface Fidelity {
  /** Percent of the time on the right path. */
  readonly overlap: number;
  /** Percent of the true paths that the file has, and for which it has the right number of calls. */
  readonly paths: number;
  readonly calls: number;
}

const TRAMPOLINE = /@plt$|^_dl_runtime_resolve|^$/;
/** Frames without a symbol, which ptflame distinguishes and truth calls "[unknown]". */
const NAMELESS = /^\[.*(?:\+| )0x[0-9a-f]+(?:-0x[0-9a-f]+)?\]$/;
const SYNTHETIC = /^\[(?!unknown\])[^\]]*\]$/;
const ANNOTATION = /:(\d+)(?:\(\d+\))?(?:,avg:\d+)?$/;

/** Returns a function's name as in truth. */
export function trueName(name: string): string {
  return name.replace(NAMELESS, '[unknown]');
}

/** A frame whose time counts as that of the function below it. */
export function isTrampolineOrStop(name: string): boolean {
  return SYNTHETIC.test(trueName(name)) || TRAMPOLINE.test(name);
}

/** Reads gentrace's truth: rows [parent, name, calls, open, total, self, …]. `drop`: frames that no trace shows. */
export function gentraceTruth(json: string, drop = /(?!)/): Paths {
  const { names, nodes } = JSON.parse(json) as { names: string[]; nodes: number[][] };
  const truth = noPaths();
  const paths: string[][] = [];
  for (const [parent = -1, nameRow = 0, calls = 0, , , selfNs = 0] of nodes) {
    const name = names[nameRow].replace(/;/g, ':').replace(/\n/g, ' ');
    const path = [...(paths[parent] ?? []), ...(drop.test(name) ? [] : [name])];
    paths.push(path);
    add(truth.ns, path, selfNs);
    add(truth.calls, path, calls);
  }
  return truth;
}

/**
 * Reads the truth of ptemu: one JSON object per line. Trampolines are removed: how to show them is a matter of taste.
 * `root`: of a path that contains it, only the part from there counts (there, fibers have their own stacks).
 */
export function ptemuTruth(jsonLines: string, tree: 'stack' | 'nested', root = /(?!)/): Paths {
  const truth = noPaths();
  for (const line of jsonLines.split('\n').filter(Boolean)) {
    const row = JSON.parse(line) as { tree?: string; path: string[]; calls: number; begun: number; pt_self_ns: number };
    if (row.tree !== tree) continue;
    const path = fromRoot(
      row.path.filter((name) => !TRAMPOLINE.test(name)),
      root,
    );
    add(truth.ns, path, row.pt_self_ns);
    if (path.at(-1) === row.path.at(-1)) add(truth.calls, path, row.calls + row.begun);
  }
  return truth;
}

/** `folded`: annotated lines. Untraced time counts for the function that was left. */
export function fidelity(
  truth: Paths,
  folded: string,
  options: { trampolines: 'keep' | 'drop'; drop?: RegExp; root?: RegExp | undefined },
): Fidelity {
  const file = readFolded(folded, options);
  const sum = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0);
  const common = sum([...truth.ns].map(([path, ns]) => Math.min(ns, file.ns.get(path) ?? 0)));
  const share = (isEqual: (path: string) => boolean) =>
    (100 * [...truth.ns.keys()].filter(isEqual).length) / truth.ns.size;
  return {
    overlap: (100 * common) / Math.max(sum(truth.ns.values()), sum(file.ns.values())),
    paths: share((path) => file.ns.has(path)),
    calls: share((path) => (truth.calls.get(path) ?? 0) === (file.calls.get(path) ?? 0)),
  };
}

function readFolded(
  folded: string,
  {
    trampolines,
    drop = /(?!)/,
    root = /(?!)/,
  }: { trampolines: 'keep' | 'drop'; drop?: RegExp; root?: RegExp | undefined },
): Paths {
  const isDropped = (name: string) =>
    SYNTHETIC.test(name) || drop.test(name) || (trampolines === 'drop' && TRAMPOLINE.test(name));
  const file = noPaths();
  for (const line of folded.split('\n').filter(Boolean)) {
    const blank = line.lastIndexOf(' ');
    const frames = line.slice(0, blank).split(';');
    const names = frames.map((frame) => trueName(frame.replace(ANNOTATION, '')));
    const path = fromRoot(
      names.filter((name) => !isDropped(name)),
      root,
    );
    add(file.ns, path, Number(line.slice(blank + 1)));
    const calls = ANNOTATION.exec(frames.at(-1) as string)?.[1];
    if (!isDropped(names.at(-1) as string)) add(file.calls, path, Number(calls));
  }
  return file;
}

function fromRoot(path: readonly string[], root: RegExp): readonly string[] {
  return path.slice(
    Math.max(
      0,
      path.findLastIndex((name) => root.test(name)),
    ),
  );
}

function noPaths(): Paths {
  return { ns: new Map(), calls: new Map() };
}

function add(sums: Map<string, number>, path: readonly string[], value: number): void {
  const key = path.join(';');
  sums.set(key, (sums.get(key) ?? 0) + value);
}
