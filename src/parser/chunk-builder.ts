/**
 * What a parser finds, gathered into a chunk.
 */
import { float64Column, int32Column, uint32Column } from '../model/columns.js';
import type { Mapping, ThreadName, TraceChunk, TraceRecord } from '../model/trace-chunk.js';
import type { Nanoseconds, SiteId, Tid } from '../model/units.js';

export class ChunkBuilder {
  records: TraceRecord[] = [];
  names: ThreadName[] = [];
  mappings: Mapping[] = [];
  private readonly tid = int32Column();
  private readonly cpu = int32Column();
  private readonly site = uint32Column();
  private readonly timeNs = float64Column();

  addEvent(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds): void {
    this.tid.push(tid);
    this.cpu.push(cpu);
    this.site.push(site);
    this.timeNs.push(timeNs);
  }

  /** What was gathered; good until something is added again. */
  build(): TraceChunk {
    const { tid, cpu, site, timeNs, records, names, mappings } = this;
    const events = {
      length: tid.length,
      tid: tid.taken(),
      cpu: cpu.taken(),
      site: site.taken(),
      timeNs: timeNs.taken(),
    };
    this.clear();
    return { events, records, names, mappings };
  }

  /** The columns keep their room: most chunks are of one size. */
  private clear(): void {
    for (const column of [this.tid, this.cpu, this.site, this.timeNs]) column.length = 0;
    this.records = [];
    this.names = [];
    this.mappings = [];
  }
}
