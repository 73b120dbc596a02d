/**
 * Finds the external programs that tests need, or how to get them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromiumForTests } from '../../bench/page/find-chromium.js';

export type ProgramName =
  | 'Chromium'
  | 'Firefox'
  | 'perf'
  | 'flamegraph.pl'
  | 'go'
  | 'callgrind_annotate'
  | 'parallel'
  | 'slurm'
  | (typeof EMULATING)[number][0]
  | 'libc6-dev';

/** Paths of the programs that were found. */
export type FoundPrograms = Readonly<Partial<Record<ProgramName, string>>>;

export interface Program {
  readonly name: ProgramName;
  readonly why: string;
  /** Packages in Debian or Ubuntu: the first one that can be installed is. */
  readonly packages: readonly string[];
  /** Another way to get it, as part of a sentence. */
  readonly otherwise: string;
  /** Its path; undefined if it is missing or does not run. */
  readonly find: () => string | undefined;
}

/** Brendan Gregg's script, as packaged by Debian. */
const FLAMEGRAPH = '/usr/share/perl5/Devel/NYTProf/flamegraph.pl';
/** One directory per kernel, each with a perf. */
const UBUNTU_TOOLS = '/usr/lib/linux-tools';

export const PROGRAMS: readonly Program[] = [
  {
    name: 'Chromium',
    why: 'opens pages and pictures',
    packages: ['chromium-headless-shell', 'chromium'],
    otherwise: 'any Chromium or Chrome serves; the variable CHROMIUM names one',
    find: findChromiumForTests,
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

/** Found if they are there; nobody has to install them. */
export const OPTIONAL: readonly Program[] = [
  {
    name: 'Firefox',
    why: 'opens pages, too',
    packages: ['firefox-esr', 'firefox'],
    otherwise: 'the variable FIREFOX names one',
    find: findFirefox,
  },
];

/** Tools that read what ptflame writes, but are too large for every run of the tests. */
export const CONSUMERS: readonly Program[] = [
  {
    name: 'go',
    why: 'reads files for pprof',
    packages: ['golang-go'],
    otherwise: 'any Go on the PATH serves',
    find: () => onPath('go', ['version'], /^go version/),
  },
  {
    name: 'callgrind_annotate',
    why: 'reads callgrind files',
    packages: ['valgrind'],
    otherwise: 'any on the PATH serves',
    find: () => onPath('callgrind_annotate', ['--version'], /^callgrind_annotate-/),
  },
  {
    name: 'parallel',
    why: 'runs a recipe',
    packages: ['parallel'],
    otherwise: 'GNU parallel, not that of moreutils',
    find: () => onPath('parallel', ['--version'], /^GNU parallel/),
  },
  {
    name: 'slurm',
    why: 'runs recipes on a cluster of this machine alone, as root',
    packages: ['slurm-wlm'],
    otherwise: 'slurmctld, slurmd and sbatch on the PATH',
    find: () => (onPath('slurmctld', ['-V'], /^slurm/) && onPath('slurmd', ['-V'], /^slurm/) ? 'sbatch' : undefined),
  },
];

/** All that test/tools/qemupt runs; it knows one QEMU from inside. */
const EMULATING = [
  ['QEMU 7.2 of Debian 12', 'qemu-system-x86', 'qemu-system-x86_64', '--version', /version 7\.2\./],
  ['busybox', 'busybox-static', 'busybox', '--help', /^BusyBox/],
  ['cpio', 'cpio', 'cpio', '--version', /^cpio/],
  ['gcc', 'gcc', 'gcc', '--version', /^gcc/],
  ['python3', 'python3', 'python3', '--version', /^Python 3/],
] as const;

const FOR_EMULATING: readonly Program[] = EMULATING.map(([name, from, command, option, expected]) => ({
  name,
  why: 'serves to record a kernel',
  packages: [from],
  otherwise: 'any on the PATH serves',
  find: () => onPath(command, [option], expected),
}));

/** gcc only recommends it. */
const HEADERS: Program = {
  name: 'libc6-dev',
  why: 'serves to compile what records a kernel',
  packages: ['libc6-dev'],
  otherwise: 'it comes with the C library',
  find: () => ['/usr/include/stdio.h'].find(existsSync),
};

export const EMULATOR: readonly Program[] = isDebian12() ? [...FOR_EMULATING, HEADERS] : [];

function isDebian12(): boolean {
  const path = '/etc/os-release';
  return existsSync(path) && /^PRETTY_NAME="Debian GNU\/Linux 12 /m.test(readFileSync(path, 'utf8'));
}

export function findPrograms(programs: readonly Program[]): FoundPrograms {
  return Object.fromEntries(programs.map(({ name, find }) => [name, find()]).filter(([, path]) => path !== undefined));
}

export function missingFrom(found: FoundPrograms, programs: readonly Program[]): readonly Program[] {
  return programs.filter(({ name }) => found[name] === undefined);
}

/** Returns the name of a program on the PATH that prints this; undefined: it does not. */
function onPath(name: string, args: readonly string[], expected: RegExp): string | undefined {
  return prints(name, args, expected) ? name : undefined;
}

function prints(program: string, args: readonly string[], expected: RegExp): boolean {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 });
  return expected.test(`${stdout}${stderr}`);
}

/** Not in a script that only explains how to install one. */
function findFirefox(): string | undefined {
  const { FIREFOX, PATH = '' } = process.env;
  const folders = PATH.split(delimiter);
  const paths = FIREFOX ? [FIREFOX] : ['firefox', 'firefox-esr'].flatMap((name) => folders.map((at) => join(at, name)));
  return paths.find((path) => existsSync(path) && prints(path, ['--version'], /^Mozilla Firefox /m));
}

/** Ubuntu's `perf` refuses to run on other kernels, as in a container; the program that it wraps decodes nevertheless. */
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
