/**
 * The newest event of an input, held back until the next one has confirmed its time.
 */
import { type Nanoseconds, NONE, type SiteId, type Tid } from '../../model/units.js';

export class HeldEvent {
  isHeld = false;
  tid: Tid = NONE;
  cpu: number = NONE;
  site: SiteId = 0;
  timeNs: Nanoseconds = 0;
  /** Number of its line, counted from 1, and where that begins in the bytes that are parsed. */
  line = 0;
  start = 0;
  /** The line itself, if those bytes are gone. */
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
