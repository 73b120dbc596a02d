/**
 * The newest event of an input, held until the next one confirms its time.
 */
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../../model/units.js';

export class HeldEvent {
  isHeld = false;
  tid: Tid = NONE;
  cpu: number = NONE;
  site: SiteId = 0;
  timeNs: Nanoseconds = 0;
  /** Line number, from 1. */
  line = 0;
  /** Offset of the line in the bytes being parsed. */
  start = 0;
  /** The line itself, once those bytes are gone. */
  text: string | null = null;

  set(tid: Tid, cpu: number, site: SiteId, timeNs: Nanoseconds, line: number, start: number): void {
    this.isHeld = true;
    this.tid = tid;
    this.cpu = cpu;
    this.site = site;
    this.timeNs = timeNs;
    this.line = line;
    this.start = start;
    this.text = null;
  }
}
