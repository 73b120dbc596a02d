/**
 * `node dist/fuzz/instructions/objdump.js [--amount 10000000] [BINARY …]`: compares the length and the kind of every
 * instruction with `objdump -d`. Without binaries: the largest libraries and programs of this machine.
 */
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import {
  KIND_CALL,
  KIND_CALL_INDIRECT,
  KIND_FAR_CALL,
  KIND_FAR_JUMP,
  KIND_FAR_RETURN,
  KIND_INTERRUPT,
  KIND_IRET,
  KIND_JCC,
  KIND_JUMP,
  KIND_JUMP_INDIRECT,
  KIND_NONE,
  KIND_RETURN,
  KIND_SYSCALL,
  KIND_SYSRET,
  KIND_VMENTRY,
} from '../../src/decode/wasm/layout.js';
import { OwnInstructions } from './own-instructions.js';

const { values, positionals } = parseArgs({
  options: { amount: { type: 'string', default: '10000000' }, show: { type: 'string', default: '10' } },
  allowPositionals: true,
});
const FOLDERS = ['/usr/lib/x86_64-linux-gnu', '/usr/bin', '/usr/lib/llvm-14/lib'];
const LINE = /^\s*[0-9a-f]+:\t((?:[0-9a-f]{2} )+)\s*\t(.*)$/;
/** Not instructions: data among the code. */
const BAD = /\(bad\)|^\.byte|^rex(?:\.[WRXB]+)?\s*$/;
const PREFIX = /^(?:(?:bnd|notrack|rep[nz]?|repz|repnz|lock|data16|addr32|[c-gs]s|rex\S*|xacquire|xrelease)\s+)+/;

const own = new OwnInstructions();
let instructions = 0;
let skipped = 0;
let different = 0;
for (const binary of positionals.length > 0 ? positionals : largest()) {
  if (instructions >= Number(values.amount)) break;
  await compare(binary);
}
console.log(`${instructions} instructions, ${different} differ; ${skipped} lines were no instruction for objdump`);
if (different > 0) process.exitCode = 1;

function largest(): string[] {
  const paths = FOLDERS.flatMap((folder) => {
    try {
      return readdirSync(folder).map((name) => `${folder}/${name}`);
    } catch {
      return [];
    }
  });
  const sizes = new Map<string, number>();
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() === true) sizes.set(path, stat.size);
  }
  return [...sizes.keys()].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)).slice(0, 200);
}

async function compare(binary: string): Promise<void> {
  const objdump = spawn('objdump', ['-d', '-w', '-z', '--insn-width=16', binary], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  objdump.on('error', (error) => console.log(error.message));
  for await (const line of createInterface({ input: objdump.stdout })) {
    const [, hex, text] = LINE.exec(line) ?? [];
    if (hex === undefined || text === undefined) continue;
    if (text === '' || BAD.test(text)) skipped++;
    else compareLine(binary, line, Buffer.from(hex.replaceAll(' ', ''), 'hex'), text);
  }
}

function compareLine(binary: string, line: string, bytes: Uint8Array, text: string): void {
  instructions++;
  own.load(bytes);
  const { length, kind } = own.decodeAt(0);
  const expected = kindOf(text.replace(PREFIX, ''));
  if (length === bytes.length && kind === expected) return;
  if (different++ < Number(values.show))
    console.log(`${binary}: ${line}: ${length} bytes, kind ${kind} not ${expected}`);
}

/** The kind of branch that a mnemonic in AT&T syntax names. */
function kindOf(text: string): number {
  const [name = '', operand = ''] = text.split(/\s+/);
  const isIndirect = operand.startsWith('*');
  const plain = name.replace(/,p[nt]$/, '');
  if (/^callq?w?$/.test(plain)) return isIndirect ? KIND_CALL_INDIRECT : KIND_CALL;
  if (/^jmpq?w?$/.test(plain)) return isIndirect ? KIND_JUMP_INDIRECT : KIND_JUMP;
  if (/^(?:j[a-z]+|loop[a-z]*)$/.test(plain)) return KIND_JCC;
  if (/^(?:lret|retf)/.test(plain)) return KIND_FAR_RETURN;
  if (/^ret[lqw]*$/.test(plain)) return KIND_RETURN;
  if (/^(?:lcall|rex.W lcall)/.test(plain)) return KIND_FAR_CALL;
  if (/^(?:ljmp|rex.W ljmp)/.test(plain)) return KIND_FAR_JUMP;
  if (/^(?:syscall|sysenter)$/.test(plain)) return KIND_SYSCALL;
  if (/^(?:sysret|sysexit)[lq]?$/.test(plain)) return KIND_SYSRET;
  if (/^iret[qwl]?$/.test(plain)) return KIND_IRET;
  if (/^(?:int|int3|into)$/.test(plain)) return KIND_INTERRUPT;
  return /^(?:vmlaunch|vmresume)$/.test(plain) ? KIND_VMENTRY : KIND_NONE;
}
