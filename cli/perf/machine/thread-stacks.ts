/**
 * Reads in which functions of the kernel threads are blocked that wait already when a recording begins: nothing in it says so.
 */
import { readdir, readFile } from 'node:fs/promises';

/** Threads that waited, with their stacks and how often they had been switched. */
export type BlockedThreads = ReadonlyMap<
  number,
  { readonly pid: string; readonly stack: string; readonly switches: string }
>;

/** `pids`: all threads of these processes. Only root may read stacks: others get none. */
export async function blockedThreads(pids: readonly number[], tids: readonly number[]): Promise<BlockedThreads> {
  const all = [...(await Promise.all(pids.map(threadsOf))).flat(), ...tids];
  const found = await Promise.all(
    all.map(async (tid) => {
      const [status, stack] = [await readThread(tid, 'status'), stackOf(await readThread(tid, 'stack'))];
      const [pid, switches] = [/^Tgid:\s*(\d+)$/m.exec(status)?.[1], switchesIn(status)];
      const isBlocked = /^State:\s+[SD]/m.test(status) && switches === switchesIn(await readThread(tid, 'status'));
      return isBlocked && stack !== '' && pid !== undefined ? [[tid, { pid, stack, switches }] as const] : [];
    }),
  );
  return new Map(found.flat());
}

/** Returns a line like "blocked PID TID do_sys_poll;schedule" for each thread that has not run since. */
export async function stillBlocked(threads: BlockedThreads): Promise<string> {
  const lines = Array.from(threads, async ([tid, { pid, stack, switches }]) =>
    switchesIn(await readThread(tid, 'status')) === switches ? `blocked ${pid} ${tid} ${stack}\n` : '',
  );
  return (await Promise.all(lines)).join('');
}

async function threadsOf(pid: number): Promise<number[]> {
  return (await readdir(`/proc/${pid}/task`).catch(() => [])).map(Number);
}

function readThread(tid: number, file: string): Promise<string> {
  return readFile(`/proc/${tid}/${file}`, 'latin1').catch(() => '');
}

function switchesIn(status: string): string {
  return (status.match(/^(non)?voluntary_ctxt_switches:\s*\d+$/gm) ?? []).join();
}

const MAX_FUNCTIONS = 64;

/** From lines like "[<0>] do_sys_poll+0x4a2/0x5f0", the innermost first. */
function stackOf(text: string): string {
  const names = Array.from(text.matchAll(/^\[<\w+>\] ([\w.$]+)\+/gm), ([, name]) => name as string);
  return names.slice(0, MAX_FUNCTIONS).reverse().join(';');
}
