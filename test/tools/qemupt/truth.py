"""truth.py RUN < TEXT: true stacks, from the stack pointer -> RUN/truth.folded: lines of TID;FRAMES NS.

TEXT: perf's of all branches (--itrace=be), which must be the true ones. Names and times are taken from it, line by line.
A function that was jumped to stands below the one that jumped; thunks leave no frame. TID 0/C: the idle task of CPU C.
[off-cpu]: switched out. Callers of what ran at the start appear when they are returned into. Signals are not followed.
"""
import bisect
import re
import struct
import sys

from pdata import Data

_, _, _, _, CALL, CALLI, RET, SYSCALL, SYSRET, IRET, INT, ASYNC, BEGIN = range(13)
run = sys.argv[1]
data = Data(run + '/perf.data/data')
switches = data.switches(lambda thread: thread[1])
parents = {}  # of threads: their parents, and when they began
for r in data.records():
    if r[0] == 7:  # FORK
        _, _, tid, parent = struct.unpack_from('<iiii', r, 8)
        parents.setdefault(tid, (parent, data.trailer(r)[2] or 0))

symbols = []
for line in open(run + '/perf.data/kcore_dir/kallsyms'):
    address, kind, name = line.split()[:3]
    if kind in 'tTwW':
        symbols.append((int(address, 16), name))
symbols.sort(key=lambda row: row[0])
starts = [row[0] for row in symbols]
THUNKS = {a for a, name in symbols if re.search(r'_thunk_(r|array)|return_thunk$|^__indirect_thunk', name)}
SWITCH_TO = next(a for a, name in symbols if name == '__switch_to')

BRANCH = re.compile(r'^\s*-?\d+\s+\[(\d+)\]\s+(\d+)\.(\d{9}):\s+.*?\s([0-9a-f]+) (\S.*?) =>\s+([0-9a-f]+) (.+?)\s*$')
lines = {}  # by CPU: from, to, ns; each an address, the name and the start of its function
names = {}  # of the kernel: by start, as perf has them


def place(address, text):
    name, plus, offset = text.rpartition('+0x')
    return (address, name, address - int(offset, 16)) if plus else (address, '[unknown]', address)


for line in sys.stdin:
    if ' => ' in line and '==> next' not in line:
        cpu, s, ns, a, a_text, b, b_text = BRANCH.match(line).groups()
        a, b = place(int(a, 16), a_text), place(int(b, 16), b_text)
        names.update((start, name) for address, name, start in (a, b) if address >> 63)
        lines.setdefault(int(cpu), []).append((a, b, int(s) * 10**9 + int(ns)))


def kernel_place(address):
    at = bisect.bisect_right(starts, address) - 1
    return address, names.get(starts[at], symbols[at][1]), starts[at]


class Node:
    def __init__(self, parent, name):
        self.parent, self.name, self.on, self.off, self.children = parent, name, 0, 0, {}


class Frame:
    """`slot`: where its return address is; None: called before the trace. `site`: of its call; None: not known."""
    def __init__(self, stack, slot, node, site=None, is_thunk=False):
        self.stack, self.slot, self.node, self.site, self.is_thunk = stack, slot, node, site, is_thunk


class Task:
    def __init__(self, name):
        self.name, self.roots, self.kernel, self.user = name, [], [], []
        self.off_since = self.user_ip = self.user_cr3 = None
        self.was_int = self.is_known = False
        self.calls = []  # last system calls: when, where they return to, stack pointer, frames

    def top(self):
        frames = self.kernel or self.user
        return frames[-1].node if frames else None

    def node(self, parent, name, is_kernel):
        if parent is None:
            self.roots.append(Node(None, name))
            return self.roots[-1]
        key = name, is_kernel
        if key not in parent.children:
            parent.children[key] = Node(parent, name)
        return parent.children[key]


def pop(frames, rsp, stack, is_inclusive=False):
    """Frames whose return address is below the stack pointer are over."""
    if frames and frames[-1].stack not in (None, stack) and any(f.stack == stack for f in frames):
        while frames[-1].stack not in (None, stack):
            frames.pop()
    while frames and frames[-1].stack == stack and frames[-1].slot is not None and frames[-1].slot < rsp + is_inclusive:
        frames.pop()


tasks, running, last_ns = {}, {}, {}


def task_at(cpu, ns):
    rows = switches.get(cpu, [])
    at = bisect.bisect_right(rows, (ns, 1 << 40)) - 1
    tid = rows[at][1] if at >= 0 else 0
    name = str(tid) if tid else '0/%d' % cpu
    return tasks.setdefault(name, Task(name))


def enter_user(task, to, rsp, cr3, ns):
    """The kernel goes back to the program."""
    base = task.kernel[0] if task.kernel else None
    address, name, start = to
    task.kernel = []
    is_same = task.user_ip is not None and (address == task.user_ip or (task.was_int and 0 < address - task.user_ip < 3))
    if task.user and cr3 != task.user_cr3 and not is_same:  # exec
        task.user = []
        base = None
    if not task.user:
        parent, forked_at = parents.get(task.name.isdigit() and int(task.name), (None, 0))
        before = [c for c in tasks[str(parent)].calls if c[0] <= forked_at] if str(parent) in tasks else []
        if task.user_ip is None and before and before[-1][1:3] == (address, rsp):  # a fork: its parent's frames of then
            node = None
            for stack, slot, called in before[-1][3]:
                node = task.node(node, called, False)
                task.user.append(Frame(stack, slot, node))
        else:
            task.user = [Frame(None, None, task.node(None, name, False))]
        if base and base.slot is None and base.node.parent is None:
            base.node.parent = task.user[-1].node
        task.user_cr3 = cr3
    elif not is_same and task.user_ip is not None and start == address:
        sys.exit('a signal handler begins, which is not followed')


def branch(task, kind, a, b, rsp, cr3, is_kernel, cpu):
    """A branch within the program, or within the kernel."""
    frames = task.kernel if is_kernel else task.user
    stack = ('exceptions' if rsp >> 40 == 0xfffffe else rsp >> 14) if is_kernel else 'user'
    (site, a_name, a_start), (address, name, start) = a, b
    is_thunk = is_kernel and start in THUNKS
    if not frames:
        frames.append(Frame(None, None, task.node(None, a_name, is_kernel)))
    if kind in (CALL, CALLI, ASYNC, INT):
        pop(frames, rsp, stack, True)
        over = is_thunk or (is_kernel and start == a_start and start != address)  # or over a few bytes: stuffs return stacks
        node = frames[-1].node if over else task.node(frames[-1].node, name, is_kernel)
        frames.append(Frame(stack, rsp, node, site, is_thunk))
        return
    is_jump = False
    if kind == RET:
        pop(frames, rsp - 8, stack)
        top = frames[-1]
        if top.slot is None and top.site is None:  # the first function that is known returns: to its caller
            if is_kernel and a_start in THUNKS and start == address:  # a jump through a thunk
                frames[-1] = Frame(None, None, task.node(top.node, name, is_kernel))
            elif frames[0].slot is None and frames[0].node.parent is None:
                node = task.node(None, name, is_kernel)
                frames[0].node.parent = node
                frames[:] = [Frame(None, None, node)]
            return
        goes_behind = top.site is not None and 0 < address - top.site < 16
        if is_kernel and goes_behind and top.slot > rsp - 8:  # error_entry moves its return address
            frames.pop()
            return
        is_return = goes_behind and top.slot == rsp - 8
        pop(frames, rsp, stack)
        if is_return or start != address:
            return
        is_jump = True
    else:
        pop(frames, rsp, stack)
        if kind in (IRET, SYSRET):
            return
    # A jump to another function, while the return address is on top of the stack.
    top = frames[-1]
    if not is_thunk and (is_jump or (start == address and start != a_start)) and top.slot in (rsp, None):
        node = task.node(top.node, name, is_kernel)
        if top.is_thunk:
            frames[-1] = Frame(top.stack, top.slot, node, top.site)
        else:
            frames.append(Frame(top.stack, top.slot, node, None if top.slot is None else top.site or 0))


position = dict.fromkeys(lines, 0)
truth = open(run + '/truth.bin', 'rb').read()
for t, from_, to, rsp, cr3, cpu, kind, privileges, _ in struct.iter_unpack('<QQQQIBBBB', truth):
    row = position[cpu]
    position[cpu] += 1
    a, b, ns = lines[cpu][row] if row < len(lines[cpu]) else ((0,), (0,), 0)
    if (a[0], b[0]) != (from_, to):
        sys.exit('branch %d of CPU %d goes from %x to %x, in perf from %x to %x' % (row, cpu, from_, to, a[0], b[0]))
    ns, true_ns = max(ns, last_ns.get(cpu, 0)), data.ns(t)
    was_kernel, is_kernel = privileges & 15 == 0, privileges >> 4 == 0
    a = kernel_place(from_) if was_kernel and from_ else a
    b = kernel_place(to) if is_kernel else b
    cr3 &= ~1
    if kind == BEGIN:
        task = running[cpu] = task_at(cpu, true_ns)
        task.is_known = True
        (task.kernel if is_kernel else task.user).append(Frame(None, None, task.node(None, b[1], is_kernel)))
        last_ns[cpu] = ns
        continue
    task = running[cpu]
    if task.top():
        task.top().on += ns - last_ns[cpu]
    last_ns[cpu] = ns
    if to == SWITCH_TO and was_kernel and kind != ASYNC:  # on the next thread's stack
        while task.kernel and task.kernel[-1].stack == rsp >> 14:  # stuffed return stacks
            task.kernel.pop()
        task.off_since = ns
        task = running[cpu] = task_at(cpu, true_ns)
        if not task.kernel and not task.is_known:
            task.kernel = [Frame(None, None, task.node(None, '__switch_to', True))]
        task.is_known = True
        if task.off_since is not None:
            task.top().off += max(0, ns - task.off_since)
            task.off_since = None
    elif is_kernel and not was_kernel:
        task.user_ip, task.was_int, task.user_cr3 = from_ + 2 * (kind == SYSCALL), kind == INT, cr3
        if kind == SYSCALL:
            frames = [(f.stack, f.slot, f.node.name) for f in task.user]
            task.calls = task.calls[-15:] + [(true_ns, task.user_ip, rsp, frames)]
        task.kernel = [Frame(None, 'entry', task.node(task.user[-1].node if task.user else None, b[1], True))]
    elif was_kernel and not is_kernel:
        enter_user(task, b, rsp, cr3, ns)
    else:
        branch(task, kind, a, b, rsp, cr3, is_kernel, cpu)


def path(node):
    names_ = []
    while node is not None:
        names_.append(node.name)
        node = node.parent
    return names_[::-1]


folded = {}
for task in tasks.values():
    nodes = list(task.roots)
    while nodes:
        node = nodes.pop()
        nodes.extend(node.children.values())
        for ns, end in ((node.on, []), (node.off, ['[off-cpu]'])):
            if ns:
                key = ';'.join([task.name] + path(node) + end)
                folded[key] = folded.get(key, 0) + ns
with open(run + '/truth.folded', 'w') as file:
    file.writelines('%s %d\n' % row for row in sorted(folded.items()))
