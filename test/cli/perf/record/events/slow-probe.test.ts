/**
 * Instructions that the kernel emulates at a probe, and those it executes step by step; measured on Linux 6.18.
 */
import { expect, test } from 'vitest';
import { isEmulated } from '../../../../../cli/record/with-events.js';

test.for([
  ['nop', '90', true],
  ['nop of 2 bytes', '6690', true],
  ['nop of 5 bytes', '0f1f440000', true],
  ['nop of 6 bytes', '660f1f440000', true],
  ['push %rbp', '55', true],
  ['push %r12', '4154', true],
  ['jmp', 'eb00', true],
  ['jne', '7500', true],
  ['jne far', '0f8500000000', true],
  ['call', 'e800000000', true],
  ['push $1', '6a01', false],
  ['push (%rsp)', 'ff742408', false],
  ['endbr64', 'f30f1efa', false],
  ['sub $8,%rsp', '4883ec08', false],
  ['mov %rsp,%rax', '4889e0', false],
  ['mov %sp,%ax', '6689e0', false],
  ['xor %eax,%eax', '31c0', false],
  ['test %rdi,%rdi', '4885ff', false],
  ['ret', 'c3', false],
  ['lea 8(%rdi),%rax', '488d4708', false],
  ['pop %r12', '415c', false],
] as const)('%s', ([, hex, isFast]) => {
  expect(isEmulated(Buffer.from(hex, 'hex'))).toBe(isFast);
});
