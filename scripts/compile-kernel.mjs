/**
 * Compiles the kernels (AssemblyScript) into modules: so they need no files of their own next to the program, wherever that
 * is bundled or copied to.
 */
import { writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory'];
/** Typed arrays of a shared memory stay valid when it grows. */
const SHARED_MEMORY = '--importMemory --sharedMemory --maximumMemory 65536 --enable threads'.split(' ');
const KERNELS = [
  {
    folder: 'src/parser',
    sources: ['lines', 'runs', 'unusual-ends', 'known-branches'],
    name: 'KERNEL_BASE64',
    options: SHARED_MEMORY,
  },
  { folder: 'src/decode', sources: ['main'], name: 'DECODER_BASE64', options: ['--importMemory'] },
  { folder: 'src/replay', sources: ['pair', 'execute'], name: 'REPLAY_BASE64', options: SHARED_MEMORY },
];

for (const kernel of KERNELS) await compile(kernel);

async function compile({ folder, sources, name, options = [] }) {
  const written = new Map();
  const files = sources.map((source) => `${folder}/wasm/${source}.ts`);
  const { error, stderr } = await asc.main([...files, ...OPTIONS, ...options, '--outFile', 'kernel.wasm'], {
    writeFile: (file, contents) => written.set(file, contents),
  });
  if (error) {
    process.stderr.write(stderr.toString());
    process.exit(1);
  }
  const base64 = Buffer.from(written.get('kernel.wasm')).toString('base64');
  const text = `// Made by scripts/compile-kernel.mjs from ${folder}/wasm.\nexport const ${name}: string = '${base64}';\n`;
  await writeFile(`${folder}/kernel.generated.ts`, text);
}
