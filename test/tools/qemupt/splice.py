"""splice.py PERF.DATA RUN: adds the event intel_pt// and the trace of RUN -> RUN/perf.data."""
import bisect
import os
import shutil
import struct
import sys

from pdata import Data

source, run = sys.argv[1:]
shutil.copytree(source, run + '/perf.data')
data = Data(source + '/data')
shift, mult, zero = data.time_conv
cpus = len([name for name in os.listdir(run) if name.endswith('.pt')])
PMU = 8
first_id = max(i for _, ids in data.attrs for i in ids) + 1
pt_ids = [first_id + cpu for cpu in range(cpus)]
config = 1 | 2 | 0x200 | 0x400 | 0x2000 | 3 << 14  # pt, cyc, mtc, tsc, branch, mtc_period=3
flags = 1 | 2 | 1 << 6 | 1 << 18  # disabled, inherit, exclude_hv, sample_id_all
sample_type = 1 | 2 | 4 | 128 | 65536
attr_bytes = len(data.attrs[0][0])
attr = struct.pack('<IIQQQQQII', PMU, attr_bytes, config, 1, sample_type, 4, flags, 0, 0).ljust(attr_bytes, b'\0')
switches = data.switches(lambda thread: thread)


def record(kind, body):
    return struct.pack('<IHH', kind, 0, 8 + len(body)) + body


def trailer(cpu, time):
    rows = switches.get(cpu, [])
    at = bisect.bisect_right([row[0] for row in rows], time) - 1
    pid, tid = rows[at][1] if at >= 0 else (0, 0)
    return struct.pack('<iiQIIQ', pid, tid, time, cpu, 0, pt_ids[cpu]), struct.pack('<ii', pid, tid)


new = []  # time, record, what follows it
begun = data.ns(int(open(run + '/log').read().split()[1]))
for cpu in range(cpus):
    ids, thread = trailer(cpu, begun)
    new.append((begun, record(12, thread + ids), b''))  # ITRACE_START
for cpu, time, offset, size in struct.iter_unpack('<4Q', open(run + '/chunks.bin', 'rb').read()):
    ids, _ = trailer(cpu, data.ns(time))
    trace = open(run + '/cpu%d.pt' % cpu, 'rb').read()[offset:offset + size]
    trace += b'\0' * (-size % 8)
    aux = record(11, struct.pack('<QQQ', offset, size, 0) + ids)
    new.append((data.ns(time), aux, record(71, struct.pack('<QQQIiII', len(trace), offset, time, cpu, -1, cpu, 0)) + trace))
new.sort(key=lambda row: row[0])
settings = PMU, shift, mult, zero, 1, 0x400, 0x800, 3, 0, 1, 0x200, 0x3c000, 40, 1, 2, 10, 0, 0
info = record(70, struct.pack('<II18Q', 1, 0, *settings))

ids = attrs = b''
for bytes_, own_ids in [(attr, pt_ids)] + data.attrs:
    attrs += bytes_ + struct.pack('<QQ', 104 + len(ids), 8 * len(own_ids))
    ids += struct.pack('<%dQ' % len(own_ids), *own_ids)
data_at = 104 + len(ids) + len(attrs)
records, index = b'', []


def add_until(time):
    global records
    while new and (time is None or new[0][0] < time):
        _, first, second = new.pop(0)
        records += first
        if second:
            index.append((data_at + len(records), 48))
            records += second


for r in data.records():
    if data.time(r):
        add_until(data.time(r))
    if r[0] == 69:  # ID_INDEX
        n, = struct.unpack_from('<Q', r, 8)
        entries = r[16:16 + 32 * n] + b''.join(struct.pack('<QQQq', i, cpu, cpu, -1) for cpu, i in enumerate(pt_ids))
        machines = r[16 + 32 * n:]
        r = record(69, struct.pack('<Q', n + cpus) + entries + machines + (b'\0' * 16 * cpus if machines else b'')) + info
    records += r
add_until(None)

features = dict(data.features)
name = b'intel_pt/cyc/'.ljust(64, b'\0')
n, size = struct.unpack_from('<II', features[12])  # EVENT_DESC
own = attr.ljust(size, b'\0')[:size] + struct.pack('<II', cpus, 64) + name + struct.pack('<%dQ' % cpus, *pt_ids)
features[12] = struct.pack('<II', n + 1, size) + own + features[12][8:]
features[18] = struct.pack('<Q', len(index)) + b''.join(struct.pack('<QQ', *row) for row in index)  # AUXTRACE
bodies_at = data_at + len(records) + 16 * len(features)
table = bodies = b''
for bit in sorted(features):
    table += struct.pack('<QQ', bodies_at + len(bodies), len(features[bit]))
    bodies += features[bit]
header = struct.pack('<8Q', 104, attr_bytes + 16, 104 + len(ids), len(attrs), data_at, len(records), 0, 0)
bits = sum(1 << bit for bit in features).to_bytes(32, 'little')
with open(run + '/perf.data/data', 'wb') as file:
    file.write(b'PERFILE2' + header + bits + ids + attrs + records + table + bodies)
