/**
 * Names a recording by what was recorded, where and when: as a title and as a file name.
 */
import type { TraceMeta } from '../../model/profile/profile.js';
import { visibleText } from '../visible-text.js';
import { isolated } from './isolated.js';
import { truncate } from './labels.js';

/** The parts of a profile that name it. */
export interface ProfileIdentity {
  readonly meta: Pick<TraceMeta, 'recorded'>;
  readonly threads: readonly { readonly tid: number; readonly pid: number | null; readonly comm: string | null }[];
}

const MAX_NAME_WIDTH = 40;

/** Returns "mysqld on db1, 2026-11-21 14:03 UTC"; null if nothing is known. */
export function recordingTitle(named: ProfileIdentity): string | null {
  const { program, host, startedAt } = identityOf(named);
  const show = (text: string) => isolated(truncate(visibleText(text), MAX_NAME_WIDTH));
  const words = [...(program ? [show(program)] : []), ...(host ? [`on ${show(host)}`] : [])].join(' ');
  const when = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(startedAt ?? '');
  return [words, ...(when ? [`${when[1]} ${when[2]} UTC`] : [])].filter(Boolean).join(', ') || null;
}

const KIND = 'Wall-clock flame graph';

export interface Titles {
  /** Shown above the flame graph. */
  readonly title: string;
  /** Title of the window or the document. */
  readonly windowTitle: string;
}

/** Returns the titles of a report or SVG. `given`: by the user; undefined: the name of the recording, if known. */
export function titlesOf(named: ProfileIdentity, given: string | undefined): Titles {
  const name = recordingTitle(named);
  const title = given ?? name ?? KIND;
  return { title, windowTitle: title === name ? `${name} – ${KIND.toLowerCase()}` : title };
}

/** Device names reserved by Windows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns "mysqld-db1-2026-11-21T14-03-05": only letters, digits, "-", "_" and ".", without an extension. */
export function recordingFileName(named: ProfileIdentity): string {
  const { program, host, startedAt } = identityOf(named);
  const parts = [program, host, startedAt?.replace(/\..*|Z$/, '')].map((part) => (part ? fileWord(part) : ''));
  const name = parts.filter(Boolean).join('-');
  return name === '' || DEVICE.test(name) ? `flame${name && `-${name}`}` : name;
}

function fileWord(text: string): string {
  const safe = text.normalize('NFC').replace(/[^\p{L}\p{N}._]+/gu, '-');
  return [...safe]
    .slice(0, MAX_NAME_WIDTH)
    .join('')
    .replace(/^[.-]+|[.-]+$/g, '');
}

function identityOf({ meta: { recorded }, threads }: ProfileIdentity) {
  const { command = null, host = null, startedAt = null } = recorded ?? {};
  const main = threads.find(({ tid, pid, comm }) => tid === pid && comm !== null) ?? threads.find(({ comm }) => comm);
  return { program: tracedProgram(command ?? []) ?? main?.comm ?? null, host, startedAt };
}

/** Returns the program after "--" in perf's command line; null without "--", as any word could be the program. */
function tracedProgram(command: readonly string[]): string | null {
  const at = command.indexOf('--');
  const path = at === -1 ? undefined : command[at + 1];
  return path?.split('/').findLast((part) => part !== '') ?? null;
}
