/**
 * Says which step of the work a sampled function belongs to, by the file that it is from.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const STEPS = ['start', 'read', 'code', 'store', 'replay', 'tree', 'log', 'output', 'other', 'V8'] as const;
export type Step = (typeof STEPS)[number];

/** The first that fits a file counts. */
const STEP_OF_FILES: readonly (readonly [RegExp, Step])[] = [
  [/^src\/decode\/(wasm\/(blocks|instructions)|code-pages|images)|^src\/symbols|\/locate\./, 'code'],
  [/^src\/(decode|parser|perfdata)\/|^src\/pipeline\/(read|decode|open)/, 'read'],
  [/^src\/(trace|model\/trace)\//, 'store'],
  [/call-log|^src\/analysis\/(log|timeline|chunk)/, 'log'],
  [/^src\/replay\/wasm\/tree|^src\/model\/calls\/|^src\/pipeline\/profile|^src\/analysis\/tree/, 'tree'],
  [/^src\/(replay|pipeline\/replay)/, 'replay'],
  [/^(src\/(render|page|export|profile-file|codec)|cli\/output)\//, 'output'],
];

/** As the inspector writes it. */
interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: Frame;
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Functions in which threads wait, the second one for a task. */
const WAITS: ReadonlySet<string> = new Set(['(idle)', 'atomicsWaitLoop']);

const ROOMS = ['parser', 'decode', 'replay', 'trace'] as const;

export class Steps {
  /** By room: the files of the functions of its module. */
  private readonly modules = new Map<string, readonly string[]>();
  /** By name of a bundle: for each of its lines, the file that it is from. */
  private readonly bundles = new Map<string, readonly string[]>();

  constructor() {
    const directory = mkdtempSync(join(tmpdir(), 'ptflame-bench-'));
    execFileSync(process.execPath, [
      fileURLToPath(new URL('../../../scripts/compile-wasm.mjs', import.meta.url)),
      directory,
    ]);
    for (const room of ROOMS)
      this.modules.set(room, functionFiles(readFileSync(join(directory, `${room}.wat`), 'utf8')));
    rmSync(directory, { recursive: true });
    const built = fileURLToPath(new URL('../../cli/', import.meta.url));
    for (const name of readdirSync(built).filter((file) => /^(program|worker)-.*\.js$/.test(file)))
      this.bundles.set(name, lineFiles(readFileSync(join(built, name), 'utf8')));
  }

  /** Returns the microseconds of each step in a profile; what waits counts for none. */
  sums({ nodes, samples, timeDeltas }: CpuProfile): Map<Step, number> {
    const steps = this.stepsOf(nodes);
    const sums = new Map<Step, number>();
    samples.forEach((id, row) => {
      const step = steps.get(id);
      if (step) sums.set(step, (sums.get(step) ?? 0) + (timeDeltas[row + 1] ?? 0));
    });
    return sums;
  }

  /** By id of a node; null: the thread waits. */
  private stepsOf(nodes: readonly ProfileNode[]): Map<number, Step | null> {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const steps = new Map<number, Step | null>();
    const visit = (node: ProfileNode, caller: string, step: Step) => {
      const own = this.fileOf(node.callFrame, caller);
      const found = own === null ? step : stepOfFile(own);
      const name = node.callFrame.functionName;
      steps.set(node.id, WAITS.has(name) ? null : name.startsWith('(') ? 'V8' : found);
      for (const child of node.children ?? []) visit(byId.get(child) as ProfileNode, own ?? caller, found);
    };
    if (nodes[0]) visit(nodes[0], '', 'start');
    return steps;
  }

  /** `caller`: the file of the function that called it. null: a function of Node or a package, which works for its caller. */
  private fileOf({ functionName, url, lineNumber }: Frame, caller: string): string | null {
    const [, index] = /^wasm-function\[(\d+)\]$/.exec(functionName) ?? [];
    const room = ROOMS.find((each) => caller.startsWith(`src/${each}/`)) ?? 'parser';
    if (index !== undefined) return this.modules.get(room)?.[Number(index)] ?? null;
    const file = this.bundles.get(basename(url))?.[lineNumber] ?? null;
    return file === null || file.startsWith('node_modules') ? null : file;
  }
}

function stepOfFile(file: string): Step {
  return STEP_OF_FILES.find(([files]) => files.test(file))?.[1] ?? 'other';
}

/** By index: "src/replay/wasm/tree/child" of a module as text; imports come first. */
function functionFiles(text: string): string[] {
  return [...text.matchAll(/^ \((?:import .*\()?func \$(\S+)/gm)].map(([, name = '']) => name);
}

/** esbuild writes the name of a file before what it has. */
function lineFiles(text: string): string[] {
  let file = '';
  return text.split('\n').map((line) => (file = /^\s*\/\/ ((?:src|cli|node_modules)\/\S+)$/.exec(line)?.[1] ?? file));
}
