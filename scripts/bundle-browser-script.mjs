/**
 * The script inside of SVG files → one string constant that the renderer imports.
 */
import { writeFileSync } from 'node:fs';
import { buildSync } from 'esbuild';

const { outputFiles } = buildSync({
  entryPoints: ['src/render/svg/browser/main.ts'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
});
const script = outputFiles[0].text.trim();
writeFileSync('src/render/svg/script.generated.ts', `export const SCRIPT = ${JSON.stringify(script)};\n`);
