/**
 * The packets that most of a trace is made of, in the state that decoding is mostly in. What happens is what decode.ts says;
 * here, less has to be asked before it does, and the position is a local.
 */
import { Cycles, MAX_CYCLES } from '../clock/clock';
import { hasStopped, isMarking } from '../parts';
import { BEFORE_CYC, BEFORE_OTHER, PHASE_WALK, state } from '../state';
import { walkBits } from '../walk/bits';
import { repeatBits } from '../walk/known-bits';
import { settle } from '../walk/position';
import { walkTo } from '../walk/targets';
import { addressAt } from './addresses';
import { ipBytes, isCyc, isLongCyc, isTnt, shortCyc, shortCycBytes, TIP } from './format';
import { end, pos, skip } from './input';
import { lose } from './losses';

/** What is read at once, beyond the first byte. */
const MIN_BYTES: usize = 16;

let isPlain: bool = false;

/** For tests: nothing is taken here. */
export function walkPlainly(plain: bool): void {
  isPlain = plain;
}

/** Takes short TNT, CYC of one or two bytes, and TIP, up to any other packet. */
export function takeFrequent(): void {
  if (isPlain || state.phase !== PHASE_WALK || state.isInPsb || state.areCyclesUnsure || isMarking()) return;
  if (end - pos < MIN_BYTES) return;
  const last = end - MIN_BYTES;
  if (state.cycles > MAX_CYCLES) return;
  const start = <f64>state.cycleStart;
  const ratio = Cycles.ratio();
  let at = pos;
  let before = state.before;
  while (at <= last && state.phase === PHASE_WALK && !hasStopped()) {
    const byte = load<u8>(at);
    if (isCyc(byte)) {
      if (isLongCyc(at)) break;
      Cycles.take(shortCyc(at), start, ratio);
      at += shortCycBytes(byte);
      before = BEFORE_CYC;
    } else if (isTnt(byte)) {
      at++;
      before = BEFORE_OTHER;
      if (repeatBits(byte)) continue;
      const bits: u64 = byte >> 1;
      const error = walkBits(bits, 63 - <i32>clz<u64>(bits));
      if (error !== 0) lose(error);
    } else if ((byte & 0x1f) === TIP && ipBytes(byte >> 5) >= 0) {
      const isKnown = addressAt(byte, at + 1);
      at += 1 + ipBytes(byte >> 5);
      before = BEFORE_OTHER;
      const error = walkTo(isKnown, isKnown ? state.lastIp : 0);
      if (error !== 0) lose(error);
    } else break;
  }
  settle();
  state.before = before;
  skip(at - pos);
}
