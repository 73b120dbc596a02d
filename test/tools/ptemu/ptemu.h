/* ptemu - software recorder that writes Intel PT perf.data files. Shared types. */
#ifndef PTEMU_H
#define PTEMU_H
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdbool.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint8_t u8;

#define MAXCPU 64

/* ---- simulated processor clocks -------------------------------------- */
#define TSC_HZ      3000000000ULL  /* invariant TSC */
#define CRYSTAL_HZ    24000000ULL  /* CTC (ART) frequency */
#define TSC_PER_CTC (TSC_HZ / CRYSTAL_HZ) /* 125 */
#define CTC_N 250                  /* CPUID.15H style ratio N/D = 125 */
#define CTC_D 2
#define MTC_SHIFT 3                /* mtc_period=3: one MTC each 8 CTC ticks */
#define MAX_NONTURBO 30            /* TSC_HZ / 100 MHz */
#define FX 8                       /* virtual time = TSC ticks << FX */
#define TIME_SHIFT 31
#define TIME_MULT  715827882ULL    /* (1e9 << 31) / 3e9, as the kernel truncates it */
#define TIME_ZERO  17000000000ULL

static inline u64 tick_ns(u64 t) /* same arithmetic as tsc_to_perf_time() */
{
	u64 q = t >> TIME_SHIFT, r = t & ((1ULL << TIME_SHIFT) - 1);
	return TIME_ZERO + q * TIME_MULT + ((r * TIME_MULT) >> TIME_SHIFT);
}
static inline u64 ns_fx(double ns) { return (u64)(ns * 3.0 * (1 << FX) + 0.5); }

/* ---- options ----------------------------------------------------------- */
struct opts {
	const char *out, *truth, *tree;
	int ncpu, pid0;
	double ns_insn, ns_syscall;
	u64 seed;            /* 0 = no jitter */
	u64 irq_ns;          /* periodic interrupt, 0 = off */
	u64 slice_ns;
	const char *from_symbol;
	u64 max_branches;
	u64 max_insns;
	bool noretcomp, mtc, longtnt, hardware, truth_branches, real_tids, keep_vdso, verbose, migrate, int3;
	int cbr;
	int psb_bits;        /* PSB period = 2K << psb_bits */
	int switch_mode;     /* 3: SWITCH_CPU_WIDE, 2: SWITCH */
	u64 chunk;
	u64 base_ns;
	u64 ovf_at[16], ovf_len[16]; int novf;
	u64 trunc_at[16], trunc_len[16]; int ntrunc;
	int drop_psb[64], ndrop;   /* -1 = every one but the first */
	const char *repeat_symbol; u64 repeat, repeat_skip; int repeat_cpus; bool truth_repeats;
};
extern struct opts O;

void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

/* ---- instructions -------------------------------------------------------- */
enum { IK_OTHER, IK_JCC, IK_JMP, IK_JMPI, IK_CALL, IK_CALLI, IK_RET, IK_SYSCALL, IK_TRAP, IK_BAD };
struct insn { u8 kind, len; bool rep; u64 target; };
void insn_classify(const u8 *b, int n, u64 ip, struct insn *o);

/* ---- architectural events --------------------------------------------------- */
enum { K_JCC, K_JMP, K_JMPI, K_CALL, K_CALLI, K_RET, K_SYSCALL, K_ASYNC, K_BEGIN, K_UNWIND };
/* tree operation carried by an event */
enum { OP_NONE, OP_PUSH, OP_POP, OP_REPL, OP_ROOT, OP_SIGPUSH, OP_SWITCH };

struct ev {
	u8 kind, op;
	bool taken, lost, quiet;
	u8 bt;             /* BEGIN: 0 same thread back from kernel, 1 after being switched out */
	int len;           /* length of the instruction at from */
	int npop;
	int thr;           /* thread index */
	u64 tick;          /* exact time */
	u64 pt;            /* time a PT decoder sees; ~0 while unknown */
	u64 from, to, off; /* off: off-CPU ticks ended by this BEGIN */
	u64 fn;            /* function entered (PUSH/REPL/ROOT) */
};

/* ---- encoder (one per virtual CPU) --------------------------------------------- */
struct enc {
	int cpu;
	u8 *buf; size_t len, cap;
	u64 total, psb_at, flushed, aux_done;
	u64 last_ip, cyc_last, mtc_last, samp;
	u32 npsb, noise;
	u64 tnt; int ntnt;
	u64 rc[64]; int rcn, rctop;
	bool started, pge, resync, full_ip;
	int lost;            /* 0 no, 1 overflow, 2 truncated */
	u64 lost_left;
	struct ev *pend; int npend, cpend;
	u64 nbranch;
};
void enc_event(struct enc *e, struct ev *v);
void enc_sched_in(struct enc *e, u64 tick);
void enc_lose(struct enc *e, int how, u64 n, u64 tick, int vtid);
void enc_align(struct enc *e);
void enc_flush_chunk(struct enc *e, u64 tick, int vpid, int vtid, bool force);

/* ---- perf.data ---------------------------------------------------------------------- */
void pd_open(const char *path, int argc, char **argv);
void pd_close(u64 first_ns, u64 last_ns);
void pd_comm(int cpu, int pid, int tid, u64 tick, const char *comm, bool exec);
void pd_mmap2(int cpu, int pid, int tid, u64 tick, u64 addr, u64 len, u64 pgoff, int prot, const char *fn);
void pd_task(int cpu, bool fork, int pid, int ppid, int tid, int ptid, u64 tick);
void pd_switch(int cpu, bool out, bool preempt, int pid, int tid, int npid, int ntid, u64 tick);
void pd_itrace_start(int cpu, int pid, int tid, u64 tick);
void pd_aux(int cpu, int pid, int tid, u64 tick, u64 off, u64 size, u64 flags);
void pd_auxtrace(int cpu, u64 off, const u8 *data, u64 len, u64 ref);
void pd_finished_round(void);
extern u64 pd_aux_bytes;

/* ---- tracepoints and probes ------------------------------------------------------------ */
#define WMAX 24
struct warg { int reg, off, size, at; bool deref, sign; };
struct wevent { const char *sys, *name; int id; char *format; const char *file, *symbol; u64 ip; struct warg arg[8]; int nargs, raw; };
extern struct wevent W[WMAX]; extern int nW;
void waits_tracepoints(void);
void waits_probe(const char *spec);
void waits_resolve(int pid);
struct wevent *waits_at(u64 ip);
struct wevent *waits_named(const char *name);
void pd_sample(int cpu, int pid, int tid, u64 tick, struct wevent *w, u64 ip, void *raw, int size, int flags);

/* ---- symbols --------------------------------------------------------------------------- */
struct sym { u64 start, end; const char *name; u8 bind, type; int id; };
const struct sym *sym_find(u64 ip, u64 *start_ip); /* NULL if unknown */
void maps_reload(int pid, void (*newmap)(u64 addr, u64 len, u64 pgoff, int prot, const char *fn));
u64 sym_addr(int pid, const char *path, const char *name);
const char *sym_name_at(u64 ip);
int name_id(const char *name);
const char *id_name(int id);

/* ---- truth -------------------------------------------------------------------------------- */
void truth_open(void);
void truth_thread(int idx, int vpid, int vtid, u64 fn, u64 tick);
void truth_thread_end(int idx, u64 tick);
void truth_commit(struct ev *v, int cpu);
void truth_close(void);
extern u64 truth_lost;
#endif
