/**
 * What all parts of a running recording share.
 */

import type { Timeouts } from './await-end.js';
import type { Machine } from './machine/probe.js';
import type { PerfVersion } from './machine/version.js';

export interface RecordingContext {
  readonly machine: Machine;
  readonly version: PerfVersion;
  /** Shows the user a line. */
  readonly notify: (text: string) => void;
  readonly timeouts?: Timeouts;
  /** No status line. */
  readonly quiet?: boolean;
}
