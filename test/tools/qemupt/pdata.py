"""Reads perf.data, as far as needed here."""
import struct


class Data:
    def __init__(self, path):
        self.bytes = d = open(path, 'rb').read()
        _, self.attr_size, attrs_at, attrs_size, self.at, self.size = struct.unpack_from('<6Q', d, 8)
        self.attrs = []  # bytes, ids
        for at in range(attrs_at, attrs_at + attrs_size, self.attr_size):
            ids_at, ids_size = struct.unpack_from('<QQ', d, at + self.attr_size - 16)
            self.attrs.append((d[at:at + self.attr_size - 16], list(struct.unpack_from('<%dQ' % (ids_size // 8), d, ids_at))))
        self.sample_types = {i: struct.unpack_from('<Q', a, 24)[0] for a, ids in self.attrs for i in ids}
        self.features = {}
        at, bits = self.at + self.size, int.from_bytes(d[72:104], 'little')
        for bit in range(256):
            if bits >> bit & 1:
                offset, size = struct.unpack_from('<QQ', d, at)
                self.features[bit] = d[offset:offset + size]
                at += 16
        shift, mult, zero = next(struct.unpack_from('<QQQ', r, 8) for r in self.records() if r[0] == 79)
        self.time_conv = shift, mult, zero
        self.ns = lambda t: zero + (t >> shift) * mult + (((t & ((1 << shift) - 1)) * mult) >> shift)

    def records(self):
        at, end = self.at, self.at + self.size
        while at < end:
            kind, _, size = struct.unpack_from('<IHH', self.bytes, at)
            yield self.bytes[at:at + size]
            at += size
            if kind == 71:  # AUXTRACE
                at += struct.unpack_from('<Q', self.bytes, at - size + 8)[0]

    def trailer(self, r):
        """pid, tid, time, CPU of a record of the kernel other than a sample; None: it has none."""
        bits = self.sample_types.get(struct.unpack_from('<Q', r, len(r) - 8)[0], next(iter(self.sample_types.values())))
        at = len(r) - 8
        cpu = time = pid = tid = None
        if bits & 128:
            at -= 8
            cpu, = struct.unpack_from('<I', r, at)
        if bits & 512:
            at -= 8
        if bits & 64:
            at -= 8
        if bits & 4:
            at -= 8
            time, = struct.unpack_from('<Q', r, at)
        if bits & 2:
            pid, tid = struct.unpack_from('<ii', r, at - 8)
        return pid, tid, time, cpu

    def time(self, r):
        """Of a record of the kernel; None of one that perf made."""
        kind, = struct.unpack_from('<I', r)
        if kind == 9:  # SAMPLE: header, id, ip, pid and tid, time
            bits = self.sample_types[struct.unpack_from('<Q', r, 8)[0]]
            return struct.unpack_from('<Q', r, 16 + 8 * (bits & 1) + 4 * (bits & 2))[0]
        return self.trailer(r)[2] if 0 < kind < 64 else None

    def switches(self, pick):
        """By CPU: times, and pick((pid, tid)) of who runs from then on."""
        found = {}
        for r in self.records():
            if r[0] == 15:  # SWITCH_CPU_WIDE
                pid, tid, time, cpu = self.trailer(r)
                is_out = struct.unpack_from('<H', r, 4)[0] & 0x2000
                found.setdefault(cpu, []).append((time, pick(struct.unpack_from('<ii', r, 8) if is_out else (pid, tid))))
        return {cpu: sorted(rows) for cpu, rows in found.items()}
