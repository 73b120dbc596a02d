/**
 * Compiles the AssemblyScript of reading, decoding and replay into modules: so they need no files of their own next to the
 * program, wherever that is bundled or copied to. With a folder as argument, writes the modules as text there instead: it
 * has the names of their functions (bench/profile).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
const [, , TEXTS] = process.argv;
/** Typed arrays of a shared memory stay valid when it grows. */
const SHARED_MEMORY = '--sharedMemory --maximumMemory 65536 --enable threads'.split(' ');

await compile('parser', SHARED_MEMORY);
await compile('decode', []);
await compile('replay', SHARED_MEMORY);
await compile('trace', []);

/** What src/ROOM/wasm/main.ts exports becomes src/ROOM/wasm.generated.ts. */
async function compile(room, options) {
  const source = `src/${room}/wasm`;
  const output = TEXTS === undefined ? ['--outFile', 'module.wasm'] : ['--textFile', 'module.wat'];
  let compiled;
  const { error, stderr } = await asc.main([`${source}/main.ts`, ...OPTIONS, ...options, ...output], {
    writeFile: (_, contents) => {
      compiled = contents;
    },
  });
  if (error) {
    process.stderr.write(stderr.toString());
    process.exit(1);
  }
  if (TEXTS !== undefined) return writeFile(join(TEXTS, `${room}.wat`), compiled);
  const constant = `export const ${room.toUpperCase()}_BASE64: string = '${Buffer.from(compiled).toString('base64')}';`;
  await writeFile(
    `src/${room}/wasm.generated.ts`,
    `// Made by scripts/compile-wasm.mjs from ${source}.\n${constant}\n`,
  );
}
