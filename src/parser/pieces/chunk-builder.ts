/**
 * Collects the events, records, names and mappings of a chunk.
 */
import type { GroupedEvents, Mapping, ThreadName, TraceChunk, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Nanoseconds, SiteId, Tid } from '../../model/units.js';

const MIN_ROWS = 1024;

export class ChunkBuilder {
  /** Events already grouped by lane. */
  grouped: GroupedEvents | null = null;
  private records: TraceRecord[] = [];
  private names: ThreadName[] = [];
  private mappings: Mapping[] = [];
  private length = 0;
  private tid = new Int32Array(MIN_ROWS);
  private cpu = new Int32Array(MIN_ROWS);
  private site = new Uint32Array(MIN_ROWS);
  private timeNs = new Float64Array(MIN_ROWS);

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

  /** Returns what was added, and starts over. The columns are valid until the next event is added. */
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

  /** The columns keep their capacity, because most chunks have the same size. */
  private clear(): void {
    this.length = 0;
    this.grouped = null;
    this.records = [];
    this.names = [];
    this.mappings = [];
  }
}
