/**
 * Many recordings at once: profiles, or the tables that `ptflame export` wrote. Loaded only for questions about them.
 */

export type { LeftOut } from './fleet/folder.js';
export { ProfileSum } from './fleet/merge/merge-profiles.js';
export { type Fleet, openFleet } from './fleet/open-fleet.js';
export {
  askFunctions,
  askGrowth,
  askOutliers,
  askSql,
  type GroupedBy,
  groupsOf,
  summaryOf,
} from './fleet/questions.js';
export { mergeTables } from './fleet/tables/merge-tables.js';
