/**
 * Loaded into ptflame before anything else (`--require`), in each of its threads: counts what it asks of the system, and lets one
 * request fail. PTFLAME_FAULT says which: `{ "thread": "main" | "worker", "at": 12, "error": "EIO" }`. With PTFLAME_FAULT_COUNT,
 * a directory, each thread leaves a file there, as `worker-2`, that holds how many requests it made.
 */

const fs = process.getBuiltinModule('node:fs');
const threads = process.getBuiltinModule('node:worker_threads');

type AnyFunction = (...args: unknown[]) => unknown;

const { PTFLAME_FAULT = 'null', PTFLAME_FAULT_COUNT } = process.env;
const fault = JSON.parse(PTFLAME_FAULT) as { thread: string; at: number; error: string } | null;
const thread = threads.isMainThread ? 'main' : 'worker';
/** Smaller ones are Node's own, and too many. */
const LEAST_COUNTED_BYTES = 4096;
let requests = 0;

let isCounting = false;

/** Whether this request is the one that fails. */
function fails(): boolean {
  if (isCounting) return false;
  const at = requests++;
  if (PTFLAME_FAULT_COUNT) tell(`${PTFLAME_FAULT_COUNT}/${thread}-${threads.threadId}`);
  return at === fault?.at && thread === fault.thread;
}

/** Each time, as a thread that is ended cannot tell it at its end. */
function tell(path: string): void {
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

const opened = fs.promises.open('/dev/null'); // before requests are counted

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

/** `new Float64Array(1000)`, and what others make of memory. */
function patchAllocation(owner: Record<string, unknown>, name: string, bytesOf: (args: unknown[]) => number): void {
  const original = owner[name] as new (...args: unknown[]) => object;
  owner[name] = new Proxy(original, {
    construct(target, args, newTarget) {
      if (bytesOf(args) >= LEAST_COUNTED_BYTES && fails()) throw new RangeError('Array buffer allocation failed');
      return Reflect.construct(target, args, newTarget);
    },
  });
}

const sized = (bytes: number) => (args: unknown[]) => (typeof args[0] === 'number' ? args[0] * bytes : 0);
const globals = globalThis as unknown as Record<string, unknown>;
for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'Uint8Array']) patchAllocation(globals, name, sized(1));
for (const name of ['Int32Array', 'Uint32Array', 'Float32Array']) patchAllocation(globals, name, sized(4));
for (const name of ['Float64Array', 'BigInt64Array', 'BigUint64Array']) patchAllocation(globals, name, sized(8));
patchAllocation(globals['WebAssembly'] as Record<string, unknown>, 'Memory', () => LEAST_COUNTED_BYTES);
