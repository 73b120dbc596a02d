/**
 * Runs before the tests of test/consumers: finds or installs the tools that read what ptflame writes.
 */
import type { TestProject } from 'vitest/node';
import { provide } from './global-setup.js';
import { CONSUMERS, PROGRAMS } from './programs.js';

export default function setup(project: TestProject): void {
  provide([...PROGRAMS, ...CONSUMERS], project);
}
