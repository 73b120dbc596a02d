/**
 * Names a thread for tools that have one name for each. Perfetto's is in `perfetto/tracks.ts`.
 */
import type { ThreadProfile } from '../model/profile/profile.js';
import { visibleText } from '../render/visible-text.js';

/** "mysqld/101", or "thread/101" if its name is unknown. */
export function threadName({ tid, comm }: Pick<ThreadProfile, 'tid' | 'comm'>): string {
  return `${visibleText(comm ?? 'thread')}/${tid}`;
}
