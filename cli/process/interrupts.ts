/**
 * Ctrl-C and kill: whoever took them last hears them; if nobody did, the program stops.
 */

type Handler = (signal: NodeJS.Signals) => void;

const handlers: Handler[] = [];

/** From now on `handler` hears them, until the function that is given back is called. */
export function handleInterrupts(handler: Handler): () => void {
  handlers.push(handler);
  return () => {
    const at = handlers.lastIndexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}

/** Starts to listen; `otherwise` hears what nobody took. */
export function listenForInterrupts(otherwise: Handler): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => (handlers.at(-1) ?? otherwise)(signal));
}
