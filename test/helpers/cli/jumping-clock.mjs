/**
 * Import it to set the clock of the machine an hour back, then a day on, again and again, as a program sees it.
 */
const HOUR_MS = 3_600_000;
const JUMPS_MS = [0, -HOUR_MS, 24 * HOUR_MS];
const EACH_MS = 40;
const Real = Date;
const began = Real.now();
const jumped = () => began + JUMPS_MS[Math.floor(performance.now() / EACH_MS) % JUMPS_MS.length];

globalThis.Date = class extends Real {
  constructor(...args) {
    super(...(args.length === 0 ? [jumped()] : args));
  }

  static now() {
    return jumped();
  }
};
