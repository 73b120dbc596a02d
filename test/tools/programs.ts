/**
 * The machine → the programs of others that tests need, each with its path or the way to get it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromium } from '../../bench/page/find-chromium.js';

export type ProgramName = 'Chromium' | 'perf' | 'flamegraph.pl';

/** The paths of those that are here. */
export type FoundPrograms = Readonly<Partial<Record<ProgramName, string>>>;

export interface Program {
  readonly name: ProgramName;
  readonly why: string;
  /** What has it in Debian or Ubuntu: the first that the machine's package lists know is installed. */
  readonly packages: readonly string[];
  /** How else to get it, as part of a sentence. */
  readonly otherwise: string;
  /** Its path; undefined where it is missing or does not run. */
  readonly find: () => string | undefined;
}

/** Brendan Gregg's own program, as Debian packs it. */
const FLAMEGRAPH = '/usr/share/perl5/Devel/NYTProf/flamegraph.pl';
/** A folder by kernel, each with a perf. */
const UBUNTU_TOOLS = '/usr/lib/linux-tools';

export const PROGRAMS: readonly Program[] = [
  {
    name: 'Chromium',
    why: 'opens pages and pictures',
    packages: ['chromium'],
    otherwise: 'any Chromium or Chrome serves; the variable CHROMIUM names one',
    find: findChromium,
  },
  {
    name: 'perf',
    why: 'decodes recordings',
    packages: ['linux-perf', 'linux-tools-generic'],
    otherwise: 'it comes with the kernel of a distribution',
    find: findPerf,
  },
  {
    name: 'flamegraph.pl',
    why: 'reads folded stacks',
    packages: ['libdevel-nytprof-perl'],
    otherwise: 'the variable FLAMEGRAPH names one',
    find: () => [process.env['FLAMEGRAPH'] ?? FLAMEGRAPH].find(existsSync),
  },
];

export function findPrograms(): FoundPrograms {
  return Object.fromEntries(PROGRAMS.map(({ name, find }) => [name, find()]).filter(([, path]) => path !== undefined));
}

export function missingFrom(found: FoundPrograms): readonly Program[] {
  return PROGRAMS.filter(({ name }) => found[name] === undefined);
}

/** Ubuntu's `perf` refuses to run for another kernel than its own, as in a container; the one behind it decodes all the same. */
function findPerf(): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  const ubuntus = existsSync(UBUNTU_TOOLS) ? readdirSync(UBUNTU_TOOLS).map((kernel) => join(UBUNTU_TOOLS, kernel)) : [];
  return [...onPath, ...ubuntus].map((directory) => join(directory, 'perf')).find(isPerf);
}

function isPerf(path: string): boolean {
  try {
    return /^perf version /.test(String(execFileSync(path, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] })));
  } catch {
    return false;
  }
}
