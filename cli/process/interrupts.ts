/**
 * Dispatches SIGINT, SIGTERM, SIGHUP and SIGQUIT to the handler that was added last.
 */

type Handler = (signal: NodeJS.Signals) => void;

const handlers: Handler[] = [];

/** Makes `handler` receive interrupts until the returned function is called. */
export function handleInterrupts(handler: Handler): () => void {
  handlers.push(handler);
  return () => {
    const at = handlers.lastIndexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}

/** Starts listening; `fallback` receives interrupts while there is no other handler. */
export function listenForInterrupts(fallback: Handler): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => (handlers.at(-1) ?? fallback)(signal));
}
