/**
 * Decides which decoder of a recording owns an error that several of them print.
 */
import { comparePerfTimes, type PerfTime } from '../../model/trace/perf-time.js';
import type { DecodeJob } from '../../perfdata/plan-jobs.js';

/** Errors by decoder: each one may also print those of other CPUs and times. */
export class ErrorOwners {
  private readonly jobs: readonly DecodeJob[];
  private readonly known: ReadonlySet<number>;

  constructor(jobs: readonly DecodeJob[]) {
    this.jobs = jobs;
    this.known = new Set(jobs.flatMap(({ cpus }) => cpus ?? []));
  }

  /** The first job owns what belongs to no job, such as errors of a CPU without a trace. */
  owns(job: DecodeJob, cpu: number, time: PerfTime): boolean {
    if (this.jobs.length === 1) return true;
    if (job.cpus !== null && !this.known.has(cpu)) return job === this.jobs[0];
    if (job.cpus !== null && !job.cpus.includes(cpu)) return false;
    const isEarly = job.from !== null && comparePerfTimes(time, job.from) < 0;
    const isLate = job.to !== null && comparePerfTimes(time, job.to) > 0;
    return !isEarly && !isLate;
  }
}
