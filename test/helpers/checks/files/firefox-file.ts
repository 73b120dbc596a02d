/**
 * Reads profiles for Firefox Profiler by the rules of their format.
 */
import type { FunctionTime } from '../function-times.js';

interface Table {
  readonly length: number;
}

export interface FirefoxFile {
  readonly meta: {
    readonly startTime: number;
    readonly categories: readonly { readonly name: string }[];
    readonly extra: readonly { readonly entries: readonly { readonly label: string; readonly value: string }[] }[];
  };
  readonly libs: readonly { readonly path: string }[];
  readonly threads: readonly FirefoxThread[];
  readonly shared: {
    readonly stringArray: readonly string[];
    readonly stackTable: Table & { readonly frame: readonly number[]; readonly prefix: readonly (number | null)[] };
    readonly frameTable: Table & { readonly func: readonly number[]; readonly category: readonly number[] };
    readonly funcTable: Table & {
      readonly name: readonly number[];
      readonly resource: readonly number[];
      readonly source: readonly (number | null)[];
      readonly lineNumber: readonly (number | null)[];
    };
    readonly resourceTable: Table & { readonly name: readonly number[]; readonly lib: readonly number[] };
    readonly sources: Table & { readonly filename: readonly number[] };
  };
}

export interface FirefoxThread {
  readonly name: string;
  readonly processName: string;
  readonly pid: string;
  readonly tid: number;
  readonly samples: Table & {
    readonly stack: readonly (number | null)[];
    readonly time: readonly number[];
    readonly weight: readonly number[];
  };
  readonly markers: Table & {
    readonly name: readonly number[];
    readonly data: readonly { readonly type: string; readonly function?: number }[];
    readonly startTime: readonly number[];
    readonly endTime: readonly number[];
  };
}

/** Returns the functions of each stack, outermost first. */
export function stacksOf({ stackTable, frameTable }: FirefoxFile['shared']): number[][] {
  const stacks: number[][] = [];
  stackTable.prefix.forEach((prefix, row) => {
    const own = frameTable.func[stackTable.frame[row] as number] as number;
    stacks.push([...(prefix === null ? [] : (stacks[prefix] as number[])), own]);
  });
  return stacks;
}

export function functionName({ shared }: FirefoxFile, row: number): string {
  return shared.stringArray[shared.funcTable.name[row] as number] as string;
}

/** Returns the times of the functions of a thread. */
export function timesOfThread(file: FirefoxFile, { samples }: FirefoxThread): FunctionTime[] {
  const { funcTable, resourceTable, stringArray } = file.shared;
  const stacks = stacksOf(file.shared);
  const times = new Map<number, { selfNs: number; totalNs: number }>();
  samples.stack.forEach((stack, row) => {
    const path = stack === null ? [] : (stacks[stack] as number[]);
    const ns = Math.round((samples.weight[row] as number) * 1e6);
    for (const own of new Set(path)) {
      const time = times.get(own) ?? { selfNs: 0, totalNs: 0 };
      times.set(own, { selfNs: time.selfNs + (own === path.at(-1) ? ns : 0), totalNs: time.totalNs + ns });
    }
  });
  return [...times].map(([row, time]) => {
    const resource = funcTable.resource[row] as number;
    const binary = resource < 0 ? null : (stringArray[resourceTable.name[resource] as number] as string);
    return { name: functionName(file, row), file: binary, ...time };
  });
}
