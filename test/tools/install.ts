/**
 * Installs missing programs on Debian and Ubuntu, if permitted.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Program } from './programs.js';

const APT = '/usr/bin/apt-get';

/** Only root can install; other users see what to install. */
export function mayInstall(): boolean {
  return process.getuid?.() === 0 && existsSync(APT);
}

/** apt reports its own failures. Then the next package is tried; after the last, the program is still missing. */
export function install(programs: readonly Program[]): void {
  process.stdout.write(`Tests need ${programs.map(({ name }) => name).join(', ')}: installing with apt-get.\n`);
  if (!apt(['update'])) return;
  for (const { packages } of programs) {
    packages.filter(isInstallable).some((known) => apt(['install', '-y', '--no-install-recommends', known]));
  }
}

function apt(args: readonly string[]): boolean {
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync(APT, ['-q', ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] });
    return true;
  } catch {
    return false;
  }
}

function isInstallable(name: string): boolean {
  try {
    const policy = execFileSync('/usr/bin/apt-cache', ['policy', name], { env: { ...process.env, LC_ALL: 'C' } });
    return /Candidate: (?!\(none\))/.test(String(policy));
  } catch {
    return false;
  }
}
