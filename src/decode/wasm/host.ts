/**
 * What the module asks its host for.
 */

/**
 * Loads the code at an address of an image: returns the address in the module of a description, or 0 if there is no code. It
 * has five u64: where the code starts and ends, up to where its instructions are all there, where the bytes are, and the tick
 * from which on it is mapped.
 */
export declare function loadCode(image: u32, ip: u64): usize;

/** Whether a branch to an address of an image ends the trace, by the filters of the recording. */
export declare function endsTrace(image: u32, ip: u64): bool;

/**
 * The function that holds an address of an image: the address in the module of its bounds (its first address, the one after its
 * last), valid until the next call; 0: unknown.
 */
export declare function functionAround(image: u32, ip: u64): usize;

/** Called before memory grows: throws if that is not allowed. */
export declare function askForMemory(bytes: usize): void;

/** Throws. */
export declare function outOfMemory(): void;
