/**
 * The decoder of instructions, alone.
 */
import { type DecoderModule, newDecoderModule } from '../../src/decode/decoder-module.js';

export interface Decoded {
  /** 0: no instruction, or not all there. */
  readonly length: number;
  /** KIND_… of src/decode/wasm/layout.ts. */
  readonly kind: number;
}

const MAX_BYTES = 1 << 20;
export const MAX_INSTRUCTION_BYTES = 15;

export class OwnInstructions {
  private readonly module: DecoderModule = newDecoderModule(
    () => 0,
    () => false,
    () => 0,
  );
  private readonly start = this.module.space(MAX_BYTES + MAX_INSTRUCTION_BYTES);

  /** Instructions are decoded from these bytes, at most a mebibyte, which zeros follow. */
  load(bytes: Uint8Array): void {
    const space = new Uint8Array(this.module.memory.buffer, this.start, MAX_BYTES + MAX_INSTRUCTION_BYTES);
    space.fill(0, bytes.length, bytes.length + MAX_INSTRUCTION_BYTES);
    space.set(bytes);
  }

  decodeAt(offset: number, left = MAX_INSTRUCTION_BYTES): Decoded {
    const length = this.module.decodeInstruction(this.start + offset, left);
    return { length, kind: length === 0 ? 0 : this.module.instructionKind() };
  }
}
