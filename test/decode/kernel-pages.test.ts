/**
 * Pages of the kernel's code that a trace needs, of a little kernel of our own.
 */
import { expect } from 'vitest';
import { encodedOf } from '../../fuzz/damaged/damaged-recordings.js';
import { addressPacket, cbr, PGD, PGE, PSB, PSBEND, SIGNED_6, TIP, tsc } from '../../fuzz/pt/packets.js';
import { recordingBytes } from '../../fuzz/pt/recording.js';
import { openRecording } from '../../src/perfdata/open-recording.js';
import { kernelPages } from '../../src/pipeline/decode/kernel-pages.js';
import { KERNEL_FILE } from '../../src/symbols/kallsyms.js';
import { test } from '../helpers/cli/run-cli.js';
import { SETTINGS, START } from './packets/rows.js';

const PROGRAM = 0x40_0000;
const KERNEL = -0x7f00_0000;
const CODE_AT = 0x2000;
const kernel = Buffer.alloc(0x5000, 0x90);
kernel.set([0xe9, 0x03, 0x20, 0, 0], 0xff8); // jmp 3000
kernel.set([0xff, 0xe0], 0x3000); // jmp *rax
kernel.set([0xff, 0xe0], 0x4800); // jmp *rax, which never runs

test('are those where instructions of the kernel ran, with the bytes after them, and the headers', async ({ dir }) => {
  const at = (what: number, ip: number) => addressPacket(what, BigInt.asUintN(48, BigInt(KERNEL + ip)), SIGNED_6);
  const began = addressPacket(PGE, PROGRAM, SIGNED_6);
  const bytes = [PSB, tsc(START), cbr(30), PSBEND, began, at(TIP, 0xff0), at(TIP, 0xff0), at(PGD, 0x3000)].flat();
  const piece = { cpu: 0, offset: 0, reference: START, bytes };
  const program = Buffer.alloc(0x1000, 0x90);
  program.set([0xff, 0xe0], 0x10); // jmp *rax
  const mapped = { path: await dir.write('program', program), start: PROGRAM, length: program.length };
  const path = await dir.write('recording', recordingBytes(SETTINGS, [mapped], [piece], 1));
  const code = await dir.write('kcore', Buffer.concat([Buffer.alloc(CODE_AT), kernel]));
  const segments = [{ start: KERNEL, length: kernel.length, fileOffset: CODE_AT }];
  const encoded = {
    ...encodedOf(await openRecording(path), path, '', 'none'),
    binaries: new Map([
      [KERNEL_FILE, code],
      [mapped.path, mapped.path],
    ]),
    kernel: { segments, file: KERNEL_FILE, switchAt: null },
  };
  expect(await kernelPages(encoded, new AbortController().signal)).toEqual([
    { start: 0, end: 0x1000 },
    { start: CODE_AT, end: CODE_AT + 0x100f },
    { start: CODE_AT + 0x3000, end: CODE_AT + 0x400f },
  ]);
});
