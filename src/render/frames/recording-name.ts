/**
 * What was recorded, where and when: as a title, and as the name of a file.
 */
import type { TraceMeta } from '../../model/profile/profile.js';
import { visibleText } from '../visible-text.js';
import { isolated } from './isolated.js';
import { truncate } from './labels.js';

/** As much of a profile as names it. */
export interface ProfileIdentity {
  readonly meta: Pick<TraceMeta, 'recorded'>;
  readonly threads: readonly { readonly tid: number; readonly pid: number | null; readonly comm: string | null }[];
}

const MAX_NAME_WIDTH = 40;

/** "mysqld on db1, 2026-11-21 14:03 UTC"; null: nothing is known. */
export function recordingTitle(named: ProfileIdentity): string | null {
  const { program, host, startedAt } = identityOf(named);
  const show = (text: string) => isolated(truncate(visibleText(text), MAX_NAME_WIDTH));
  const words = [...(program ? [show(program)] : []), ...(host ? [`on ${show(host)}`] : [])].join(' ');
  const when = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(startedAt ?? '');
  return [words, ...(when ? [`${when[1]} ${when[2]} UTC`] : [])].filter(Boolean).join(', ') || null;
}

const KIND = 'Wall-clock flame graph';

export interface Titles {
  /** Above the picture. */
  readonly title: string;
  /** Of the window or the document. */
  readonly windowTitle: string;
}

/** Of a report or a picture. `given`: by the user; undefined: what was recorded, where and when, as far as that is known. */
export function titlesOf(named: ProfileIdentity, given: string | undefined): Titles {
  const name = recordingTitle(named);
  const title = given ?? name ?? KIND;
  return { title, windowTitle: title === name ? `${name} – ${KIND.toLowerCase()}` : title };
}

/** Names that Windows keeps for devices. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** "mysqld-db1-2026-11-21T14-03-05": letters, digits, "-", "_" and "." that no file system minds; without an ending. */
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

/** Of perf's command line, what it was to run: behind "--"; of anything else nobody knows which word it is. */
function tracedProgram(command: readonly string[]): string | null {
  const at = command.indexOf('--');
  const path = at === -1 ? undefined : command[at + 1];
  return path?.split('/').findLast((part) => part !== '') ?? null;
}
