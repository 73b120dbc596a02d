/**
 * Writes names that events refer to by number.
 */
import type { PbfWriter } from 'pbf';
import { visibleText } from '../../render/visible-text.js';
import { writeTextField } from '../proto-writer.js';
import { INTERNED, PACKET } from './fields.js';
import type { PacketSequence } from './packets.js';

export interface Interned {
  /** What it is the name of: a number of `INTERNED_DATA`. */
  readonly of: number;
  readonly id: number;
  readonly name: string;
  readonly line?: number;
}

/** Names of each kind are numbered when they are first used, from 1. */
export class NewNames {
  private readonly ids = new Map<number, Map<string, number>>();
  private unwritten: Interned[] = [];

  /** `of`: a number of `INTERNED_DATA`. `line`: of a source location, whose name is that of its file. */
  idOf(of: number, name: string, line?: number): number {
    let ids = this.ids.get(of);
    if (ids === undefined) this.ids.set(of, (ids = new Map()));
    const key = line === undefined ? name : `${line} ${name}`;
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = ids.size + 1;
    ids.set(key, id);
    this.unwritten.push({ of, id, name, ...(line !== undefined && { line }) });
    return id;
  }

  /** Writes those that no packet has yet: before the event that uses them. */
  write(sequence: PacketSequence): void {
    if (this.unwritten.length === 0) return;
    writeInternedData(this.unwritten, sequence);
    this.unwritten = [];
  }
}

export function writeInternedData(names: readonly Interned[], sequence: PacketSequence): void {
  sequence.packet((own, writer) => writer.writeMessage(PACKET.internedData, writeNames, own), names);
}

function writeNames(names: readonly Interned[], writer: PbfWriter): void {
  for (const interned of names) writer.writeMessage(interned.of, writeInterned, interned);
}

function writeInterned({ id, name, line }: Interned, writer: PbfWriter): void {
  writer.writeVarintField(INTERNED.id, id);
  writeTextField(INTERNED.name, visibleText(name), writer);
  if (line !== undefined) writer.writeVarintField(INTERNED.line, line);
}
