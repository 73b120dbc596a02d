import type { Opened } from './open.js';
export async function openDroppedRecording(..._: unknown[]): Promise<Omit<Opened, 'name' | 'profile'>> {
  throw new Error('not yet');
}
export async function openPack(..._: unknown[]): Promise<Omit<Opened, 'name' | 'profile'>> {
  throw new Error('not yet');
}
