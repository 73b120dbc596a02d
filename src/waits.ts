/**
 * Questions about waits, locks, requests and values, on their own so that other commands do not load them.
 */
export { askLocks, type LocksOptions } from './pipeline/locks/ask-locks.js';
export { askRequests, type RequestsResult } from './pipeline/requests/ask-requests.js';
export type { FlowPattern, RequestsOptions } from './pipeline/requests/request-question.js';
export { askValues, type ValuesQuestion, type ValuesResult } from './pipeline/values/ask-values.js';
export { profileBlockedTime } from './pipeline/waits/blocked-by.js';
export { askWaits, type WaitsQuestion, type WaitsResult } from './pipeline/waits/summary/ask-wait-summary.js';
