/**
 * Positional arguments that several commands share.
 */
import type { Argument } from '../usage/command.js';

const TEXT = 'text of perf script, also compressed (.gz); - is standard input; several make up one trace';
/** Inputs that contain single calls. */
export const TRACES: Argument = {
  property: 'inputs',
  placeholder: 'INPUT',
  description: `a recording (perf.data), a pack, an imported trace (.ptf), or ${TEXT}`,
  short: 'a recording, a pack, an imported trace (.ptf) or text of perf script',
  isMany: true,
  isFile: true,
};
export const INPUTS: Argument = {
  ...TRACES,
  description: `a recording (perf.data), a pack, an imported trace (.ptf), a JSON profile, or ${TEXT}`,
  short: 'a recording, a pack, a trace (.ptf), a profile (.json) or text of perf script',
};
