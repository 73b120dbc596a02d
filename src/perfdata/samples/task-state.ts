/**
 * The state of a thread that is switched out, as `sched_switch` prints it.
 */

/**
 * Returns a function from the number to the text, such as "S" (waits), "D" (waits, uninterruptible), "R" (runnable),
 * "R+" (preempted); null if the event prints no such flags. `print`: has a list like `{ 0x00000001, "S" }, …`.
 */
export function taskStates(print: string): ((state: number) => string) | null {
  const flags = Array.from(print.matchAll(/\{ (0x[0-9a-f]+|\d+), "([^"]+)" \}/g), ([, bit, letter]) => ({
    bit: Number(bit),
    letter: letter as string,
  }));
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
