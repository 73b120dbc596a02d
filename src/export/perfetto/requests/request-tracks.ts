/**
 * Writes the tracks of requests when they are first needed: hosts, processes, threads, and lanes of these.
 */
import type { FoundHost } from '../../../questions/requests/hosts/found-hosts.js';
import type { KnownThread } from '../../../questions/waits/thread-directory.js';
import { PACKET } from '../fields.js';
import type { PacketSequence } from '../packets.js';
import { type Process, threadName, writeNamedTrack, writeProcessTrack, writeThreadTrack } from '../tracks.js';

export class RequestTracks {
  private readonly hosts: readonly FoundHost[];
  private readonly comms: readonly ReadonlyMap<number, string | null>[];
  private readonly sequence: PacketSequence;
  private readonly known = new Map<string, number>();
  private count = 0;

  constructor(hosts: readonly FoundHost[], sequence: PacketSequence) {
    this.hosts = hosts;
    this.comms = hosts.map(({ profile: { threads } }) => new Map(threads.map(({ tid, comm }) => [tid, comm])));
    this.sequence = sequence;
  }

  /** Begins the track of a thread, or another one below it: the lane. */
  begin(host: number, thread: KnownThread, lane: number): void {
    const track = this.hosts.length === 1 ? this.ofThread(thread) : this.ofHostThread(host, thread);
    const name = `${threadName(thread)} (${lane + 1})`;
    this.sequence.beginTrack(lane === 0 ? track : this.named(name, track));
  }

  private ofThread(thread: KnownThread): number {
    const process = thread.pid === null ? null : this.process(thread.pid);
    return this.once(`thread ${thread.tid}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeThreadTrack, own), {
        ...{ id, thread, process },
      });
    });
  }

  private process(pid: number): Process {
    const name = this.comms[0].get(pid) ?? null;
    const id = this.once(`process ${pid}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeProcessTrack, own), {
        ...{ id, pid, name },
      });
    });
    return { id, pid, name };
  }

  /** Perfetto takes threads of one number for one thread: those of several hosts are tracks with a name only. */
  private ofHostThread(host: number, thread: KnownThread): number {
    const { pid } = thread;
    const ofHost = this.named(this.hosts[host].name ?? `host ${host + 1}`, null);
    if (pid === null) return this.named(threadName(thread), ofHost);
    const comm = this.comms[host].get(pid) ?? 'process';
    return this.named(threadName(thread), this.named(`${comm} ${pid}`, ofHost));
  }

  private named(name: string, parent: number | null): number {
    return this.once(`${parent} ${name}`, (id) => {
      this.sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeNamedTrack, own), {
        ...{ id, name, parent },
      });
    });
  }

  private once(key: string, write: (id: number) => void): number {
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const id = ++this.count;
    this.known.set(key, id);
    write(id);
    return id;
  }
}
