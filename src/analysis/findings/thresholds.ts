/**
 * From where on something is worth a sentence. Shares of time.
 */

/** Of all time: more lost or inferred time than this makes the other findings doubtful. */
export const DOUBTFUL_LOST = 0.05;
export const DOUBTFUL_INFERRED = 0.2;
/** Of the time in which threads ran or may have run: what is left of it may not be typical. */
export const DOUBTFUL_LOST_RUNNING = 0.5;

/** Of all time: less waiting needs no finding. */
export const MUCH_WAITING = 0.3;
/** Reasons of waits that are listed. */
export const LISTED_REASONS = 4;

/**
 * A pure wait is the highest call path with at least `PURE_STOPS` of its time in stops, at most `PURE_RUNNING` of all running
 * time, and at least `PURE_TIME` of all time. If switches are recorded, the CPU must have been free for `PURE_OFF_CPU` of
 * these stops: a system call that kept it is work.
 */
export const PURE_STOPS = 0.99;
export const PURE_RUNNING = 0.01;
export const PURE_TIME = 0.005;
export const PURE_OFF_CPU = 0.9;

/** Of the running time: no function stands out if none has as much of its own, and the second is left out below the other. */
export const FIRST_RUNNING = 0.05;
export const SECOND_RUNNING = 0.01;

/** Threads that were waited for, as they are listed. */
export const LISTED_WAITED_FOR = 3;

/** Of a comparison: a change of the own time of a function, as a part of all time. */
export const MUCH_CHANGED = 0.002;
