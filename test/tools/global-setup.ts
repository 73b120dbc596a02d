/**
 * Runs before all tests: finds the programs that they need, installs missing ones if permitted, and lists what is still
 * missing. Tests that need it are skipped (`needs`).
 */
import type { TestProject } from 'vitest/node';
import { install, mayInstall } from './install.js';
import { type FoundPrograms, findPrograms, missingFrom, OPTIONAL, PROGRAMS, type Program } from './programs.js';

declare module 'vitest' {
  export interface ProvidedContext {
    programs: FoundPrograms;
  }
}

export default function setup(project: TestProject): void {
  provide(PROGRAMS, project);
}

/** Also for the tests of test/consumers. */
export function provide(programs: readonly Program[], project: TestProject): void {
  let found = findPrograms(programs);
  const missing = missingFrom(found, programs);
  if (missing.length > 0 && mayInstall()) {
    install(missing);
    found = findPrograms(programs);
  }
  const stillMissing = missingFrom(found, programs);
  if (stillMissing.length > 0) process.stderr.write(`\n${messageOf(stillMissing)}\n\n`);
  project.provide('programs', { ...found, ...findPrograms(OPTIONAL) });
}

function messageOf(missing: readonly Program[]): string {
  const packages = missing.map(({ packages: [first] }) => first).join(' ');
  return [
    'Some tests are skipped, because programs that they need are missing:',
    ...missing.map(({ name, why, otherwise }) => `  ${name}, which ${why} (${otherwise})`),
    `On Debian: apt-get install ${packages}`,
  ].join('\n');
}
