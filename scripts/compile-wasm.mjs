/**
 * Compiles the AssemblyScript of reading, decoding and replay into modules: so they need no files of their own next to the
 * program, wherever that is bundled or copied to.
 */
import { writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--importMemory',
  '--enable',
  'simd',
  '--enable',
  'bulk-memory',
];
/** Typed arrays of a shared memory stay valid when it grows. */
const SHARED_MEMORY = '--sharedMemory --maximumMemory 65536 --enable threads'.split(' ');

await compile('parser', SHARED_MEMORY);
await compile('decode', []);
await compile('replay', SHARED_MEMORY);

/** What src/ROOM/wasm/main.ts exports becomes src/ROOM/wasm.generated.ts. */
async function compile(room, options) {
  const source = `src/${room}/wasm`;
  let compiled;
  const { error, stderr } = await asc.main([`${source}/main.ts`, ...OPTIONS, ...options, '--outFile', 'module.wasm'], {
    writeFile: (_, contents) => {
      compiled = contents;
    },
  });
  if (error) {
    process.stderr.write(stderr.toString());
    process.exit(1);
  }
  const constant = `export const ${room.toUpperCase()}_BASE64: string = '${Buffer.from(compiled).toString('base64')}';`;
  await writeFile(
    `src/${room}/wasm.generated.ts`,
    `// Made by scripts/compile-wasm.mjs from ${source}.\n${constant}\n`,
  );
}
