/**
 * Numbers the threads, or processes, of several hosts: each host has its own.
 */

export class HostIds {
  private readonly isOnly: boolean;
  private readonly ids = new Map<number, number>();
  private readonly hosts: number[] = [];
  private readonly numbers: number[] = [];

  /** On a single host, the number is the id. */
  constructor(hostCount: number) {
    this.isOnly = hostCount === 1;
  }

  idOf(host: number, number: number): number {
    if (this.isOnly) return number;
    const key = host * HOST_SIZE + number;
    let id = this.ids.get(key);
    if (id === undefined) {
      this.ids.set(key, (id = this.hosts.push(host) - 1));
      this.numbers.push(number);
    }
    return id;
  }

  idsOf(host: number, numbers: Int32Array): Int32Array {
    return this.isOnly ? numbers : numbers.map((number) => this.idOf(host, number));
  }

  hostOf(id: number): number {
    return this.isOnly ? 0 : this.hosts[id];
  }

  numberOf(id: number): number {
    return this.isOnly ? id : this.numbers[id];
  }
}

const HOST_SIZE = 2 ** 32;
