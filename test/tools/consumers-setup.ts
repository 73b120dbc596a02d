/**
 * Runs before the tests of test/consumers and test/emulated: finds or installs the tools that read what ptflame writes, and
 * the emulator.
 */
import type { TestProject } from 'vitest/node';
import { provide } from './global-setup.js';
import { CONSUMERS, EMULATOR, PROGRAMS } from './programs.js';

export default function setup(project: TestProject): void {
  provide([...PROGRAMS, ...CONSUMERS, ...EMULATOR], project);
}
