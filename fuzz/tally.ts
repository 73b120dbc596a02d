/**
 * Sums up the reports of workers into the figures of a run.
 */
import type { WorkerReport } from './worker.js';

export class Tally {
  cases = 0;
  /** In `unit`s. */
  amount = 0;
  failures = 0;
  hangs = 0;
  private parserMs = 0;
  private parserLines = 0;
  private slowest = { number: 0, ms: 0 };
  private peakBytes = 0;
  /** Heap size after each collection: memory kept from case to case shows here. */
  private readonly keptBytes: number[] = [];
  /** What `amount` counts; null: cases. */
  private readonly unit: string | null;

  constructor(unit: string | null) {
    this.unit = unit;
  }

  add(report: WorkerReport): void {
    if (report.what === 'heap') this.addHeap(report.usedBytes, report.isCollected);
    if (report.what !== 'passed' && report.what !== 'failed') return;
    this.cases++;
    this.amount += report.size;
    if (report.what === 'failed') this.failures++;
    else this.addTimes(report.number, report.size, report.ms, report.parserMs);
  }

  addHang(): void {
    this.cases++;
    this.hangs++;
  }

  summary(): string {
    const { cases, amount, failures, hangs, slowest, keptBytes, unit } = this;
    const speed = Math.round((this.parserLines / Math.max(1, this.parserMs)) * 1000);
    return [
      `${cases} cases${unit === null ? '' : `, ${amount} ${unit}`}: ${failures} failures, ${hangs} hangs`,
      `${unit === null ? '' : `parser ${speed} ${unit}/s; `}slowest case ${slowest.number}: ${Math.round(slowest.ms)} ms`,
      `heap peak ${megabytes(this.peakBytes)}; after garbage collection, at each tenth: ${keptBytes.map(megabytes).join(', ')}`,
    ].join('\n');
  }

  private addTimes(number: number, lines: number, ms: number, parserMs: number): void {
    this.parserMs += parserMs;
    this.parserLines += lines;
    if (ms > this.slowest.ms) this.slowest = { number, ms };
  }

  private addHeap(usedBytes: number, isCollected: boolean): void {
    this.peakBytes = Math.max(this.peakBytes, usedBytes);
    if (isCollected) this.keptBytes.push(usedBytes);
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
