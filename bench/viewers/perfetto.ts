/**
 * The page that loads a trace into Perfetto's trace processor, as Perfetto's own does: in a worker, in pieces of 32 MiB.
 */

const PIECE_BYTES = 32 * 1024 * 1024;

/** `engine`: the folder of the processor. `trace`: the address of the trace. */
export function perfettoPage(engine: string, trace: string): string {
  return `<!doctype html>
<title>trace processor</title>
<script type="module">
globalThis.process = { env: { NODE_ENV: 'production' } };
const { EngineBase } = await import('${engine}/engine.mjs');
class Engine extends EngineBase {
  mode = 'WASM';
  id = 'bench';
  constructor(port) {
    super();
    this.port = port;
    port.onmessage = ({ data }) => this.onRpcResponseBytes(data);
  }
  rpcSendRequestBytes(bytes) {
    this.port.postMessage(bytes);
  }
}
const { port1, port2 } = new MessageChannel();
new Worker('${engine}/engine_bundle.node.js').postMessage(port1, [port1]);
const engine = new Engine(port2);
const bytes = new Uint8Array(await (await fetch('${trace}')).arrayBuffer());
for (let at = 0; at < bytes.length; at += ${PIECE_BYTES}) await engine.parse(bytes.subarray(at, at + ${PIECE_BYTES}));
await engine.notifyEof();
const result = await engine.query('select count(*) as slices from slice');
globalThis.sliceCount = Number(result.firstRow({ slices: 0n }).slices);
</script>
`;
}

/** The package has the processor for 32 bits only; browsers with more would ask for the other one. */
export function withoutMemory64(glue: string): string {
  const patched = glue.replace('this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;');
  if (patched === glue) throw new Error('the glue of the trace processor has changed');
  return patched;
}
