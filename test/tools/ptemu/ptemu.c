/*
 * ptemu: record the user-space execution of a program by single-stepping it and
 * write a perf.data file with Intel PT packets.  See README.md.
 *
 * The tracee runs on simulated CPUs in virtual time.  One instruction is stepped
 * at a time, always on the CPU whose clock is lowest.  Sleeping and futex system
 * calls are carried out by ptemu itself, so that blocking, waking, migration and
 * preemption happen in virtual time and are the same in every run.
 */
#define _GNU_SOURCE
#include "ptemu.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct opts O = {
	.out = "perf.data", .ncpu = 1, .pid0 = 5000, .ns_insn = 0.5, .ns_syscall = 400, .slice_ns = 1000000,
	.mtc = true, .cbr = MAX_NONTURBO, .psb_bits = 1, .switch_mode = 3, .chunk = 2 << 20, .base_ns = 12345678901234ULL,
	.migrate = true, .repeat_cpus = 1,
};

void die(const char *fmt, ...)
{
	va_list a; va_start(a, fmt);
	fprintf(stderr, "ptemu: "); vfprintf(stderr, fmt, a); fputc('\n', stderr);
	exit(1);
}

enum { T_RUN, T_READY, T_WAIT, T_RBLOCK, T_DEAD };
struct frame { u64 slot, fn, ret; };
struct thread {
	pid_t rtid; int vtid, idx, state, cpu, last_cpu;
	struct user_regs_struct r;
	u64 fx;                      /* READY: time it became ready */
	u64 deadline; bool timed;    /* WAIT */
	u64 futex; u32 bitset; bool infutex; long wres; u64 wseq;
	u64 ctid;
	bool need_pge, sigentry, was_out, probed, int3;
	u64 out_fx, off;
	u64 oncpu;
	u64 rb_fx; struct timespec rb_real;
	struct frame *st; int nst, cst;
	int fib; u64 top;            /* which stack it is on (0: its own), and where that ends */
	u64 started;                 /* bit per CPU: ITRACE_START sent */
	u64 ip_sym0, ip_sym1;        /* symbol bounds of the current function (tail call test) */
};
struct cpu { int id; u64 fx, slice_end, next_irq; struct thread *cur; struct enc e; int prev_vtid; bool used; };

static struct cpu C[MAXCPU];
static struct thread **T; static int nT, nlive, nready, ntimer, nrblock;
static pid_t P;              /* tracee pid */
static u64 ninsn, nsys, g_branches, rng, wseq, endfx, startfx;
static bool stopping;
static int memfd_ = -1;

static u64 rnd(void) { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; return rng; }
#define TICK(fx) ((fx) >> FX)

/* ---- tracee memory ---------------------------------------------------- */
static bool rd(u64 a, void *b, size_t n)
{
	struct iovec l = { b, n }, r = { (void *)a, n };
	return process_vm_readv(P, &l, 1, &r, 1, 0) == (ssize_t)n;
}
static bool wr(u64 a, const void *b, size_t n) { return pwrite(memfd_, b, n, a) == (ssize_t)n; }

/* ---- instruction cache -------------------------------------------------- */
#define IB 18
static struct { u64 ip; struct insn in; } ic[1 << IB];
static void ic_flush(void) { memset(ic, 0, sizeof ic); }
static struct insn *insn_at(u64 ip)
{
	u32 h = (ip ^ ip >> IB) & ((1 << IB) - 1);
	if (ic[h].ip == ip) return &ic[h].in;
	u8 b[16]; int n = 16;
	while (n && !rd(ip, b, n)) n--;
	insn_classify(b, n, ip, &ic[h].in);
	ic[h].ip = ip;
	return &ic[h].in;
}

/* ---- architectural events -------------------------------------------------- */
static struct ev *rep_ev; static u64 nrep, crep; static bool rep_on; static u64 rep_fx0;

static void feed(struct cpu *c, struct ev *v)
{
	enc_event(&c->e, v);
	if (c->e.len >= O.chunk) enc_flush_chunk(&c->e, v->tick, O.pid0, c->cur ? c->cur->vtid : 0, false);
}

static void maybe_lose(struct cpu *c, struct thread *t)
{
	for (int i = 0; i < O.novf; i++)
		if (g_branches == O.ovf_at[i]) enc_lose(&c->e, 1, O.ovf_len[i], TICK(c->fx), t->vtid);
	for (int i = 0; i < O.ntrunc; i++)
		if (g_branches == O.trunc_at[i]) {
			enc_lose(&c->e, 2, O.trunc_len[i], TICK(c->fx), t->vtid);
			enc_align(&c->e);
			pd_aux(c->id, O.pid0, t->vtid, TICK(c->fx), c->e.aux_done, c->e.total - c->e.aux_done, 1);
			c->e.aux_done = c->e.total;
		}
}

static void event(struct cpu *c, struct thread *t, struct ev *v)
{
	v->thr = t->idx;
	v->tick = TICK(c->fx);
	if (rep_on) {
		if (nrep == crep) { crep = crep ? crep * 2 : 4096; rep_ev = realloc(rep_ev, crep * sizeof *rep_ev); }
		rep_ev[nrep] = *v;
		rep_ev[nrep++].tick = c->fx - rep_fx0; /* full resolution */
	}
	if (v->kind < K_SYSCALL) { g_branches++; if (O.novf || O.ntrunc) maybe_lose(c, t); }
	feed(c, v);
}

static void fpush(struct thread *t, u64 slot, u64 fn)
{
	if (t->nst == t->cst) { t->cst = t->cst ? t->cst * 2 : 64; t->st = realloc(t->st, t->cst * sizeof *t->st); }
	t->st[t->nst++] = (struct frame){ slot, fn, 0 };
}
#define NOSLOT (~0ULL)

static void begin(struct cpu *c, struct thread *t)
{
	struct ev v = { .kind = K_BEGIN, .to = t->r.rip, .bt = t->was_out, .off = t->off };
	if (t->sigentry) { v.op = OP_SIGPUSH; v.fn = t->r.rip; fpush(t, t->r.rsp, t->r.rip); t->sigentry = false; }
	event(c, t, &v);
	t->need_pge = false; t->was_out = false; t->off = 0;
}

/* ---- mappings ------------------------------------------------------------------ */
static struct cpu *mm_cpu; static struct thread *mm_t;
static void newmap(u64 addr, u64 len, u64 pgoff, int prot, const char *fn)
{
	if (O.verbose) fprintf(stderr, "ptemu: map %lx+%lx %s\n", addr, len, fn);
	pd_mmap2(mm_cpu->id, O.pid0, mm_t->vtid, TICK(mm_cpu->fx), addr, len, pgoff, prot, fn);
}

/* ---- tracepoints ---- */
static struct wevent *w_switch, *w_waking, *w_futex;
static char comms[1 << 16][16];
static const char *comm_of(int vtid, int cpu)
{
	static char idle[16];
	if (vtid) return comms[vtid & 0xffff];
	snprintf(idle, sizeof idle, "swapper/%d", cpu);
	return idle;
}
static void s_switch(int cpu, int prev, int next, long state, u64 tick)
{
	if (!w_switch) return;
	u8 b[64] = { 0 }; int prio = 120;
	memcpy(b + 8, comm_of(prev, cpu), 16); memcpy(b + 24, &prev, 4); memcpy(b + 28, &prio, 4); memcpy(b + 32, &state, 8);
	memcpy(b + 40, comm_of(next, cpu), 16); memcpy(b + 56, &next, 4); memcpy(b + 60, &prio, 4);
	pd_sample(cpu, O.pid0, prev, tick, w_switch, 0xffffffff81001000ULL, b, 64, 1);
}
static void s_waking(int cpu, int waker, int wakee, int target, u64 tick, int flags)
{
	if (!w_waking) return;
	u8 b[36] = { 0 }; int prio = 120;
	memcpy(b + 8, comm_of(wakee, 0), 16); memcpy(b + 24, &wakee, 4); memcpy(b + 28, &prio, 4); memcpy(b + 32, &target, 4);
	pd_sample(cpu, O.pid0, waker, tick, w_waking, 0xffffffff81002000ULL, b, 36, flags);
}
static void s_futex(int cpu, int tid, u64 tick, const u64 *a)
{
	if (!w_futex) return;
	u8 b[64] = { 0 }; int nr = 202;
	memcpy(b + 8, &nr, 4); memcpy(b + 16, a, 48);
	pd_sample(cpu, O.pid0, tid, tick, w_futex, 0xffffffff81003000ULL, b, 64, 0);
}

/* ---- scheduling ------------------------------------------------------------------- */
static void switch_in(struct cpu *c, struct thread *t, u64 fx)
{
	if (fx > c->fx) c->fx = fx;
	c->fx += ns_fx(200);
	int from = c->prev_vtid;
	pd_switch(c->id, false, false, O.pid0, t->vtid, from ? O.pid0 : 0, from, TICK(c->fx));
	c->used = true;
	c->prev_vtid = t->vtid;
	c->fx += ns_fx(100);
	if (!(t->started >> c->id & 1)) { pd_itrace_start(c->id, O.pid0, t->vtid, TICK(c->fx)); t->started |= 1ULL << c->id; }
	enc_sched_in(&c->e, TICK(c->fx));
	c->fx += ns_fx(300);
	c->cur = t; t->state = T_RUN; t->cpu = t->last_cpu = c->id;
	c->slice_end = c->fx + ns_fx(O.slice_ns);
	if (t->was_out) t->off += TICK(c->fx) - TICK(t->out_fx);
	t->need_pge = true;
}

static struct thread *best_ready(u64 limit)
{
	struct thread *b = NULL;
	if (!nready) return NULL;
	for (int i = 0; i < nT; i++)
		if (T[i]->state == T_READY && T[i]->fx <= limit && (!b || T[i]->fx < b->fx)) b = T[i];
	return b;
}

static void switch_out(struct cpu *c, bool preempt)
{
	struct thread *t = c->cur;
	c->fx += ns_fx(300);
	c->cur = NULL;
	struct thread *n = best_ready(c->fx);
	if (n == t) n = NULL;
	t->was_out = true; t->out_fx = c->fx; t->cpu = -1;
	s_switch(c->id, t->vtid, n ? n->vtid : 0, preempt ? 0x100 : t->state == T_DEAD ? 0x20 : t->state == T_READY ? 0 : 1, TICK(c->fx));
	pd_switch(c->id, true, preempt, O.pid0, t->vtid, n ? O.pid0 : 0, n ? n->vtid : 0, TICK(c->fx));
	if (c->e.total > c->e.aux_done) {
		enc_align(&c->e);
		pd_aux(c->id, O.pid0, t->vtid, TICK(c->fx), c->e.aux_done, c->e.total - c->e.aux_done, 0);
		c->e.aux_done = c->e.total;
	}
	if (n) { nready--; switch_in(c, n, c->fx); }
	else {
		pd_switch(c->id, false, false, 0, 0, O.pid0, t->vtid, TICK(c->fx)); /* idle task in */
		c->prev_vtid = 0;
	}
	if (c->fx > endfx) endfx = c->fx;
}

static void place(struct cpu *c, struct thread *t)
{
	u64 fx = t->fx > c->fx ? t->fx : c->fx;
	if (c->used && !c->prev_vtid) s_switch(c->id, 0, t->vtid, 0, TICK(fx) + 299);
	if (c->used && !c->prev_vtid)
		pd_switch(c->id, true, false, 0, 0, O.pid0, t->vtid, TICK(fx) + 300); /* idle task out */
	nready--;
	switch_in(c, t, fx);
}

static void make_ready(struct thread *t, u64 fx) { t->state = T_READY; t->fx = fx; nready++; }

static void sys_return(struct thread *t, long res)
{ /* the effect of SYSCALL/SYSRET without entering the kernel */
	t->r.rax = res;
	t->r.rip += 2;
	t->r.rcx = t->r.rip;
	t->r.r11 = t->r.eflags & ~0x100ULL;
	if (ptrace(PTRACE_SETREGS, t->rtid, 0, &t->r)) die("SETREGS: %s", strerror(errno));
}

static void wake(struct thread *t, u64 fx, long res)
{
	if (t->timed) ntimer--;
	t->timed = t->infutex = false;
	sys_return(t, res);
	make_ready(t, fx + ns_fx(800));
}

static void block(struct cpu *c, struct thread *t)
{
	t->state = T_WAIT;
	t->wseq = ++wseq;
	if (t->timed) ntimer++;
	switch_out(c, false);
}

static int futex_wake(struct cpu *c, int waker, u64 addr, u32 n, u32 bits, u64 fx)
{
	u32 k = 0;
	while (k < n) {
		struct thread *b = NULL;
		for (int i = 0; i < nT; i++)
			if (T[i]->state == T_WAIT && T[i]->infutex && T[i]->futex == addr && (T[i]->bitset & bits) && (!b || T[i]->wseq < b->wseq)) b = T[i];
		if (!b) break;
		s_waking(c->id, waker, b->vtid, b->last_cpu, TICK(fx), 1);
		wake(b, fx, 0);
		k++;
	}
	return k;
}

static struct thread *new_thread(pid_t rtid)
{
	struct thread *t = calloc(1, sizeof *t);
	T = realloc(T, (nT + 1) * sizeof *T);
	T[nT] = t;
	t->rtid = rtid; t->idx = nT; t->vtid = O.real_tids ? rtid : O.pid0 + nT; t->cpu = t->last_cpu = -1;
	nT++; nlive++;
	return t;
}

/* ---- end of things --------------------------------------------------------------------- */
static void close_thread(struct cpu *c, struct thread *t)
{
	pd_task(c->id, false, O.pid0, O.pid0, t->vtid, O.pid0, TICK(c->fx));
	truth_thread_end(t->idx, TICK(c->fx));
}

static void finish(void)
{
	for (int i = 0; i < O.ncpu; i++) {
		struct cpu *c = &C[i];
		if (!c->e.total) continue;
		if (c->fx > endfx) endfx = c->fx;
		enc_flush_chunk(&c->e, TICK(c->fx), O.pid0, O.pid0, true);
		if (c->e.len) pd_auxtrace(i, c->e.flushed, c->e.buf, c->e.len, TICK(c->fx));
	}
	pd_finished_round();
	truth_close();
	pd_close(tick_ns(TICK(startfx)), tick_ns(TICK(endfx)));
}

static void async_end(struct cpu *c, struct thread *t)
{
	if (t->need_pge) return;
	struct ev v = { .kind = K_ASYNC, .from = t->r.rip };
	event(c, t, &v);
	t->need_pge = true;
}

static void stop_tracing(void)
{ /* end the trace while the program still runs, then let it go */
	stopping = true;
	for (int i = 0; i < O.ncpu; i++)
		if (C[i].cur) async_end(&C[i], C[i].cur);
	for (int i = 0; i < nT; i++)
		if (T[i]->state != T_DEAD && T[i]->state != T_RBLOCK) ptrace(PTRACE_DETACH, T[i]->rtid, 0, 0);
	for (int i = 0; i < nT; i++)
		if (T[i]->state == T_RBLOCK) { kill(P, SIGKILL); break; }
}

/* ---- system calls -------------------------------------------------------------------------- */
static bool may_block(long nr)
{
	switch (nr) {
	case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_accept: case SYS_accept4: case SYS_poll:
	case SYS_ppoll: case SYS_select: case SYS_pselect6: case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_wait4:
	case SYS_waitid: case SYS_pause: case SYS_rt_sigtimedwait: case SYS_rt_sigsuspend: case SYS_connect: case SYS_flock:
	case SYS_write: case SYS_writev: case SYS_sendto: case SYS_sendmsg: case SYS_futex: case SYS_msgrcv: case SYS_semop:
	case SYS_vfork: case SYS_fsync:
		return true;
	}
	return false;
}

static double since(const struct timespec *a)
{
	struct timespec b; clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a->tv_sec) * 1e9 + (b.tv_nsec - a->tv_nsec);
}

static void thread_gone(struct cpu *c, struct thread *t, int st)
{ /* a thread vanished without our doing (fatal signal) */
	if (O.verbose) fprintf(stderr, "ptemu: thread %d gone, status %x\n", t->vtid, st);
	stopping = true;
	for (int i = 0; i < O.ncpu; i++)
		if (C[i].cur && C[i].cur != t) async_end(&C[i], C[i].cur);
	close_thread(c, t);
}

/* the step over SYSCALL has stopped: take over the registers and any side effects */
static void syscall_done(struct cpu *c, struct thread *t, long nr, const u64 *a)
{
	if (ptrace(PTRACE_GETREGS, t->rtid, 0, &t->r)) die("GETREGS after syscall: %s", strerror(errno));
	long res = t->r.rax;
	switch (nr) {
	case SYS_mmap: case SYS_mprotect: case SYS_munmap: case SYS_mremap: case SYS_shmat: case SYS_pkey_mprotect:
		if (res >= 0 || res < -4095) {
			ic_flush();
			mm_cpu = c; mm_t = t;
			if (nr == SYS_munmap || (a[2] & 4)) maps_reload(P, newmap);
		}
		break;
	case SYS_set_tid_address: t->ctid = a[0]; break;
	case SYS_prctl:
		if (a[0] == 15) { char b[17] = ""; rd(a[1], b, 16); memcpy(comms[t->vtid & 0xffff], b, 16); pd_comm(c->id, O.pid0, t->vtid, TICK(c->fx), b, false); }
		break;
	}
}

static void do_clone(struct cpu *c, struct thread *t, long nr, const u64 *a, pid_t child)
{
	struct thread *n = new_thread(child);
	int st;
	if (nr == SYS_clone) { if (a[0] & 0x200000) n->ctid = a[3]; }
	else { u64 ca[3]; if (rd(a[0], ca, sizeof ca) && (ca[0] & 0x200000)) n->ctid = ca[2]; }
	if (waitpid(child, &st, __WALL) != child || !WIFSTOPPED(st)) die("new thread did not stop");
	if (ptrace(PTRACE_GETREGS, child, 0, &n->r)) die("GETREGS child");
	fpush(n, NOSLOT, n->r.rip);
	truth_thread(n->idx, O.pid0, n->vtid, n->r.rip, TICK(c->fx));
	memcpy(comms[n->vtid & 0xffff], comms[t->vtid & 0xffff], 16);
	pd_task(c->id, true, O.pid0, O.pid0, n->vtid, t->vtid, TICK(c->fx));
	make_ready(n, c->fx + ns_fx(1000));
}

static void vtime(struct cpu *c, long clk, struct timespec *ts, struct thread *t)
{
	u64 ns = tick_ns(TICK(c->fx));
	if (clk == CLOCK_REALTIME || clk == CLOCK_REALTIME_COARSE) ns += 1700000000ULL * 1000000000ULL;
	if (clk == CLOCK_PROCESS_CPUTIME_ID || clk == CLOCK_THREAD_CPUTIME_ID) ns = TICK(c->fx - startfx) / 3, (void)t;
	ts->tv_sec = ns / 1000000000; ts->tv_nsec = ns % 1000000000;
}

/* absolute or relative timespec -> deadline in fx */
static u64 deadline(struct cpu *c, const struct timespec *ts, bool abs, long clk)
{
	double ns = ts->tv_sec * 1e9 + ts->tv_nsec;
	if (!abs) return c->fx + ns_fx(ns);
	struct timespec now; vtime(c, clk, &now, NULL);
	__int128 d = ((__int128)ts->tv_sec - now.tv_sec) * 1000000000 + ts->tv_nsec - now.tv_nsec;
	return d <= 0 ? c->fx : c->fx + ns_fx((double)d);
}

static void do_syscall(struct cpu *c, struct thread *t)
{
	struct user_regs_struct *r = &t->r;
	long nr = r->rax;
	u64 a[6] = { r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9 };
	struct timespec ts;
	u32 w;
	int st;
	nsys++;
	if (t->need_pge) begin(c, t);
	c->fx += ns_fx(O.ns_insn);
	struct ev v = { .kind = K_SYSCALL, .from = r->rip, .len = 2 };
	event(c, t, &v);
	t->need_pge = true;
	c->fx += ns_fx(O.ns_syscall);

	switch (nr) { /* those done in virtual time */
	case SYS_futex: {
		int op = a[1] & 127;
		s_futex(c->id, t->vtid, TICK(c->fx) - 900, a);
		if (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET) {
			if (!rd(a[0], &w, 4)) { sys_return(t, -EFAULT); return; }
			if (w != (u32)a[2]) { sys_return(t, -EAGAIN); return; }
			t->infutex = true; t->futex = a[0];
			t->bitset = op == FUTEX_WAIT_BITSET ? (u32)a[5] : ~0u;
			if (a[3] && rd(a[3], &ts, sizeof ts)) {
				t->timed = true; t->wres = -ETIMEDOUT;
				t->deadline = deadline(c, &ts, op == FUTEX_WAIT_BITSET, a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
			}
			block(c, t);
			return;
		}
		if (op == FUTEX_WAKE || op == FUTEX_WAKE_BITSET) {
			sys_return(t, futex_wake(c, t->vtid, a[0], a[2], op == FUTEX_WAKE_BITSET ? (u32)a[5] : ~0u, c->fx));
			return;
		}
		if (op == FUTEX_REQUEUE || op == FUTEX_CMP_REQUEUE) {
			if (op == FUTEX_CMP_REQUEUE && (!rd(a[0], &w, 4) || w != (u32)a[5])) { sys_return(t, -EAGAIN); return; }
			int k = futex_wake(c, t->vtid, a[0], a[2], ~0u, c->fx);
			for (int i = 0; i < nT && a[3]; i++)
				if (T[i]->state == T_WAIT && T[i]->infutex && T[i]->futex == a[0]) { T[i]->futex = a[4]; a[3]--; k++; }
			sys_return(t, k);
			return;
		}
		break;
	}
	case SYS_nanosleep: case SYS_clock_nanosleep: {
		bool cn = nr == SYS_clock_nanosleep;
		if (!rd(cn ? a[2] : a[0], &ts, sizeof ts)) { sys_return(t, -EFAULT); return; }
		t->timed = true; t->wres = 0;
		t->deadline = deadline(c, &ts, cn && (a[1] & TIMER_ABSTIME), cn ? (long)a[0] : CLOCK_MONOTONIC) + ns_fx(50000); /* timer slack */
		block(c, t);
		return;
	}
	case SYS_clock_gettime:
		vtime(c, a[0], &ts, t);
		sys_return(t, wr(a[1], &ts, sizeof ts) ? 0 : -EFAULT);
		return;
	case SYS_gettimeofday:
		vtime(c, CLOCK_REALTIME, &ts, t);
		if (a[0]) { struct timeval tv = { ts.tv_sec, ts.tv_nsec / 1000 }; wr(a[0], &tv, sizeof tv); }
		sys_return(t, 0);
		return;
	case SYS_time:
		vtime(c, CLOCK_REALTIME, &ts, t);
		if (a[0]) wr(a[0], &ts.tv_sec, 8);
		sys_return(t, ts.tv_sec);
		return;
	case SYS_sched_yield:
		sys_return(t, 0);
		if (best_ready(c->fx)) { make_ready(t, c->fx); t->fx += 1; switch_out(c, false); }
		return;
	case SYS_exit:
		close_thread(c, t);
		t->state = T_DEAD; nlive--;
		ptrace(PTRACE_CONT, t->rtid, 0, 0);
		if (t->rtid != P) {
			while (waitpid(t->rtid, &st, __WALL) == t->rtid && !WIFEXITED(st) && !WIFSIGNALED(st)) ptrace(PTRACE_CONT, t->rtid, 0, 0);
			if (t->ctid) futex_wake(c, t->vtid, t->ctid, 1, ~0u, c->fx);
		}
		switch_out(c, false);
		return;
	case SYS_exit_group:
		for (int i = 0; i < O.ncpu; i++)
			if (C[i].cur && C[i].cur != t) { if (C[i].fx < c->fx) C[i].fx = c->fx; async_end(&C[i], C[i].cur); }
		for (int i = 0; i < nT; i++)
			if (T[i]->state != T_DEAD) close_thread(c, T[i]);
		stopping = true;
		ptrace(PTRACE_CONT, t->rtid, 0, 0);
		return;
	case SYS_execve: case SYS_execveat:
		fprintf(stderr, "ptemu: execve is not traced; the trace ends here\n");
		close_thread(c, t);
		stopping = true;
		ptrace(PTRACE_DETACH, t->rtid, 0, 0);
		return;
	}

	/* a real system call */
	struct timespec t0; clock_gettime(CLOCK_MONOTONIC, &t0);
	bool blocky = may_block(nr);
	if (ptrace(PTRACE_SINGLESTEP, t->rtid, 0, 0)) die("SINGLESTEP: %s", strerror(errno));
	for (;;) {
		pid_t p = waitpid(t->rtid, &st, __WALL | (blocky && nlive > 1 ? WNOHANG : 0));
		if (p < 0) { if (errno == EINTR) continue; die("waitpid: %s", strerror(errno)); }
		if (p == 0) {
			if (since(&t0) > 5e6) { /* it blocks for real: let the others run */
				t->state = T_RBLOCK; nrblock++;
				t->rb_fx = c->fx; t->rb_real = t0;
				switch_out(c, false);
				return;
			}
			usleep(50);
			continue;
		}
		if (!WIFSTOPPED(st)) { t->state = T_DEAD; nlive--; thread_gone(c, t, st); return; }
		if (st >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
			unsigned long ch; ptrace(PTRACE_GETEVENTMSG, t->rtid, 0, &ch);
			do_clone(c, t, nr, a, ch);
			ptrace(PTRACE_SINGLESTEP, t->rtid, 0, 0);
			continue;
		}
		break;
	}
	double real = since(&t0);
	syscall_done(c, t, nr, a);
	if (blocky && real > 2e6) { /* it slept: off-CPU for as long as it really took */
		u64 fx = c->fx + ns_fx(real);
		make_ready(t, fx);
		switch_out(c, false);
	} else if (WSTOPSIG(st) != SIGTRAP) {
		if (O.verbose) fprintf(stderr, "ptemu: signal %d at syscall exit\n", WSTOPSIG(st));
	}
}

static bool poll_rblock(bool wait)
{
	for (int i = 0; i < nT; i++) {
		struct thread *t = T[i];
		int st;
		if (t->state != T_RBLOCK) continue;
		pid_t p = waitpid(t->rtid, &st, __WALL | WNOHANG);
		if (p != t->rtid) continue;
		nrblock--;
		if (!WIFSTOPPED(st)) { t->state = T_DEAD; nlive--; stopping = true; return true; }
		u64 none[6] = { 0 };
		syscall_done(&C[t->last_cpu], t, -1, none);
		u64 fx = t->rb_fx + ns_fx(since(&t->rb_real)), now = 0;
		for (int k = 0; k < O.ncpu; k++) if (C[k].cur && (!now || C[k].fx < now)) now = C[k].fx;
		make_ready(t, fx > now ? fx : now);
		return true;
	}
	if (wait) usleep(100);
	return false;
}

/* ---- one instruction ------------------------------------------------------------------------------ */
static bool sig_caught(pid_t tid, int sig)
{
	char p[64], l[256]; snprintf(p, sizeof p, "/proc/%d/status", tid);
	FILE *f = fopen(p, "r"); u64 m = 0;
	if (!f) return false;
	while (fgets(l, sizeof l, f)) if (sscanf(l, "SigCgt: %lx", &m) == 1) break;
	fclose(f);
	return m >> (sig - 1) & 1;
}

static void stack_ret(struct cpu *c, struct thread *t, struct ev *v, u64 s)
{
	int k = t->nst;
	u64 st_; const struct sym *sy;
	if (k > 1 && t->st[k - 1].slot == s && t->st[k - 1].ret && t->st[k - 1].ret != v->to && (sy = sym_find(v->to, &st_)) && st_ == v->to) {
		/* a RET used as a jump to a function (retpoline): its own call goes, then a tail call */
		struct ev u = { .kind = K_UNWIND, .op = OP_POP, .npop = 1 };
		t->nst--;
		event(c, t, &u);
		v->op = OP_REPL; v->fn = v->to;
		t->st[t->nst - 1].fn = v->to;
		return;
	}
	(void)c;
	while (k && t->st[k - 1].slot <= s && t->st[k - 1].slot != NOSLOT) k--;
	if (k == t->nst) {
		if (t->st[k - 1].slot != NOSLOT || k > 1) return; /* a RET used as a jump */
		k = 0;
	}
	v->npop = t->nst - k;
	t->nst = k;
	if (k) v->op = OP_POP;
	else {
		v->op = OP_ROOT; v->fn = v->to;
		fpush(t, NOSLOT, v->to);
	}
}

static void tail_test(struct thread *t, struct ev *v, u64 rsp)
{
	if (t->st[t->nst - 1].slot != rsp && !(t->fib && t->nst == 1 && t->st[0].slot == NOSLOT && v->kind == K_JMPI)) return;
	u64 sf, st_;
	const struct sym *a = sym_find(v->from, &sf), *b = sym_find(v->to, &st_);
	if (a == b && sf == st_) return;
	if (b && st_ != v->to) { /* into the middle of a function: the root of a new stack (longjmp to a stack that a signal handler began) */
		if (!(t->fib && t->nst == 1 && t->st[0].slot == NOSLOT && v->kind == K_JMPI && strstr(sym_name_at(v->from), "longjmp"))) return;
		v->op = OP_REPL; v->fn = st_; t->st[0].fn = st_; return;
	}
	v->op = OP_REPL; v->fn = v->to;
	t->st[t->nst - 1].fn = v->to;
}

static void unwind_test(struct cpu *c, struct thread *t)
{
	int k = t->nst;
	while (k > 1 && t->st[k - 1].slot < t->r.rsp) k--;
	if (k == t->nst) return;
	struct ev v = { .kind = K_UNWIND, .op = OP_POP, .npop = t->nst - k };
	t->nst = k;
	event(c, t, &v);
}

static struct gfib { u64 key, rsp, top; struct frame *st; int nst, cst; bool parked; } *G; static int nG;
static bool go_mode; static u64 n_switch, n_fibers;
static u64 go_g(struct thread *t) { u64 g = 0; rd(t->r.fs_base - 8, &g, 8); return g; }
static int new_fib(void) { if (!nG) nG = 1; G = realloc(G, (nG + 1) * sizeof *G); memset(&G[nG], 0, sizeof *G); return nG++; }
static bool loads_rsp(u64 ip)
{
	u8 b[8]; if (!rd(ip, b, 8)) return false;
	int i = 0; u8 rex = 0;
	if ((b[0] & 0xf0) == 0x40) { rex = b[0]; i = 1; }
	if (b[i] == 0x5c && !(rex & 1)) return true;
	if (b[i] == 0x94 && (rex & 8) && !(rex & 1)) return true;
	u8 m = b[i + 1];
	if (b[i] == 0x8b) return (m >> 3 & 7) == 4 && !(rex & 4);
	if (b[i] == 0x89 || b[i] == 0x87) return ((m & 7) == 4 && m >> 6 == 3 && !(rex & 1)) || (b[i] == 0x87 && (m >> 3 & 7) == 4 && !(rex & 4));
	return false;
}
/* does a stack that is gone to still hold what ran on it, or has its memory been given to a new one? */
static bool reused(const struct gfib *g, u64 nr)
{
	int held = 0, k = g->nst;
	if (k < 2) return false;
	while (k-- > 1) { /* frames below nr are dropped by the load */
		const struct frame *f = &g->st[k];
		u64 ret = 0;
		if (f->slot < nr - 8 || f->slot == NOSLOT || !f->ret) continue;
		if (!rd(f->slot, &ret, 8) || ret != f->ret) return true;
		held++;
	}
	return !held;
}
/* an instruction that loads rsp has gone to another stack of the same thread? */
static bool stack_switch(struct cpu *c, struct thread *t, u64 oip, u64 orsp)
{
	u64 nr = t->r.rsp;
	if (nr == orsp || !loads_rsp(oip)) return false;
	int to = 0; u64 key = 0;
	if (!t->top) t->top = orsp + (1 << 20);
	if (!t->fib) { t->fib = new_fib(); G[t->fib].top = t->top; if (go_mode) G[t->fib].key = 0; }
	if (go_mode) {
		key = go_g(t);
		if (!G[t->fib].key && nr >= orsp && nr < orsp + 65536) return false;
		if (G[t->fib].key == key) return false;
		for (int i = 1; i < nG && !to; i++) if (G[i].parked && G[i].key == key) to = i;
		for (int i = 1; i < nG && !to; i++) if (G[i].parked && !G[i].key && nr <= G[i].top && nr + 65536 > G[i].rsp && nr < G[i].rsp + 65536) { to = i; G[i].key = key; }
	} else {
		if (nr > orsp && nr <= t->top) return false;
		u64 best = 513;
		for (int i = 1; i < nG; i++) {
			u64 d = G[i].rsp > nr ? G[i].rsp - nr : nr - G[i].rsp;
			if (G[i].parked && d < best) { best = d; to = i; }
		}
		if (to && !strstr(sym_name_at(oip), "longjmp") && reused(&G[to], nr)) { G[to].parked = false; to = 0; }
		else if (!to && nr < orsp && nr > orsp - 16384) return false;
	}
	struct ev v = { .kind = K_UNWIND, .op = OP_SWITCH, .npop = t->fib };
	struct gfib *g = &G[t->fib];
	g->rsp = orsp; g->top = t->top; g->st = t->st; g->nst = t->nst; g->cst = t->cst; g->parked = true;
	if (!to) {
		to = new_fib(); n_fibers++;
		G[to].key = key;
		t->st = NULL; t->nst = t->cst = 0; t->top = nr + 1024;
		fpush(t, NOSLOT, oip);
		u64 st_ = 0; const struct sym *s = sym_find(oip, &st_); v.to = s ? st_ : oip;
	} else {
		g = &G[to]; g->parked = false;
		t->st = g->st; t->nst = g->nst; t->cst = g->cst; t->top = g->top;
		if (go_mode && (nr > g->rsp ? nr - g->rsp : g->rsp - nr) > 65536 * 0 + 512 && t->nst > 1 && nr - (g->rsp + 8) != 0) {
			/* the goroutine's stack was copied */
			const char *nm = sym_name_at(t->st[t->nst - 1].fn);
			if (nm && strstr(nm, "morestack")) for (int i = 0; i < t->nst; i++) if (t->st[i].slot != NOSLOT) t->st[i].slot += nr - (g->rsp + 8);
		}
	}
	n_switch++;
	v.fn = to; t->fib = to;
	event(c, t, &v);
	return true;
}

static void rep_check(struct cpu *c, struct thread *t, const struct ev *v);

/* account for the instruction in at old registers o having gone to t->r */
static void executed(struct cpu *c, struct thread *t, const struct insn *in, u64 oip, u64 orsp)
{
	u64 nip = t->r.rip, cost = ns_fx(O.ns_insn);
	if (in->rep && nip == oip) { c->fx += cost / 4 + 1; return; } /* one iteration */
	if (O.seed) cost = cost / 2 + rnd() % (cost + 1) + (rnd() % 200 == 0 ? ns_fx(5 + rnd() % 60) : 0);
	c->fx += cost;
	struct ev v = { .from = oip, .to = nip, .len = in->len };
	switch (in->kind) {
	case IK_OTHER:
		if (t->r.rsp != orsp) { stack_switch(c, t, oip, orsp); unwind_test(c, t); }
		return;
	case IK_JCC:
		v.kind = K_JCC;
		v.taken = nip != oip + in->len;
		if (v.taken && nip != in->target) die("jcc at %lx went to %lx", oip, nip);
		if (v.taken) tail_test(t, &v, t->r.rsp);
		break;
	case IK_JMP:
		v.kind = K_JMP; tail_test(t, &v, t->r.rsp);
		if (nip != in->target) die("jmp at %lx went to %lx", oip, nip);
		break;
	case IK_JMPI: v.kind = K_JMPI; tail_test(t, &v, t->r.rsp); break;
	case IK_CALL:
	case IK_CALLI:
		v.kind = in->kind == IK_CALL ? K_CALL : K_CALLI;
		if (nip == oip + in->len) break; /* call next; pop: not a function */
		v.op = OP_PUSH; v.fn = nip;
		fpush(t, t->r.rsp, nip);
		t->st[t->nst - 1].ret = oip + in->len;
		break;
	case IK_RET:
		v.kind = K_RET;
		stack_ret(c, t, &v, orsp);
		break;
	default:
		die("unsupported instruction kind %d at %lx", in->kind, oip);
	}
	event(c, t, &v);
	if (O.repeat && (v.kind == K_CALL || v.kind == K_CALLI)) rep_check(c, t, &v);
}

static void step(struct cpu *c)
{
	struct thread *t = c->cur;
	struct insn in = *insn_at(t->r.rip);
	int st, sig = 0;
	struct wevent *w = nW ? waits_at(t->r.rip) : 0;
	if (w && !t->probed) { /* the kernel takes the breakpoint, tells, and goes on */
		u8 b[128] = { 0 };
		if (t->need_pge) begin(c, t);
		if (O.int3) { /* what a processor says of a breakpoint that is not in the file: a far branch, TIP.PGD without FUP */
			struct ev v = { .kind = K_SYSCALL, .from = t->r.rip, .len = 1 };
			event(c, t, &v);
			t->need_pge = t->int3 = true;
		} else async_end(c, t);
		c->fx += ns_fx(700);
		memcpy(b + 8, &t->r.rip, 8);
		u64 r[8] = { t->r.rdi, t->r.rsi, t->r.rdx, t->r.rcx, t->r.r8, t->r.r9, t->r.rax, t->r.rsp };
		for (int i = 0; i < w->nargs; i++) {
			u64 v = r[w->arg[i].reg];
			if (w->arg[i].deref) { u64 x = 0; rd(v + w->arg[i].off, &x, w->arg[i].size); v = x; }
			memcpy(b + w->arg[i].at, &v, w->arg[i].size);
		}
		pd_sample(c->id, O.pid0, t->vtid, TICK(c->fx), w, t->r.rip, b, w->raw, 0);
		c->fx += ns_fx(700);
		t->probed = true;
		return;
	}
	t->probed = false;
	if (in.kind == IK_SYSCALL) { do_syscall(c, t); return; }
	for (;;) {
		u64 oip = t->r.rip, orsp = t->r.rsp;
		if (ptrace(PTRACE_SINGLESTEP, t->rtid, 0, (long)sig)) {
			if (errno == ESRCH) { t->state = T_DEAD; nlive--; thread_gone(c, t, 0); return; }
			die("SINGLESTEP: %s", strerror(errno));
		}
		bool handler = sig && sig_caught(t->rtid, sig);
		while (waitpid(t->rtid, &st, __WALL) < 0) if (errno != EINTR) die("waitpid: %s", strerror(errno));
		if (!WIFSTOPPED(st)) { t->state = T_DEAD; nlive--; thread_gone(c, t, st); return; }
		int s = WSTOPSIG(st);
		if (ptrace(PTRACE_GETREGS, t->rtid, 0, &t->r)) die("GETREGS: %s", strerror(errno));
		if (handler) { /* the kernel set up a signal frame; nothing executed */
			t->sigentry = true;
			if (s == SIGTRAP) return;
			sig = s; begin(c, t); async_end(c, t); c->fx += ns_fx(1500);
			continue;
		}
		if (s == SIGTRAP) {
			if (t->int3 && in.kind == IK_OTHER) { t->int3 = false; ninsn++; c->fx += ns_fx(O.ns_insn); return; } /* emulated by the kernel */
			t->int3 = false;
			if (t->need_pge) { u64 nip = t->r.rip, nsp = t->r.rsp; t->r.rip = oip; t->r.rsp = orsp; begin(c, t); t->r.rip = nip; t->r.rsp = nsp; }
			ninsn++;
			executed(c, t, &in, oip, orsp);
			return;
		}
		/* a signal before the instruction at rip (unchanged) */
		if (s == SIGSTOP) { sig = 0; continue; }
		if (O.verbose) fprintf(stderr, "ptemu: signal %d to %d at %llx\n", s, t->vtid, t->r.rip);
		if (!t->need_pge) { c->fx += ns_fx(2); async_end(c, t); }
		c->fx += ns_fx(1500);
		sig = s;
	}
}

/* ---- bulk mode --------------------------------------------------------------------------------------- */
static int rep_state; static u64 rep_addr, rep_seen; static int rep_depth;
static void replay(struct cpu *c, u64 base, u64 len, int thr)
{
	for (u64 k = 0; k < O.repeat; k++, base += len)
		for (u64 i = 0; i < nrep; i++) {
			struct ev v = rep_ev[i];
			v.tick = TICK(base + v.tick);
			v.thr = thr;
			v.quiet = !O.truth_repeats;
			feed(c, &v);
		}
	c->fx = base;
}

/* the same loop as the work of one more thread, on a CPU of its own */
static void replay_thread(struct cpu *c, struct thread *t, const struct ev *call, u64 fx, u64 len)
{
	struct thread *n = new_thread(0);
	nlive--;
	truth_thread(n->idx, O.pid0, n->vtid, call->from, 0);
	pd_task(c->id, true, O.pid0, O.pid0, n->vtid, t->vtid, TICK(fx));
	switch_in(c, n, fx);
	struct ev b = { .kind = K_BEGIN, .to = call->from, .quiet = !O.truth_repeats }, v = *call;
	n->r.rip = call->from;
	b.thr = v.thr = n->idx; v.quiet = !O.truth_repeats;
	b.tick = TICK(c->fx); feed(c, &b);
	c->fx += ns_fx(1); v.tick = TICK(c->fx); feed(c, &v);
	replay(c, c->fx, len, n->idx);
	struct ev e = { .kind = K_ASYNC, .from = call->to, .quiet = !O.truth_repeats, .thr = n->idx, .tick = TICK(c->fx += ns_fx(1)) };
	feed(c, &e);
	close_thread(c, n);
	n->state = T_DEAD;
	switch_out(c, false);
}

static void rep_check(struct cpu *c, struct thread *t, const struct ev *v)
{
	if (v->to != rep_addr || rep_state == 2) return;
	if (rep_state == 0) {
		if (rep_seen++ < O.repeat_skip) return;
		rep_state = 1; rep_on = true; rep_fx0 = c->fx; nrep = 0; rep_depth = t->nst;
		return;
	}
	rep_on = false; rep_state = 2;
	if (t->nst != rep_depth) die("--repeat-symbol: the stack depth differs between two calls; not a steady loop");
	u64 len = c->fx - rep_fx0, nb = 0;
	for (u64 i = 0; i < nrep; i++) nb += rep_ev[i].kind < K_SYSCALL;
	fprintf(stderr, "ptemu: repeating %lu events (%lu branches, %lu ns) %lu times on %d CPUs\n", nrep, nb, TICK(len) / 3, O.repeat, O.repeat_cpus);
	for (int i = 1, k = 0; i < O.repeat_cpus && k < O.ncpu; k++) {
		if (C[k].cur) continue;
		replay_thread(&C[k], t, v, rep_fx0 + ns_fx(2000) * i, len);
		i++;
	}
	replay(c, c->fx, len, t->idx);
	g_branches += nb * O.repeat * O.repeat_cpus;
	c->slice_end = c->fx + ns_fx(O.slice_ns);
	c->next_irq = c->fx + ns_fx(O.irq_ns);
	free(rep_ev); rep_ev = NULL;
}

/* ---- main loop ------------------------------------------------------------------------------------------- */
static void run(void)
{
	u64 polls = 0;
	for (;;) {
		struct cpu *c = NULL;
		if (stopping) return;
		for (int i = 0; i < O.ncpu; i++)
			if (C[i].cur && (!c || C[i].fx < c->fx)) c = &C[i];
		if (ntimer) {
			struct thread *b = NULL;
			for (int i = 0; i < nT; i++)
				if (T[i]->state == T_WAIT && T[i]->timed && (!b || T[i]->deadline < b->deadline)) b = T[i];
			if (b && (!c || b->deadline <= c->fx)) {
				struct cpu *k = &C[b->last_cpu]; /* the timer fires where the sleeper went to sleep, whoever runs there now */
				s_waking(k->id, k->cur ? k->cur->vtid : 0, b->vtid, k->id, TICK(b->deadline), 9);
				wake(b, b->deadline, b->wres); continue; }
		}
		if (nready) {
			struct thread *t = best_ready(c ? c->fx : ~0ULL);
			struct cpu *idle = NULL; int k = 0;
			for (int i = 0; i < O.ncpu && t; i++) {
				if (C[i].cur) continue;
				k++;
				bool last = t->last_cpu == i;
				if (!idle || (O.migrate ? rnd() % k == 0 : last)) idle = &C[i];
			}
			if (idle) { place(idle, t); continue; }
		}
		if (nrblock && (!c || !(polls++ & 15))) { if (poll_rblock(!c)) continue; }
		if (!c) {
			if (nrblock) continue;
			if (!nlive) return;
			fprintf(stderr, "ptemu: every thread waits for ever; giving up\n");
			kill(P, SIGKILL);
			return;
		}
		if (nready && c->fx >= c->slice_end) {
			struct thread *t = c->cur;
			if (best_ready(c->fx)) {
				async_end(c, t);
				make_ready(t, c->fx + ns_fx(301));
				switch_out(c, true);
				continue;
			}
		}
		if (O.irq_ns && c->fx >= c->next_irq) {
			if (c->next_irq && !c->cur->need_pge) { async_end(c, c->cur); c->fx += ns_fx(1200); }
			c->next_irq = c->fx + ns_fx(O.irq_ns);
		}
		step(c);
		if ((O.max_branches && g_branches >= O.max_branches) || (O.max_insns && ninsn >= O.max_insns)) { stop_tracing(); return; }
	}
}

static void fix_auxv(void)
{ /* hide the vdso, so that time comes from system calls; make AT_RANDOM constant */
	struct user_regs_struct r;
	u64 p, v[2], z[2] = { 0x0123456789abcd00ULL, 0xfedcba9876543210ULL };
	if (O.keep_vdso) return;
	ptrace(PTRACE_GETREGS, P, 0, &r);
	p = r.rsp;
	rd(p, v, 8); p += 8 + 8 * (v[0] + 1);
	do { rd(p, v, 8); p += 8; } while (v[0]);
	do {
		rd(p, v, 16);
		if (v[0] == AT_SYSINFO_EHDR) { u64 ign = AT_IGNORE; wr(p, &ign, 8); }
		if (v[0] == AT_RANDOM) wr(v[1], z, 16);
		p += 16;
	} while (v[0]);
}

static u64 parse_pair(const char *s, u64 *b, u64 dflt)
{
	char *e; u64 a = strtoull(s, &e, 0);
	*b = *e == ':' ? strtoull(e + 1, 0, 0) : dflt;
	return a;
}

static void usage(void)
{
	fprintf(stderr,
"usage: ptemu record [options] -- prog [args]\n"
"  -o FILE               output (perf.data)\n"
"  --truth FILE          one JSON line per call/return/begin/end; --tree FILE: exact call trees\n"
"  --truth-branches      also write jumps and taken conditional branches to --truth\n"
"  --cpus N              virtual CPUs (1)\n"
"  --no-migrate          a woken thread goes back to the CPU it was on, if idle\n"
"  --ns-per-insn X       (0.5)   --syscall-ns X (400)   --slice-ns X (1000000)\n"
"  --seed S              vary the cost of instructions, reproducibly\n"
"  --irq-ns X            an interrupt (asynchronous trace end + begin) each X ns\n"
"  --from-symbol SYM     run at full speed until SYM of the program is reached\n"
"  --max-branches N      --max-insns N: stop tracing then and let the program run on\n"
"  --noretcomp           no return compression   --long-tnt: 47-bit TNT packets\n"
"  --hardware            PAD, MODE.TSX, 8-byte addresses, PSB+ after OVF, clock packets while tracing is off,\n"
"                        PSB each 16 KiB, AUX sizes in multiples of 16\n"
"  --no-mtc              TSC and CYC only   --cbr N: core:bus ratio (30 = TSC rate)\n"
"  --psb-period N        PSB each 2K << N bytes (1)   --chunk BYTES: size of an AUXTRACE record (2M)\n"
"  --switch-mode 2|3     PERF_RECORD_SWITCH or SWITCH_CPU_WIDE (3)\n"
"  --real-tids           real instead of virtual pid/tid   --pid N: first virtual tid (5000)\n"
"  --keep-vdso           do not hide the vdso\n"
"  --overflow-at K[:M]   lose M (200) events from branch K on, then an OVF packet\n"
"  --truncate-aux K[:M]  the same, as a full buffer: PERF_RECORD_AUX truncated, trace restarts with a PSB\n"
"  --drop-psb K|all      leave out the K-th PSB (from 0) of each CPU; all: every one but the first\n"
"  --repeat-symbol S --repeat N [--repeat-skip M] [--repeat-cpus K]\n"
"                        replay N times what ran between two calls of S (single thread);\n"
"                        K: on K CPUs, each with a thread of its own\n"
"  --waits               sched:sched_switch, sched:sched_waking and syscalls:sys_enter_futex too\n"
"  --probe 'NAME@FILE:SYMBOL [arg=%%di|+8(%%di):s32]...'  a probe where a function begins, as of perf probe\n"
"  --probe-int3          probes look as breakpoints that the files do not have\n"
"  --truth-repeats       write the repeats to --truth too (large)\n");
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option lo[] = {
		{ "truth", 1, 0, 't' }, { "tree", 1, 0, 'T' }, { "truth-branches", 0, 0, 'b' }, { "cpus", 1, 0, 'c' },
		{ "no-migrate", 0, 0, 'g' }, { "ns-per-insn", 1, 0, 'n' }, { "syscall-ns", 1, 0, 'y' }, { "slice-ns", 1, 0, 'l' },
		{ "seed", 1, 0, 's' }, { "irq-ns", 1, 0, 'i' }, { "from-symbol", 1, 0, 'f' }, { "max-branches", 1, 0, 'm' },
		{ "max-insns", 1, 0, 'x' }, { "noretcomp", 0, 0, 'r' }, { "long-tnt", 0, 0, 'L' }, { "hardware", 0, 0, 'H' }, { "no-mtc", 0, 0, 'M' },
		{ "cbr", 1, 0, 'C' }, { "psb-period", 1, 0, 'p' }, { "chunk", 1, 0, 'k' }, { "switch-mode", 1, 0, 'w' },
		{ "real-tids", 0, 0, 'R' }, { "pid", 1, 0, 'P' }, { "keep-vdso", 0, 0, 'V' }, { "overflow-at", 1, 0, 'O' },
		{ "truncate-aux", 1, 0, 'U' }, { "drop-psb", 1, 0, 'D' }, { "repeat-symbol", 1, 0, 'S' }, { "repeat", 1, 0, 'N' },
		{ "repeat-skip", 1, 0, 'K' }, { "repeat-cpus", 1, 0, 'q' }, { "truth-repeats", 0, 0, 'e' }, { "waits", 0, 0, 'W' }, { "probe-int3", 0, 0, 'I' }, { "probe", 1, 0, 'B' }, { "verbose", 0, 0, 'v' }, { 0 } };
	if (argc < 2 || strcmp(argv[1], "record")) usage();
	int ac = argc - 1; char **av = argv + 1; int o;
	while ((o = getopt_long(ac, av, "+o:v", lo, NULL)) != -1) switch (o) {
	case 'o': O.out = optarg; break;
	case 't': O.truth = optarg; break;
	case 'T': O.tree = optarg; break;
	case 'b': O.truth_branches = true; break;
	case 'c': O.ncpu = atoi(optarg); break;
	case 'g': O.migrate = false; break;
	case 'n': O.ns_insn = atof(optarg); break;
	case 'y': O.ns_syscall = atof(optarg); break;
	case 'l': O.slice_ns = strtoull(optarg, 0, 0); break;
	case 's': O.seed = strtoull(optarg, 0, 0); break;
	case 'i': O.irq_ns = strtoull(optarg, 0, 0); break;
	case 'f': O.from_symbol = optarg; break;
	case 'm': O.max_branches = strtoull(optarg, 0, 0); break;
	case 'x': O.max_insns = strtoull(optarg, 0, 0); break;
	case 'r': O.noretcomp = true; break;
	case 'L': O.longtnt = true; break;
	case 'H': O.hardware = true; O.psb_bits = 3; break;
	case 'M': O.mtc = false; break;
	case 'C': O.cbr = atoi(optarg); break;
	case 'p': O.psb_bits = atoi(optarg); break;
	case 'k': O.chunk = strtoull(optarg, 0, 0); break;
	case 'w': O.switch_mode = atoi(optarg); break;
	case 'R': O.real_tids = true; break;
	case 'P': O.pid0 = atoi(optarg); break;
	case 'V': O.keep_vdso = true; break;
	case 'O': if (O.novf < 16) { O.ovf_at[O.novf] = parse_pair(optarg, &O.ovf_len[O.novf], 200); O.novf++; } break;
	case 'U': if (O.ntrunc < 16) { O.trunc_at[O.ntrunc] = parse_pair(optarg, &O.trunc_len[O.ntrunc], 200); O.ntrunc++; } break;
	case 'D': if (O.ndrop < 64) O.drop_psb[O.ndrop++] = strcmp(optarg, "all") ? atoi(optarg) : -1; break;
	case 'S': O.repeat_symbol = optarg; break;
	case 'N': O.repeat = strtoull(optarg, 0, 0); break;
	case 'K': O.repeat_skip = strtoull(optarg, 0, 0); break;
	case 'q': O.repeat_cpus = atoi(optarg); break;
	case 'e': O.truth_repeats = true; break;
	case 'W': waits_tracepoints(); break;
	case 'B': waits_probe(optarg); break;
	case 'I': O.int3 = true; break;
	case 'v': O.verbose = true; break;
	default: usage();
	}
	av += optind;
	if (!*av || O.ncpu < 1 || O.ncpu > MAXCPU) usage();
	if (O.repeat && !O.repeat_symbol) usage();
	w_switch = waits_named("sched_switch"); w_waking = waits_named("sched_waking"); w_futex = waits_named("sys_enter_futex");
	char path[PATH_MAX];
	if (!strchr(*av, '/')) die("give the program with a path (./prog)");
	if (!realpath(*av, path)) die("%s: %s", *av, strerror(errno));
	rng = O.seed * 0x9e3779b97f4a7c15ULL + 0x2545f4914f6cdd1dULL;
	for (int i = 0; i < 8; i++) rnd();

	/* tracer and tracee on one CPU: the hand-over is much cheaper */
	cpu_set_t cs; CPU_ZERO(&cs);
	int home = sched_getcpu(); CPU_SET(home < 0 ? 0 : home, &cs);
	sched_setaffinity(0, sizeof cs, &cs);

	P = fork();
	if (P < 0) die("fork: %s", strerror(errno));
	if (!P) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(path, av);
		fprintf(stderr, "ptemu: %s: %s\n", path, strerror(errno));
		_exit(127);
	}
	int st;
	if (waitpid(P, &st, 0) != P || !WIFSTOPPED(st)) die("the program did not start");
	ptrace(PTRACE_SETOPTIONS, P, 0, PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
	char mp[64]; snprintf(mp, sizeof mp, "/proc/%d/mem", P);
	memfd_ = open(mp, O_RDWR);
	if (memfd_ < 0) die("%s: %s", mp, strerror(errno));
	fix_auxv();
	if (O.real_tids) O.pid0 = P;
	if (O.from_symbol) {
		u64 a = sym_addr(P, path, O.from_symbol);
		if (!a) die("no symbol %s in %s", O.from_symbol, path);
		u8 sv, cc = 0xcc; rd(a, &sv, 1); wr(a, &cc, 1);
		ptrace(PTRACE_CONT, P, 0, 0);
		for (;;) {
			pid_t w = waitpid(-1, &st, __WALL);
			if (w < 0) die("the program ended before %s", O.from_symbol);
			if (w != P) { /* other threads run untraced */
				if (WIFSTOPPED(st)) ptrace(PTRACE_CONT, w, 0, (long)(st >> 16 || WSTOPSIG(st) == SIGSTOP ? 0 : WSTOPSIG(st)));
				continue;
			}
			if (!WIFSTOPPED(st)) die("the program ended before %s", O.from_symbol);
			if (WSTOPSIG(st) == SIGTRAP && st >> 16 == 0) break;
			ptrace(PTRACE_CONT, P, 0, (long)(st >> 16 ? 0 : WSTOPSIG(st)));
		}
		wr(a, &sv, 1);
		struct user_regs_struct r; ptrace(PTRACE_GETREGS, P, 0, &r);
		r.rip = a; ptrace(PTRACE_SETREGS, P, 0, &r);
	}
	pd_open(O.out, argc, argv);
	truth_open();
	startfx = endfx = ((O.base_ns - TIME_ZERO) * 3) << FX;
	for (int i = 0; i < O.ncpu; i++) { C[i].id = C[i].e.cpu = i; C[i].fx = startfx; }
	struct cpu *c = &C[0];
	struct thread *t = new_thread(P);
	ptrace(PTRACE_GETREGS, P, 0, &t->r);
	const char *base = strrchr(path, '/') + 1; char comm[16]; snprintf(comm, sizeof comm, "%.15s", base);
	memcpy(comms[O.pid0 & 0xffff], comm, 16);
	pd_comm(0, O.pid0, O.pid0, TICK(c->fx), comm, true);
	c->fx += ns_fx(1000);
	mm_cpu = c; mm_t = t;
	maps_reload(P, newmap);
	waits_resolve(P);
	if (O.repeat_symbol) { rep_addr = sym_addr(P, path, O.repeat_symbol); if (!rep_addr) die("no symbol %s", O.repeat_symbol); }
	fpush(t, t->r.rsp, t->r.rip);
	c->fx += ns_fx(1000);
	truth_thread(0, O.pid0, t->vtid, t->r.rip, TICK(c->fx));
	t->fx = c->fx;
	go_mode = getenv("PT_GO") != NULL;
	struct timespec t0; clock_gettime(CLOCK_MONOTONIC, &t0);
	switch_in(c, t, c->fx);
	run();
	double sec = since(&t0) / 1e9;
	finish();
	if (n_switch) fprintf(stderr, "ptemu: %lu stack switches, %lu new stacks\n", n_switch, n_fibers);
	while (waitpid(-1, &st, __WALL) > 0) if (WIFSTOPPED(st)) { ptrace(PTRACE_CONT, P, 0, 0); }
	fprintf(stderr, "ptemu: %lu instructions, %lu branches, %lu system calls, %d threads in %.2f s (%.0f insn/s); %lu AUX bytes; virtual time %.6f ms; lost %lu\n",
		ninsn, g_branches, nsys, nT, sec, ninsn / sec, pd_aux_bytes, (TICK(endfx) - TICK(startfx)) / 3e6, truth_lost);
	return 0;
}
