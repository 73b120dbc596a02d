/**
 * The options of `ptflame export`.
 */
import * as z from 'zod';
import { statOrNull } from '../output/file-identity.js';
import { whatWrites } from '../output/kinds.js';
import { flag, group } from '../usage/flag.js';
import { memoize } from '../usage/memoize.js';
import { reading, shown, srcline } from './shared.js';
import { path, text } from './values/values.js';

/** "parquet:DIR" → the directory. */
const target = z.string().transform((text, context) => {
  const directory = /^parquet:(.+)$/s.exec(text)?.[1];
  const isFolder = directory !== undefined && statOrNull(directory)?.isDirectory() === true;
  const other = isFolder || /^parquet:./.test(directory ?? '') ? null : whatWrites(directory ?? text);
  if (directory !== undefined && other === null) return { format: 'parquet' as const, directory };
  const meant =
    other ??
    (/^(?!parquet$)[\w./-]+$/.test(text) ? `did you mean parquet:${text}?` : 'such as parquet:/var/lib/profiles');
  context.addIssue({ code: 'custom', message: `must be parquet:DIR, a folder: ${meant}` });
  return z.NEVER;
});

export const ExportOptions = memoize(() =>
  z.object({
    inputs: z.array(path).min(1),
    ...group('Output', {
      to: flag(target, 'the format and the folder: parquet:DIR, tables in Parquet files', {
        value: 'TARGET',
        common: 'parquet:DIR, the folder of the tables',
      }),
      build: flag(text.optional(), 'the build of the program that was recorded', { value: 'NAME', common: true }),
      host: flag(text.optional(), 'the machine that was recorded (default: as the recording names it)', {
        value: 'NAME',
        common: true,
      }),
    }),
    ...group('Output', {
      calls: flag(z.boolean().default(false), 'also a table of all calls, 20 to 40 bytes for each', {
        common: 'also a table of all calls',
      }),
    }),
    ...srcline(),
    ...shown(),
    ...reading(),
  }),
);
export type ExportOptions = z.infer<ReturnType<typeof ExportOptions>>;
