/**
 * The slots of a hash table that kernels share. The table is searched without a lock, while another kernel that holds
 * the lock adds to it: a slot is written last, and when the slots grow, the old ones stay for those that still search
 * them.
 */
import { zeroed } from './memory';

/** As many slots follow as a power of two, of one size; zeroed ones are free. */
@unmanaged
export class Slots {
  mask: u32 = 0;
  unused: u32 = 0;

  static make(count: u32, slotBytes: usize): Slots {
    const slots = changetype<Slots>(zeroed(offsetof<Slots>() + slotBytes * count));
    slots.mask = count - 1;
    return slots;
  }

  /** Returns the address of a slot. */
  @inline
  at(slot: u32, slotBytes: usize): usize {
    return changetype<usize>(this) + offsetof<Slots>() + slotBytes * slot;
  }

  /** Makes these the slots of a table, whose `slots` field is at `field`. */
  publish(field: usize): void {
    atomic.store<u32>(field, <u32>changetype<usize>(this));
  }
}
