/**
 * Whose an error is that several decoders of a recording print.
 */
import { comparePerfTimes, type PerfTime } from '../../model/trace/perf-time.js';
import type { DecodeJob } from '../../perfdata/plan-jobs.js';

/** Whose an error is: each decoder may print those of other processors and times, too. */
export class ErrorOwners {
  private readonly jobs: readonly DecodeJob[];
  private readonly known: ReadonlySet<number>;

  constructor(jobs: readonly DecodeJob[]) {
    this.jobs = jobs;
    this.known = new Set(jobs.flatMap(({ cpus }) => cpus ?? []));
  }

  /** What belongs to no job, as of a processor without a trace, the first one takes. */
  owns(job: DecodeJob, cpu: number, time: PerfTime): boolean {
    if (this.jobs.length === 1) return true;
    if (job.cpus !== null && !this.known.has(cpu)) return job === this.jobs[0];
    if (job.cpus !== null && !job.cpus.includes(cpu)) return false;
    const isEarly = job.from !== null && comparePerfTimes(time, job.from) < 0;
    const isLate = job.to !== null && comparePerfTimes(time, job.to) > 0;
    return !isEarly && !isLate;
  }
}
