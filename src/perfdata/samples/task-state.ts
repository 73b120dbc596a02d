/**
 * The state of a thread that is switched out, as `sched_switch` prints it.
 */

/** A kernel has about ten letters, and bits up to 0x1000. Few states keep the texts small, whatever a file lists. */
const FLAG = /\{ (0x[0-9a-f]{1,8}|\d{1,8}), "([^"]{1,8})" \}/g;
const MAX_FLAGS = 32;
const MAX_BIT = 2 ** 15;

/**
 * Returns a function from the number to the text, such as "S" (waits), "D" (waits, uninterruptible), "R" (runnable),
 * "R+" (preempted); null if the event prints no such flags. `print`: has a list like `{ 0x00000001, "S" }, …`.
 */
export function taskStates(print: string): ((state: number) => string) | null {
  const listed = Array.from(print.matchAll(FLAG), ([, bit, letter]) => ({
    bit: Number(bit),
    letter: letter as string,
  }));
  const flags = listed.filter(({ bit }) => bit <= MAX_BIT).slice(0, MAX_FLAGS);
  if (flags.length === 0) return null;
  // the bit above all states marks a thread that was preempted
  const preempted = 2 * Math.max(...flags.map(({ bit }) => bit));
  const known = new Map<number, string>();
  return (state) => {
    let text = known.get(state & (2 * preempted - 1));
    if (text === undefined) {
      const letters = flags.filter(({ bit }) => state & bit).map(({ letter }) => letter);
      text = `${letters.join('|') || 'R'}${state & preempted ? '+' : ''}`;
      known.set(state & (2 * preempted - 1), text);
    }
    return text;
  };
}
