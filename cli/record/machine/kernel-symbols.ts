/**
 * Reads which functions the kernel has, and where.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PATH = 'proc/kallsyms';
const HEAD_BYTES = 64;

/** Whether addresses are in it: for users without permission, all are zero (kernel.kptr_restrict). null: there is none. */
export async function kallsymsState(root: string): Promise<'readable' | 'hidden' | null> {
  const file = await open(join(root, PATH)).catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return /^f{4}[0-9a-f]{12} /.test(buffer.toString('latin1', 0, bytesRead)) ? 'readable' : 'hidden';
  } catch {
    return 'hidden';
  } finally {
    await file.close();
  }
}

/** Returns a line like "kernel ffffffff81441700 d3 futex_wait" for each wanted function: address, size, name. */
export async function kernelNotes(root: string, isWanted: (name: string) => boolean): Promise<string> {
  const text = await readFile(join(root, PATH), 'latin1').catch(() => '');
  const functions = Array.from(text.matchAll(FUNCTION), ([, address, name]) => {
    return { at: BigInt(`0x${address}`), address: address as string, name: name as string };
  }).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const lines = functions.map(({ at, address, name }, row) => {
    if (!isWanted(name)) return '';
    const next = functions.slice(row + 1, row + MAX_ALIASES).find((other) => other.at > at)?.at ?? at;
    const size = next - at < MAX_BYTES ? next - at : MAX_BYTES;
    return size === 0n ? '' : `kernel ${address} ${size.toString(16)} ${name}\n`;
  });
  return lines.join('');
}

/** Lines of functions, of modules, too: "ffffffffc0a01000 t ext4_sync_file	[ext4]". */
const FUNCTION = /^(f{4}[0-9a-f]{12}) [tTwW] ([\w.$]+)/gm;
/** Functions at one address. */
const MAX_ALIASES = 64;
/** A function is no larger: behind the last one of a module is other memory. */
const MAX_BYTES = 65_536n;
