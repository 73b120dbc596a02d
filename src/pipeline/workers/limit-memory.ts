/**
 * A budget for all that a process does from now on: reading and replaying, and drawing too.
 */
import { watchMemory } from '../../model/memory-watch.js';
import { MemoryBudget } from './memory-budget.js';
import { planResources, type ResourceOptions } from './resources.js';

/**
 * Whoever asks for more memory than the budget has left hears PtflameError TOO_LARGE, until the function that is returned is
 * called.
 */
export function limitMemory(options: ResourceOptions): () => void {
  const budget = new MemoryBudget(planResources(options).memoryBytes);
  return watchMemory((bytes) => budget.check(bytes));
}
