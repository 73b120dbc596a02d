/**
 * Loaded into each thread of ptflame before anything else (`--require`): counts its requests to the system and makes
 * one of them fail. PTFLAME_FAULT selects it: `{ "thread": "main" | "worker", "at": 12, "error": "EIO" }`. If
 * PTFLAME_FAULT_COUNT names a directory, each thread writes the number of its requests to a file there (`worker-2`).
 */

const fs = process.getBuiltinModule('node:fs');
const threads = process.getBuiltinModule('node:worker_threads');

type AnyFunction = (...args: unknown[]) => unknown;

const { PTFLAME_FAULT = 'null', PTFLAME_FAULT_COUNT } = process.env;
const fault = JSON.parse(PTFLAME_FAULT) as { thread: string; at: number; error: string } | null;
const thread = threads.isMainThread ? 'main' : 'worker';
/** Smaller allocations are Node's own, and too many. */
const MIN_COUNTED_BYTES = 4096;
let requests = 0;

let isCounting = false;

/** Counts a request; returns whether it must fail. */
function fails(): boolean {
  if (isCounting) return false;
  const at = requests++;
  if (PTFLAME_FAULT_COUNT) writeCount(`${PTFLAME_FAULT_COUNT}/${thread}-${threads.threadId}`);
  return at === fault?.at && thread === fault.thread;
}

/** Runs at each request: a terminated thread cannot write at its end. */
function writeCount(path: string): void {
  isCounting = true;
  fs.writeFileSync(path, String(requests));
  isCounting = false;
}

function errorOf(syscall: string): Error {
  const code = fault?.error ?? 'EIO';
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall, errno: -5 });
}

function patchSync(name: string): void {
  const owner = fs as unknown as Record<string, AnyFunction>;
  const original = owner[name] as AnyFunction;
  owner[name] = (...args) => {
    if (fails()) throw errorOf(name.replace('Sync', ''));
    return original(...args);
  };
}

function patchCallback(name: string): void {
  const owner = fs as unknown as Record<string, AnyFunction>;
  const original = owner[name] as AnyFunction;
  owner[name] = (...args) => {
    const callback = args.at(-1) as (error: Error) => void;
    if (fails()) return void process.nextTick(() => callback(errorOf(name)));
    return original(...args);
  };
}

function patchPromise(owner: Record<string, AnyFunction>, name: string): void {
  const original = owner[name] as AnyFunction;
  owner[name] = function (this: unknown, ...args: unknown[]) {
    if (fails()) return Promise.reject(errorOf(name));
    return original.apply(this, args);
  };
}

const opened = fs.promises.open('/dev/null'); // before counting begins

for (const name of ['openSync', 'readSync', 'writeSync', 'fstatSync']) patchSync(name);
for (const name of ['open', 'read', 'write', 'writev']) patchCallback(name);
const promises = fs.promises as unknown as Record<string, AnyFunction>;
for (const name of ['open', 'stat', 'rename', 'realpath', 'mkdir']) patchPromise(promises, name);
void opened.then(async (handle) => {
  const prototype = Object.getPrototypeOf(handle) as Record<string, AnyFunction>;
  for (const name of ['read', 'write', 'stat', 'sync', 'chmod', 'chown']) patchPromise(prototype, name);
  await handle.close();
});
process.getBuiltinModule('node:module').syncBuiltinESMExports();

/** Patches `new Float64Array(1000)` and other constructors that allocate memory. */
function patchAllocation(owner: Record<string, unknown>, name: string, bytesOf: (args: unknown[]) => number): void {
  const original = owner[name] as new (...args: unknown[]) => object;
  owner[name] = new Proxy(original, {
    construct(target, args, newTarget) {
      if (bytesOf(args) >= MIN_COUNTED_BYTES && fails()) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(target, args, newTarget);
    },
  });
}

const sized = (bytes: number) => (args: unknown[]) => (typeof args[0] === 'number' ? args[0] * bytes : 0);
const globals = globalThis as unknown as Record<string, unknown>;
for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'Uint8Array']) patchAllocation(globals, name, sized(1));
for (const name of ['Int32Array', 'Uint32Array', 'Float32Array']) patchAllocation(globals, name, sized(4));
for (const name of ['Float64Array', 'BigInt64Array', 'BigUint64Array']) patchAllocation(globals, name, sized(8));
patchAllocation(globals['WebAssembly'] as Record<string, unknown>, 'Memory', () => MIN_COUNTED_BYTES);
