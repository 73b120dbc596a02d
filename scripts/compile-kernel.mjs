/**
 * Compiles src/parser/kernel (AssemblyScript) into a TypeScript module, so that bundles need no .wasm file.
 */
import { writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

const SOURCES = ['memory', 'lines', 'runs'].map((name) => `src/parser/kernel/${name}.ts`);
const TARGET = 'src/parser/kernel.generated.ts';
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--enable', 'bulk-memory'];

const written = new Map();
const { error, stderr } = await asc.main([...SOURCES, ...OPTIONS, '--outFile', 'kernel.wasm'], {
  writeFile: (name, contents) => written.set(name, contents),
});
if (error) {
  process.stderr.write(stderr.toString());
  process.exit(1);
}
const base64 = Buffer.from(written.get('kernel.wasm')).toString('base64');
await writeFile(
  TARGET,
  `// Made by scripts/compile-kernel.mjs from src/parser/kernel.\nexport const KERNEL_BASE64: string = '${base64}';\n`,
);
