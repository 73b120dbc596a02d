/**
 * A profile in, what would give its nameless functions their names out: which files lack symbols, and where those are to be had.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Profile, SymbolKind } from '../../src/index.js';
import { readElf } from '../../src/recordings.js';
import { formatShare } from '../../src/text.js';

/** Less of the time in code is not worth a word. */
const NOTABLE_SHARE = 0.05;
const MOST_FILES = 3;

/** Where a system keeps what is asked for; other places for tests. */
export interface DebugPlaces {
  readonly dpkgInfo: string;
  readonly osRelease: string;
}
const PLACES: DebugPlaces = { dpkgInfo: '/var/lib/dpkg/info', osRelease: '/etc/os-release' };

/** One line, and one for each file that matters; none if nearly all time in code has names. Texts are not escaped. */
export async function debugSymbolNotes(profile: Profile, places: DebugPlaces = PLACES): Promise<string[]> {
  if (profile.meta.weight !== 'ns') return [];
  const { codeNs, namelessNs, byFile } = namelessTime(profile);
  if (namelessNs === 0 || namelessNs < NOTABLE_SHARE * codeNs) return [];
  const largest = [...byFile].sort(([a, aNs], [b, bNs]) => bNs - aNs || ((a ?? '') < (b ?? '') ? -1 : 1));
  const notable = largest.filter(([, ns]) => ns >= NOTABLE_SHARE * namelessNs).slice(0, MOST_FILES);
  const isHere = profile.meta.recorded === null || profile.meta.recorded.host === hostname();
  const lines = notable.map(async ([file, ns]) => {
    const remedy = file === null ? remedyWithoutFile(profile) : await remedyFor(file, isHere, places);
    return `  ${formatShare(ns, codeNs)} in ${file ?? 'code of no known file'}${remedy}`;
  });
  return [
    `${formatShare(namelessNs, codeNs)} of the time in code is in functions without a symbol`,
    ...(await Promise.all(lines)),
  ];
}

function namelessTime({ symbols, threads, together }: Profile) {
  const byFile = new Map<string | null, number>();
  let codeNs = 0;
  let namelessNs = 0;
  for (const { length, symbol, selfNs } of together ? [together] : threads.map(({ tree }) => tree))
    for (let node = 1; node < length; node++) {
      const row = symbol[node];
      const ns = selfNs[node];
      if (symbols.kind[row] === SymbolKind.Synthetic) continue;
      codeNs += ns;
      if (symbols.kind[row] !== SymbolKind.Unknown) continue;
      namelessNs += ns;
      const file = symbols.dsoName[symbols.dso[row]] ?? null;
      byFile.set(file, (byFile.get(file) ?? 0) + ns);
    }
  return { codeNs, namelessNs, byFile };
}

function remedyWithoutFile({ meta }: Profile): string {
  return meta.recorded === null
    ? ': -F +dso and --show-mmap-events in perf script tell the file; of code made at run time there is none'
    : ': it was made at run time, or is unmapped; perf inject --jit may know it';
}

/** What is on this machine says nothing of a file of another one. */
async function remedyFor(file: string, isHere: boolean, places: DebugPlaces): Promise<string> {
  const buildId = isHere && file.startsWith('/') ? ((await readElf(file))?.buildId ?? null) : null;
  const owner = isHere ? packageOf(file, places.dpkgInfo) : null;
  const ways = [
    ...(owner === null ? [] : [`apt install ${debugPackage(owner)}`]),
    ...(buildId === null ? [] : [`perf buildid-cache --add "$(debuginfod-find debuginfo ${buildId})"`]),
  ];
  if (ways.length === 0) return isHere ? '' : ': its debug symbols, on the machine that recorded it, would name them';
  const server = buildId === null ? '' : ` (DEBUGINFOD_URLS=${debuginfodServer(places.osRelease)})`;
  return `: ${ways.join(', or ')}${server}`;
}

/** Of Debian and what is made of it; null: none, or it is another system. Lists say /lib for what lies in /usr/lib. */
function packageOf(file: string, dpkgInfo: string): string | null {
  const lines = [file, file.replace(/^\/usr/, '')].map((path) => `\n${path}\n`);
  try {
    for (const list of readdirSync(dpkgInfo).filter((name) => name.endsWith('.list'))) {
      const text = `\n${readFileSync(join(dpkgInfo, list), 'latin1')}`;
      if (lines.some((line) => text.includes(line))) return list.slice(0, -'.list'.length).replace(/:.*/, '');
    }
  } catch {
    // another system, or it may not be read
  }
  return null;
}

function debugPackage(name: string): string {
  return name === 'libc6' ? 'libc6-dbg' : `${name}-dbgsym`;
}

const SERVERS: Readonly<Record<string, string>> = {
  debian: 'https://debuginfod.debian.net',
  ubuntu: 'https://debuginfod.ubuntu.com',
  fedora: 'https://debuginfod.fedoraproject.org',
  arch: 'https://debuginfod.archlinux.org',
};
const ANY_SERVER = 'https://debuginfod.elfutils.org';

function debuginfodServer(osRelease: string): string {
  try {
    const id = /^ID="?([a-z]+)/m.exec(readFileSync(osRelease, 'utf8'))?.[1] ?? '';
    return SERVERS[id] ?? ANY_SERVER;
  } catch {
    return ANY_SERVER;
  }
}
