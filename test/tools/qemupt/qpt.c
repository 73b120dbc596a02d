/*
 * qpt.so: plugin of QEMU that writes each virtual CPU's Intel PT packets, and what it really did.
 *
 * For QEMU 7.2 of Debian 12, x86-64, with -icount and one thread for all CPUs. Before each translated block it looks at
 * the CPU: where the block before ended, where this one begins and with which stack pointer tells which branch was
 * taken. One instruction takes one ns, TSC and core clock are 1 GHz, CTC is 25 MHz.
 *
 * Tracing starts and stops at magic instructions of qctl. Recording N leaves in OUT/N: cpuC.pt, chunks.bin (u64 CPU,
 * time, offset, size: as perf gets the trace), truth.bin (struct rec), log.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

/* The plugin API, version 1: Debian has no package with its header. */
struct qemu_plugin_tb;
struct qemu_plugin_insn;
extern void qemu_plugin_register_vcpu_tb_trans_cb(u64, void (*)(u64, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int, void *);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *, int, void *, u64);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern u64 qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
extern u64 qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* Insides of that QEMU: functions that it exports, and offsets, which are checked at the start. */
static void *(*qemu_get_cpu)(int);
static void (*cpu_exit)(void *);
static int (*cpu_memory_rw_debug)(void *, u64, void *, u64, bool);
static char *timers;
enum {
	O_BUDGET = 0xe0, O_EXTRA = 0xe8, O_LOW = 0x13a0, O_ENV = 0x13b0, T_ICOUNT = 0x40, T_BIAS = 0x28,
	E_RSP = 32, E_HFLAGS = 0xb0, E_IDT = 0x190, E_CR3 = 0x1c0
};

#define SLICE 3000 /* instructions until the other CPU goes on */
#define TSC_PER_CTC 40
#define MTC_SHIFT 3
#define CBR 10
#define PSB_BYTES 2048
#define CHUNK_BYTES 32768
#define MAX_CPUS 8

enum { OTHER, JCC, JMP, JMPI, CALL, CALLI, RET, SYSCALL, SYSRET, IRET, INT, ASYNC, BEGIN };
struct block { u64 pc, last, next, target; u16 n; u8 kind, magic, writes_cr3; };
/* rsp: behind the branch, of an interrupt the handler's; cpl: privilege before | after << 4 */
struct rec { u64 t, from, to, rsp; u32 cr3; u8 cpu, kind, cpl, pad; };
struct enc {
	u8 *buf;
	size_t len, cap, chunk_at, psb_at;
	u64 last_ip, cyc_last, mtc_last, tnt, calls[64];
	int ntnt, ncalls, top;
	bool full_ip;
};
struct vcpu { void *cs; char *env; struct block *p; u64 base, count, cr3; u8 cpl; struct enc e; };

static const char *out = ".";
static struct vcpu V[MAX_CPUS];
static int nv, recording;
static u64 count, slice_count, warnings, last_t; /* count: of instructions of the running block */
static unsigned running;
static bool tracing;
static FILE *ftruth, *fchunks, *flog;

static void say(const char *f, ...)
{
	va_list a;
	va_start(a, f);
	vfprintf(flog, f, a);
	va_end(a);
}
static FILE *create(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%d/%s", out, recording, name);
	FILE *f = fopen(path, "wb");
	if (!f) { perror(path); exit(1); }
	return f;
}

/* ---- instructions ---- */
static bool is_prefix(u8 b) { return b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x3e || b == 0x26 || b == 0x36 || b == 0x64 || b == 0x65 || b == 0xf0; }
static void classify(struct block *t, const u8 *b, int n, u64 ip)
{
	int i = 0;
	t->kind = OTHER;
	t->next = ip + n;
	t->last = ip;
	while (i < n && is_prefix(b[i])) i++;
	if (i < n && (b[i] & 0xf0) == 0x40) i++;
	if (i >= n) return;
	u8 c = b[i++];
	int32_t d32 = 0;
	if (n >= 4) memcpy(&d32, b + n - 4, 4);
	u64 near = t->next + (int8_t)b[n - 1], far = t->next + d32;
	if ((c >= 0x70 && c <= 0x7f) || (c >= 0xe0 && c <= 0xe3)) { t->kind = JCC; t->target = near; }
	else if (c == 0xeb) { t->kind = JMP; t->target = near; }
	else if (c == 0xe9) { t->kind = JMP; t->target = far; }
	else if (c == 0xe8) { t->kind = CALL; t->target = far; }
	else if (c == 0xc3 || c == 0xc2) t->kind = RET;
	else if (c == 0xcf || c == 0xca || c == 0xcb) t->kind = IRET;
	else if (c == 0xcc || c == 0xcd || c == 0xf1) t->kind = INT;
	else if (c == 0xff) {
		int x = b[i] >> 3 & 7;
		if (x == 2 || x == 3) t->kind = CALLI;
		else if (x == 4 || x == 5) t->kind = JMPI;
	} else if (c == 0x0f) {
		c = b[i++];
		if (c >= 0x80 && c <= 0x8f) { t->kind = JCC; t->target = far; }
		else if (c == 5 || c == 0x34) t->kind = SYSCALL;
		else if (c == 7 || c == 0x35) t->kind = SYSRET;
		else if (c == 0x22 && (b[i] >> 3 & 7) == 3) t->writes_cr3 = 1;
	}
}

/* ---- packets, as in ../ptemu/enc.c ---- */
static void put(struct enc *e, const void *p, size_t n)
{
	if (e->len + n > e->cap) {
		e->cap = e->cap ? e->cap * 2 : 1 << 20;
		e->buf = realloc(e->buf, e->cap);
		if (!e->buf) abort();
	}
	memcpy(e->buf + e->len, p, n);
	e->len += n;
}
static void put2(struct enc *e, u8 a, u8 b) { u8 x[2] = { a, b }; put(e, x, 2); }
static void put_cyc(struct enc *e, u64 t, bool always)
{
	u64 d = t > e->cyc_last ? t - e->cyc_last : 0;
	u8 b[12];
	int n = 0;
	if (!d && !always) return;
	if (t > e->cyc_last) e->cyc_last = t;
	b[n] = 3 | (d & 31) << 3;
	d >>= 5;
	if (d) b[n] |= 4;
	n++;
	while (d) {
		b[n] = (d & 127) << 1;
		d >>= 7;
		if (d) b[n] |= 1;
		n++;
	}
	put(e, b, n);
}
static void put_time(struct enc *e, u64 t)
{
	u64 ctc = t / TSC_PER_CTC, fast = t % TSC_PER_CTC;
	u8 tsc[8] = { 0x19 }, tma[7] = { 2, 0x73, ctc & 255, ctc >> 8 & 255, 0, fast & 255, fast >> 8 & 1 };
	put_cyc(e, t, true);
	memcpy(tsc + 1, &t, 7);
	put(e, tsc, 8);
	put(e, tma, 7);
	e->mtc_last = ctc >> MTC_SHIFT;
}
enum { OP_TIP = 0x0d, OP_PGE = 0x11, OP_PGD = 0x01, OP_FUP = 0x1d };
static void put_ip(struct enc *e, u8 op, u64 ip)
{
	u64 x = ip ^ e->last_ip;
	bool is_canonical = (u64)((int64_t)(ip << 16) >> 16) == ip;
	u8 b[9];
	int n, code;
	if (e->full_ip && is_canonical) { code = 3; n = 6; }
	else if (!(x >> 16)) { code = 1; n = 2; }
	else if (!(x >> 32)) { code = 2; n = 4; }
	else if (is_canonical) { code = 3; n = 6; }
	else if (!(x >> 48)) { code = 4; n = 6; }
	else { code = 6; n = 8; }
	b[0] = op | code << 5;
	memcpy(b + 1, &ip, n);
	put(e, b, n + 1);
	e->last_ip = ip;
	e->full_ip = false;
}
static void put_pip(struct enc *e, u64 cr3)
{
	u64 v = cr3 >> 5 << 1 & ((1ull << 48) - 1);
	u8 b[8] = { 2, 0x43 };
	memcpy(b + 2, &v, 6);
	put(e, b, 8);
}
static void put_mtc_until(struct enc *e, u64 t)
{
	u64 m = t / TSC_PER_CTC >> MTC_SHIFT;
	if (m - e->mtc_last > 64) { put_time(e, t); return; } /* the CPU slept */
	while (e->mtc_last < m) {
		e->mtc_last++;
		put_cyc(e, (e->mtc_last << MTC_SHIFT) * TSC_PER_CTC, true);
		put2(e, 0x59, e->mtc_last & 255);
	}
}
static void flush_tnt(struct enc *e, u64 t)
{
	if (!e->ntnt) return;
	put_cyc(e, t, false);
	u8 b = ((1u << e->ntnt) | e->tnt) << 1;
	put(e, &b, 1);
	e->ntnt = e->tnt = 0;
}
static void add_tnt(struct enc *e, bool bit, u64 t)
{
	e->tnt = e->tnt << 1 | bit;
	if (++e->ntnt == 6) flush_tnt(e, t);
}
static void put_psb(struct enc *e, u64 t, u64 ip, u64 cr3)
{
	static const u8 psb[16] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 }, cbr[4] = { 2, 3, CBR, 0 };
	e->psb_at = e->len;
	put(e, psb, 16);
	e->last_ip = 0;
	e->full_ip = true;
	put_time(e, t);
	put(e, cbr, 4);
	put_pip(e, cr3);
	if (ip) { /* with MODE.Exec and MODE.TSX */
		put2(e, 0x99, 0x01);
		put2(e, 0x99, 0x20);
		put_ip(e, OP_FUP, ip);
	}
	put2(e, 2, 0x23);
	e->ncalls = 0;
}
static void end_chunk(struct vcpu *v, u64 t)
{
	struct enc *e = &v->e;
	u64 r[4] = { v - V, t, e->chunk_at, e->len - e->chunk_at };
	fwrite(r, 8, 4, fchunks);
	e->chunk_at = e->len;
}
static void put_begin(struct vcpu *v, u64 t, u64 ip)
{
	struct enc *e = &v->e;
	e->cyc_last = t;
	put_psb(e, t, 0, v->cr3);
	put2(e, 0x99, 0x01);
	put_cyc(e, t, false);
	put_ip(e, OP_PGE, ip);
}
static void push_call(struct enc *e, u64 ip)
{
	e->calls[e->top++ & 63] = ip;
	if (e->ncalls < 64) e->ncalls++;
}
static bool is_compressed(struct enc *e, u64 to) { return e->ncalls && (e->ncalls--, e->calls[--e->top & 63] == to); }
static void put_branch(struct vcpu *v, int kind, u64 t, u64 from, u64 next, u64 to, bool taken)
{
	struct enc *e = &v->e;
	put_mtc_until(e, t);
	if (kind == JCC) add_tnt(e, taken, t);
	else if (kind == CALL) { if (to != next) push_call(e, next); }
	else if (kind == RET && is_compressed(e, to)) add_tnt(e, true, t);
	else if (kind != JMP) {
		if (kind == CALLI) push_call(e, next);
		flush_tnt(e, t);
		put_cyc(e, t, false);
		if (kind == ASYNC || kind == INT) put_ip(e, OP_FUP, from);
		put_ip(e, OP_TIP, to);
	}
	if (e->len - e->psb_at >= PSB_BYTES) { flush_tnt(e, t); put_psb(e, t, to, v->cr3); }
	if (e->len - e->chunk_at >= CHUNK_BYTES) end_chunk(v, t);
}

/* ---- interrupt descriptor table ---- */
static u64 vectors[256];
static u8 is_low_of_vector[65536];
static void read_idt(struct vcpu *v)
{
	u64 base;
	u8 d[4096];
	memcpy(&base, v->env + E_IDT + 8, 8);
	if (cpu_memory_rw_debug(v->cs, base, d, sizeof d, false)) say("warning: cannot read the IDT\n");
	for (int i = 0; i < 256; i++) {
		u8 *g = d + i * 16;
		u32 high;
		memcpy(&high, g + 8, 4);
		vectors[i] = g[0] | g[1] << 8 | (u64)g[6] << 16 | (u64)g[7] << 24 | (u64)high << 32;
		if (vectors[i]) is_low_of_vector[vectors[i] & 65535] = 1;
	}
}
static int vector_of(u64 pc)
{
	if (is_low_of_vector[pc & 65535])
		for (int i = 0; i < 256; i++) if (vectors[i] == pc) return i;
	return -1;
}
static bool has_error_code(int n) { return n == 8 || (n >= 10 && n <= 14) || n == 17 || n == 21 || n == 29 || n == 30; }

/* ---- what the CPUs do ---- */
static void note(struct vcpu *v, int kind, u64 t, u64 from, u64 to, u64 rsp, int cpl_before, int cpl_after)
{
	struct rec r = { t, from, to, rsp, v->cr3 >> 12, v - V, kind, cpl_before | cpl_after << 4, 0 };
	fwrite(&r, sizeof r, 1, ftruth);
	last_t = t;
}
static u64 instructions_until_end(struct vcpu *v)
{
	char *cs = v->cs;
	int64_t left = *(u16 *)(cs + O_LOW) + *(int64_t *)(cs + O_EXTRA);
	return *(u64 *)(timers + T_ICOUNT) + *(u64 *)(timers + T_BIAS) + *(int64_t *)(cs + O_BUDGET) - left;
}
static void start(unsigned cpu)
{
	char path[512];
	recording++;
	snprintf(path, sizeof path, "%s/%d", out, recording);
	mkdir(path, 0777);
	ftruth = create("truth.bin");
	fchunks = create("chunks.bin");
	flog = create("log");
	memset(V, 0, sizeof V);
	for (nv = 0; nv < MAX_CPUS && qemu_get_cpu(nv); nv++) {
		V[nv].cs = qemu_get_cpu(nv);
		V[nv].env = (char *)V[nv].cs + O_ENV;
	}
	read_idt(&V[cpu]);
	tracing = true;
	running = cpu;
	count = 0;
	last_t = instructions_until_end(&V[cpu]);
	say("start %lu\n", last_t);
}
static void stop(void)
{
	tracing = false;
	for (int i = 0; i < nv; i++) {
		struct vcpu *v = &V[i];
		struct enc *e = &v->e;
		char name[16];
		u8 pgd = OP_PGD;
		if (!v->p) continue;
		flush_tnt(e, last_t);
		put_cyc(e, last_t, false);
		put_ip(e, OP_FUP, v->p->pc); /* as when the kernel ends tracing */
		put(e, &pgd, 1);
		end_chunk(v, last_t);
		snprintf(name, sizeof name, "cpu%d.pt", i);
		FILE *f = create(name);
		fwrite(e->buf, 1, e->len, f);
		fclose(f);
		free(e->buf);
	}
	say("warnings %lu\n", warnings);
	fclose(ftruth);
	fclose(fchunks);
	fclose(flog);
}

struct frame { u64 ip, cs, flags, rsp; }; /* that an interrupt left on the stack */
static void read_frame(struct vcpu *v, int vector, u64 rsp, struct frame *f)
{
	if (cpu_memory_rw_debug(v->cs, rsp + 8 * has_error_code(vector), f, sizeof *f, false)) say("warning: no frame at %lx\n", rsp);
}
static void on_first_block(struct vcpu *v, struct block *t, u64 now, int vector, u64 rsp)
{
	int cpl = v->cpl;
	if (vector < 0) {
		put_begin(v, now, t->pc);
		note(v, BEGIN, now, 0, t->pc, rsp, cpl, cpl);
		return;
	}
	struct frame f = { 0 };
	read_frame(v, vector, rsp, &f);
	put_begin(v, now, f.ip);
	note(v, BEGIN, now, 0, f.ip, f.rsp, f.cs & 3, f.cs & 3);
	put_branch(v, ASYNC, now, f.ip, f.ip, t->pc, false);
	note(v, ASYNC, now, f.ip, t->pc, rsp, f.cs & 3, cpl);
}
/* p: the block before, of which `done` instructions were executed until `end` */
static void on_next_block(struct vcpu *v, struct block *t, u64 now, u64 end, u64 done, int vector, u64 rsp, u64 cr3, int cpl)
{
	struct block *p = v->p;
	bool is_full = done >= p->n, is_direct = p->kind == JMP || p->kind == JCC || p->kind == CALL;
	bool is_async = vector >= 0 && !(is_full && (p->kind == INT || (is_direct && p->target == t->pc)));
	struct frame f = { t->pc, cpl, 0, rsp }; /* where the program was before an interrupt */
	if (is_async) read_frame(v, vector, rsp, &f);
	u64 to = f.ip;
	int cpl_between = f.cs & 3;
	if (is_full && p->kind != OTHER && !(is_async && to == p->last)) {
		bool taken = !is_direct || to == p->target;
		if (!taken && !(p->kind == JCC && to == p->next)) { warnings++; say("warning: CPU %ld goes from %lx to %lx\n", v - V, p->last, to); }
		else {
			put_branch(v, p->kind, end, p->last, p->next, to, taken);
			if (taken) note(v, p->kind, end, p->last, to, f.rsp, v->cpl, cpl_between);
		}
	} else if (!is_async && (to < p->pc || to > p->next)) { warnings++; say("warning: CPU %ld goes from block %lx to %lx\n", v - V, p->pc, to); }
	if (cr3 != v->cr3 || (p->writes_cr3 && is_full)) {
		v->cr3 = cr3;
		put_mtc_until(&v->e, end);
		flush_tnt(&v->e, end);
		put_cyc(&v->e, end, false);
		put_pip(&v->e, cr3);
	}
	if (is_async) {
		put_branch(v, ASYNC, now, f.ip, f.ip, t->pc, false);
		note(v, ASYNC, now, f.ip, t->pc, rsp, cpl_between, cpl);
	}
}
static void on_block(unsigned cpu, void *block)
{
	struct block *t = block;
	struct vcpu *v = &V[cpu];
	if ((slice_count += t->n) > SLICE) { slice_count = 0; cpu_exit(qemu_get_cpu(cpu)); }
	if (t->magic == 1 && !tracing) start(cpu);
	if (!tracing) return;
	if (t->magic == 2) { stop(); return; }
	if (cpu != running) { V[running].count = count; count = v->count; running = cpu; }
	u64 done = count, now = instructions_until_end(v) - t->n, end = v->base + done, rsp, cr3;
	u32 flags;
	count = 0;
	memcpy(&flags, v->env + E_HFLAGS, 4);
	memcpy(&rsp, v->env + E_RSP, 8);
	memcpy(&cr3, v->env + E_CR3, 8);
	int cpl = flags & 3, vector = vector_of(t->pc);
	if (v->p) on_next_block(v, t, now, end < now ? end : now, done, vector, rsp, cr3, cpl);
	else {
		v->cr3 = cr3;
		v->cpl = cpl;
		on_first_block(v, t, now, vector, rsp);
	}
	v->p = t;
	v->base = now;
	v->cpl = cpl;
	v->cr3 = cr3;
}
static void on_translation(u64 id, struct qemu_plugin_tb *tb)
{
	static const u8 magic[4] = { 0x0f, 0x1f, 0x84, 0 }, rest[3] = { 'T', 'P', 'Q' };
	struct block *t = calloc(1, sizeof *t);
	(void)id;
	t->pc = qemu_plugin_tb_vaddr(tb);
	t->n = qemu_plugin_tb_n_insns(tb);
	for (size_t i = 0; i < t->n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const u8 *b = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);
		if (size == 8 && !memcmp(b, magic, 4) && !memcmp(b + 5, rest, 3)) t->magic = b[4];
		if (i == t->n - 1u) classify(t, b, size, qemu_plugin_insn_vaddr(insn));
		qemu_plugin_register_vcpu_insn_exec_inline(insn, 0, &count, 1);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, t);
}

/* QEMU's own code has the offsets. */
static bool has_code(void *function, const void *code, size_t n) { return function && memmem(function, 256, code, n); }
__attribute__((visibility("default"))) int qemu_plugin_install(u64 id, const void *info, int argc, char **argv)
{
	static const u8 icount[] = { 0x48, 0x8b, 0x87, O_BUDGET, 0, 0, 0, 0x0f, 0xb7, 0x97, O_LOW & 255, O_LOW >> 8, 0, 0 };
	u16 at = O_ENV + E_HFLAGS + 1;
	u8 hflags[] = { 0xf6, 0x80, at & 255, at >> 8, 0, 0 };
	(void)info;
	for (int i = 0; i < argc; i++) if (!strncmp(argv[i], "out=", 4)) out = strdup(argv[i] + 4);
	qemu_get_cpu = dlsym(NULL, "qemu_get_cpu");
	cpu_exit = dlsym(NULL, "cpu_exit");
	cpu_memory_rw_debug = dlsym(NULL, "cpu_memory_rw_debug");
	timers = dlsym(NULL, "timers_state");
	bool is_known = has_code(dlsym(NULL, "icount_update"), icount, sizeof icount) && has_code(dlsym(NULL, "x86_cpu_gdb_read_register"), hflags, sizeof hflags);
	if (!is_known || !qemu_get_cpu || !cpu_exit || !cpu_memory_rw_debug || !timers) {
		fprintf(stderr, "qpt.so: another QEMU than 7.2 of Debian 12\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
