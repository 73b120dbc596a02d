/**
 * The module of replay has numbers of its own for what replay decides: they are the same.
 */
import { expect, test } from 'vitest';
import { CallOp, FAR, OP_BITS } from '../../src/model/calls/call-log.js';
import { LINKS, Link, Sum } from '../../src/model/calls/call-tree.js';
import { Doubt } from '../../src/model/calls/doubts.js';
import { BUCKETS, EXACT_BUCKETS } from '../../src/model/calls/durations.js';
import { Inference } from '../../src/model/profile/profile.js';
import { SpecialSymbol } from '../../src/model/symbol-table.js';
import { NONE } from '../../src/model/units.js';
import { Step, SYSCALL_BYTES } from '../../src/replay/functions/site-facts.js';
import { MAX_CALL_BYTES, Trait } from '../../src/replay/functions/traits.js';
import { Action, ActionFlag } from '../../src/replay/pairing/pairing.js';
import { CallKind } from '../../src/replay/pairing/stacks.js';
import { MAX_UNWINDER_DEPTH } from '../../src/replay/stack/hidden-jumps.js';
import { MAX_TAIL_CHAIN } from '../../src/replay/stack/levels.js';
import * as layout from '../../src/replay/wasm/layout.js';
import * as rules from '../../src/replay/wasm/rules.js';

test('steps, actions, traits and limits', () => {
  expect({ ...rules }).toEqual({
    STEP_STAY: Step.Stay,
    STEP_CALL: Step.Call,
    STEP_RETURN: Step.Return,
    STEP_JUMP: Step.Jump,
    STEP_START: Step.Start,
    STEP_END: Step.End,
    STEP_END_SYSCALL: Step.EndSyscall,
    ACTION_CALL: Action.Call,
    ACTION_RETURN: Action.Return,
    ACTION_RESUME: Action.Resume,
    ACTION_JUMP: Action.Jump,
    ACTION_STOP: Action.Stay | ActionFlag.Stops,
    ACTION_SYSCALL: Action.Stay | ActionFlag.StopsInSyscall,
    KIND_CALL: CallKind.Call,
    MAX_CALL_BYTES,
    SYSCALL_BYTES,
    TRAIT_STUB: Trait.Stub,
    TRAIT_RESOLVER: Trait.Resolver,
    TRAIT_UNWINDER: Trait.Unwinder,
    TRAIT_UNKNOWN: Trait.Unknown,
    TRAIT_PROGRAM_START: Trait.ProgramStart,
    TRAIT_RETPOLINE: Trait.Retpoline,
    TRAIT_RETURN_THUNK: Trait.ReturnThunk,
    TRAIT_COLD_PART: Trait.ColdPart,
    TRAIT_MAY_SWITCH: Trait.MaySwitch,
    TRAIT_KERNEL: Trait.Kernel,
    NO_DOUBT: Doubt.None,
    DOUBT_HIDDEN_JUMP: Doubt.HiddenJump,
    HIDDEN_JUMP: Inference.HiddenJump,
    MAX_TAIL_CHAIN,
    MAX_UNWINDER_DEPTH,
    LOG_OPEN: CallOp.Open,
    LOG_CLOSE: CallOp.Close,
    LOG_STOP: CallOp.Stop,
    LOG_END_STOP: CallOp.EndStop,
    LOG_DOUBT: CallOp.SetDoubt,
    LOG_KNOWN_TIME: CallOp.KnownTime,
    LOG_OP_BITS: OP_BITS,
    LOG_FAR: FAR,
    EXACT_BUCKETS,
    BUCKETS,
    SYMBOL_SYSCALL: SpecialSymbol.Syscall,
    SYMBOL_UNTRACED: SpecialSymbol.Untraced,
  });
  expect(layout.NONE).toBe(NONE);
  expect(layout.FLAG_DOUBTS).toBe(((2 << Doubt.Lost) - 2) << layout.FLAG_DOUBT_BITS);
  expect(Action.Stay).toBeLessThan(Action.Call);
  expect(Action.Call).toBeLessThan(Action.Return);
});

test('rows of the call tree', () => {
  expect(2 ** layout.NODE_BITS).toBe(Int32Array.BYTES_PER_ELEMENT * LINKS);
  const links = [layout.NODE_PARENT, layout.NODE_SYMBOL, layout.NODE_LAST_CHILD, layout.NODE_NEXT_CALLED];
  expect(links.map((offset) => offset / 4)).toEqual(Object.values(Link));
  const { NODE_CALLS, NODE_SELF_NS, NODE_COMPLETE_NS, NODE_MIN_NS, NODE_MAX_NS, NODE_INFERRED_NS } = layout;
  const sums = [NODE_CALLS, NODE_SELF_NS, NODE_COMPLETE_NS, NODE_MIN_NS, NODE_MAX_NS, NODE_INFERRED_NS];
  expect(sums.map((offset) => offset / 8)).toEqual(Object.values(Sum));
});
