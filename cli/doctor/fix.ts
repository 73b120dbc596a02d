/**
 * Removes what killed recordings left behind.
 */
import { PtflameError, systemReason } from '../../src/model/errors.js';
import type { Tracing } from '../record/machine/tracing.js';
import { removeUprobes } from '../record/machine/uprobes.js';

/** @throws PtflameError NO_PERMISSION */
export function removeLeftovers({ directory, leftovers }: Tracing, notify: (text: string) => void): void {
  for (const group of leftovers) {
    try {
      removeUprobes(directory ?? '', group);
      notify(`removed the probes of ${group}`);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY')
        throw new PtflameError('NO_PERMISSION', `cannot remove the probes of ${group}: ${systemReason(error)}`, {
          hint: 'sudo ptflame doctor --fix',
          cause: error,
        });
      notify(`the probes of ${group} are still recorded: find the perf that does, pgrep -a perf, and end it`);
    }
  }
}
