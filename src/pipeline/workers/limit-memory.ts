/**
 * Limits the memory of the process for everything it does from now on: reading, replay and drawing.
 */
import { watchMemory } from '../../model/memory.js';
import { MemoryBudget } from './memory-budget.js';
import { planResources, type ResourceOptions } from './resources.js';

/**
 * Makes memory checks throw PtflameError TOO_LARGE once the budget is exceeded, until the returned function is
 * called.
 */
export function limitMemory(options: ResourceOptions): () => void {
  const budget = new MemoryBudget(planResources(options).memoryBytes);
  return watchMemory((bytes) => budget.check(bytes));
}
