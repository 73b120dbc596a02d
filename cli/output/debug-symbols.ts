/**
 * Finds code without symbols in a profile, and what helps: for binaries, where their debug symbols can be installed from.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Profile } from '../../src/model/profile/profile.js';
import { GENERATED_REMEDY, missingFiles } from '../../src/model/profile/profile.js';
import { homeOfCode, SymbolKind } from '../../src/model/symbol-table.js';
import { readElf } from '../../src/perfdata/pack/needed-files.js';
import { formatShare } from '../../src/render/format.js';

/** Smaller shares of the time in code are not reported. */
const MIN_SHARE = 0.05;
const MAX_FILES = 3;

/** Paths of system files; tests use others. */
export interface SystemPaths {
  readonly dpkgInfo: string;
  readonly osRelease: string;
}
const SYSTEM: SystemPaths = { dpkgInfo: '/var/lib/dpkg/info', osRelease: '/etc/os-release' };

/** Returns one line, and one per notable binary, and code outside them; nothing if nearly all time in code has symbols. Not escaped. */
export async function debugSymbolNotes(profile: Profile, system: SystemPaths = SYSTEM): Promise<string[]> {
  if (profile.meta.weight !== 'ns') return [];
  const { codeNs, namelessNs, byFile } = namelessTime(profile);
  if (namelessNs === 0 || namelessNs < MIN_SHARE * codeNs) return [];
  const largest = [...byFile].sort(([a, aNs], [b, bNs]) => bNs - aNs || ((a ?? '') < (b ?? '') ? -1 : 1));
  const notable = largest.filter(([, ns]) => ns >= MIN_SHARE * namelessNs).slice(0, MAX_FILES);
  const isRecordedHere = profile.meta.recorded === null || profile.meta.recorded.host === hostname();
  const missing = new Set(missingFiles(profile.quality.losses)?.files.map(({ file }) => file));
  const remedyOf = (file: string) =>
    missing.has(file) ? ': the file itself is missing, or another build' : remedyFor(file, isRecordedHere, system);
  const lines = notable.map(async ([file, ns]) => {
    const where = file === null ? placeWithoutFile(profile) : `in ${file}${await remedyOf(file)}`;
    return `  ${formatShare(ns, codeNs)} ${where}`;
  });
  return [
    `${formatShare(namelessNs, codeNs)} of the time in code is in functions without a symbol`,
    ...(await Promise.all(lines)),
  ];
}

/** Time by file; null: in none, or the file is not known. */
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
      const printed = symbols.dsoName[symbols.dso[row]] ?? null;
      const file = OUTSIDE.includes(homeOfCode(printed)) ? null : printed;
      byFile.set(file, (byFile.get(file) ?? 0) + ns);
    }
  return { codeNs, namelessNs, byFile };
}

const OUTSIDE: readonly string[] = ['generated', 'unmapped'] satisfies ReturnType<typeof homeOfCode>[];

/** Text knows files only if perf printed them. */
function placeWithoutFile({ meta, symbols }: Profile): string {
  return meta.recorded !== null || symbols.dsoName.length > 0
    ? `outside every file, most likely ${GENERATED_REMEDY}`
    : 'in files that are not known: perf script -F +dso --show-mmap-events shows them; code of a JIT compiler has none';
}

const KALLSYMS = 'pass --kallsyms a copy of /proc/kallsyms, made by root on the machine that recorded it';

/** Returns nothing if nothing helps. Looks up packages and build ids only if the trace was recorded on this machine. */
async function remedyFor(file: string, isRecordedHere: boolean, system: SystemPaths): Promise<string> {
  if (homeOfCode(file) === 'kernel') return `: ${KALLSYMS}`;
  if (!file.startsWith('/')) return '';
  const buildId = isRecordedHere ? ((await readElf(file))?.buildId ?? null) : null;
  const owner = isRecordedHere ? debianPackage(file, system.dpkgInfo) : null;
  const ways = [
    ...(owner === null ? [] : [`apt install ${debugPackage(owner)}`]),
    ...(buildId === null ? [] : [`perf buildid-cache --add "$(debuginfod-find debuginfo ${buildId})"`]),
  ];
  if (ways.length === 0) return isRecordedHere ? '' : ': install its debug symbols on the machine that recorded it';
  const server = buildId === null ? '' : ` (DEBUGINFOD_URLS=${debuginfodServer(system.osRelease)})`;
  return `: ${ways.join(', or ')}${server}`;
}

/** Returns the Debian package of a file; null: none, or not a Debian system. Lists have /lib for files in /usr/lib. */
function debianPackage(file: string, dpkgInfo: string): string | null {
  const lines = [file, file.replace(/^\/usr/, '')].map((path) => `\n${path}\n`);
  try {
    for (const list of readdirSync(dpkgInfo).filter((name) => name.endsWith('.list'))) {
      const text = `\n${readFileSync(join(dpkgInfo, list), 'latin1')}`;
      if (lines.some((line) => text.includes(line))) return list.slice(0, -'.list'.length).replace(/:.*/, '');
    }
  } catch {
    // not a Debian system, or unreadable
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
const DEFAULT_SERVER = 'https://debuginfod.elfutils.org';

function debuginfodServer(osRelease: string): string {
  try {
    const id = /^ID="?([a-z]+)/m.exec(readFileSync(osRelease, 'utf8'))?.[1] ?? '';
    return SERVERS[id] ?? DEFAULT_SERVER;
  } catch {
    return DEFAULT_SERVER;
  }
}
