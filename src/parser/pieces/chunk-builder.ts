/**
 * What a parser finds, gathered into a chunk.
 */
import type { GroupedEvents, Mapping, ThreadName, TraceChunk, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, SiteId, Tid } from '../../model/units.js';

const LEAST_ROWS = 1024;

export class ChunkBuilder {
  /** Events that are sorted already. */
  grouped: GroupedEvents | null = null;
  private records: TraceRecord[] = [];
  private names: ThreadName[] = [];
  private mappings: Mapping[] = [];
  private length = 0;
  private tid = new Int32Array(LEAST_ROWS);
  private cpu = new Int32Array(LEAST_ROWS);
  private site = new Uint32Array(LEAST_ROWS);
  private timeNs = new Float64Array(LEAST_ROWS);

  addEvent(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds): void {
    if (this.length === this.tid.length) this.grow();
    const row = this.length++;
    this.tid[row] = tid;
    this.cpu[row] = cpu;
    this.site[row] = site;
    this.timeNs[row] = timeNs;
  }

  addRecord(record: TraceRecord): void {
    this.records.push(record);
  }

  addName(name: ThreadName): void {
    this.names.push(name);
  }

  addMapping(mapping: Mapping): void {
    this.mappings.push(mapping);
  }

  /** What was gathered; good until something is added again. */
  build(): TraceChunk {
    const { length, tid, cpu, site, timeNs, grouped, records, names, mappings } = this;
    const events = {
      length,
      tid: tid.subarray(0, length),
      cpu: cpu.subarray(0, length),
      site: site.subarray(0, length),
      timeNs: timeNs.subarray(0, length),
    };
    this.clear();
    return { events, grouped, records, names, mappings };
  }

  private grow(): void {
    const { length, tid, cpu, site, timeNs } = this;
    this.tid = new Int32Array(2 * length);
    this.tid.set(tid);
    this.cpu = new Int32Array(2 * length);
    this.cpu.set(cpu);
    this.site = new Uint32Array(2 * length);
    this.site.set(site);
    this.timeNs = new Float64Array(2 * length);
    this.timeNs.set(timeNs);
  }

  /** The columns keep their room: most chunks are of one size. */
  private clear(): void {
    this.length = 0;
    this.grouped = null;
    this.records = [];
    this.names = [];
    this.mappings = [];
  }
}
