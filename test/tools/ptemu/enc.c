/*
 * Intel PT packet encoder. One struct enc per virtual CPU.
 *
 * enc_event() takes architectural events in time order and emits the packets a
 * processor would: TNT/TIP/FUP/TIP.PGE/TIP.PGD, CYC before every CYC-eligible
 * packet, MTC at CTC boundaries, PSB+ each PSB period.  It also computes for
 * each event the time at which a decoder will see it ("pt"), because PT has a
 * timestamp per packet, not per branch.
 */
#include "ptemu.h"
#include <stdlib.h>
#include <string.h>

static void put_raw(struct enc *e, const void *p, size_t n)
{
	if (e->len + n > e->cap) {
		e->cap = e->cap ? e->cap * 2 : 1 << 16;
		e->buf = realloc(e->buf, e->cap);
		if (!e->buf) die("out of memory");
	}
	memcpy(e->buf + e->len, p, n);
	e->len += n;
	e->total += n;
}
/* PAD bytes between packets, as processors write them to align */
static void put(struct enc *e, const void *p, size_t n)
{
	static const u8 pad[16];
	if (O.hardware && (e->noise = e->noise * 1103515245 + 12345) >> 16 & 1) put_raw(e, pad, e->noise >> 20 & 3);
	put_raw(e, p, n);
}
/* what has been written ends at a multiple of 16 bytes when perf is told of it */
void enc_align(struct enc *e)
{
	static const u8 pad[16];
	if (O.hardware) put_raw(e, pad, -e->total & 15);
}
static void put1(struct enc *e, u8 a) { put(e, &a, 1); }
static void put2(struct enc *e, u8 a, u8 b) { u8 x[2] = { a, b }; put(e, x, 2); }

static u64 cycles(u64 tick) { return O.cbr == MAX_NONTURBO ? tick : tick / MAX_NONTURBO * O.cbr + tick % MAX_NONTURBO * O.cbr / MAX_NONTURBO; }

static void pkt_cyc(struct enc *e, u64 tick, bool always)
{
	u64 c = cycles(tick), d = c > e->cyc_last ? c - e->cyc_last : 0;
	u8 b[12]; int n = 0;
	if (!d && !always) return;
	if (c > e->cyc_last) e->cyc_last = c;
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

static void pkt_tsc_tma(struct enc *e, u64 tick)
{
	u8 b[8] = { 0x19 };
	pkt_cyc(e, tick, true);
	memcpy(b + 1, &tick, 7);
	put(e, b, 8);
	u64 ctc = tick / TSC_PER_CTC, fc = tick % TSC_PER_CTC;
	if (O.mtc) {
		u8 m[7] = { 0x02, 0x73, ctc & 255, (ctc >> 8) & 255, 0, fc & 255, fc >> 8 & 1 };
		put(e, m, 7);
	}
	e->mtc_last = ctc >> MTC_SHIFT;
}
static void pkt_cbr(struct enc *e) { u8 b[4] = { 0x02, 0x03, O.cbr, 0 }; put(e, b, 4); }
static void pkt_mode(struct enc *e) { put2(e, 0x99, 0x01); }

static void pkt_ip(struct enc *e, u8 op, u64 ip, bool suppressed)
{
	u8 b[9]; int n, code;
	if (suppressed) { put1(e, op); return; }
	u64 x = ip ^ e->last_ip;
	if (e->full_ip && O.hardware) { code = 6; n = 8; }
	else if (e->full_ip && (u64)((int64_t)(ip << 16) >> 16) == ip) { code = 3; n = 6; } /* first address after PSB or OVF */
	else if (!(x >> 16)) { code = 1; n = 2; }
	else if (!(x >> 32)) { code = 2; n = 4; }
	else if ((u64)((int64_t)(ip << 16) >> 16) == ip) { code = 3; n = 6; }
	else if (!(x >> 48)) { code = 4; n = 6; }
	else { code = 6; n = 8; }
	b[0] = op | code << 5;
	memcpy(b + 1, &ip, n);
	put(e, b, n + 1);
	e->last_ip = ip;
	e->full_ip = false;
}
#define OP_TIP 0x0d
#define OP_PGE 0x11
#define OP_PGD 0x01
#define OP_FUP 0x1d

static void mtc_upto(struct enc *e, u64 tick)
{
	if (!O.mtc) return;
	u64 m = tick / TSC_PER_CTC >> MTC_SHIFT;
	if (m - e->mtc_last > 64 && !O.hardware) e->mtc_last = m - 64; /* long stall: the last 64 are enough */
	while (e->mtc_last < m) {
		e->mtc_last++;
		pkt_cyc(e, (e->mtc_last << MTC_SHIFT) * TSC_PER_CTC, true);
		put2(e, 0x59, e->mtc_last & 255);
	}
}

/* everything pending gets walked by the decoder when it meets the next packet */
static void resolve(struct enc *e, u64 tick, bool lost)
{
	for (int i = 0; i < e->npend; i++) {
		struct ev *v = &e->pend[i];
		if (v->pt == ~0ULL) v->pt = tick;
		if (lost) v->lost = true;
		truth_commit(v, e->cpu);
	}
	e->npend = 0;
}
static void pend(struct enc *e, const struct ev *v)
{
	if (e->npend == e->cpend) {
		e->cpend = e->cpend ? e->cpend * 2 : 64;
		e->pend = realloc(e->pend, e->cpend * sizeof *e->pend);
	}
	e->pend[e->npend++] = *v;
}

static void flush_tnt(struct enc *e, u64 tick)
{
	if (!e->ntnt) return;
	pkt_cyc(e, tick, false);
	if (e->ntnt <= 6)
		put1(e, ((1u << e->ntnt) | e->tnt) << 1);
	else {
		u64 p = (1ULL << e->ntnt) | e->tnt;
		u8 b[8] = { 0x02, 0xa3 };
		memcpy(b + 2, &p, 6);
		put(e, b, 8);
	}
	e->ntnt = 0; e->tnt = 0;
	e->samp = tick;
	resolve(e, tick, false);
}
static void add_tnt(struct enc *e, bool bit, u64 tick)
{
	e->tnt = e->tnt << 1 | bit;
	if (++e->ntnt == (O.longtnt ? 47 : 6)) flush_tnt(e, tick);
}

static void rc_clear(struct enc *e) { e->rcn = 0; }
static void rc_push(struct enc *e, u64 ip)
{
	e->rc[e->rctop++ & 63] = ip;
	if (e->rcn < 64) e->rcn++;
}

static void psb_plus(struct enc *e, u64 tick, u64 ip, bool have_ip)
{
	static const u8 psb[16] = { 2,0x82,2,0x82,2,0x82,2,0x82,2,0x82,2,0x82,2,0x82,2,0x82 };
	bool drop = false;
	int k = e->npsb++;
	for (int i = 0; i < O.ndrop; i++)
		if (O.drop_psb[i] == k || (O.drop_psb[i] == -1 && k)) drop = true;
	e->psb_at = e->total;
	if (drop) return;
	put(e, psb, 16);
	e->last_ip = 0;
	e->full_ip = true;
	pkt_tsc_tma(e, tick);
	pkt_cbr(e);
	if (O.hardware && k & 1) put2(e, 0x99, 0x20); /* MODE.TSX, in both orders */
	if (have_ip) pkt_mode(e);
	if (O.hardware && !(k & 1)) put2(e, 0x99, 0x20);
	if (have_ip) {
		pkt_ip(e, OP_FUP, ip, false);
	}
	put2(e, 0x02, 0x23);
	rc_clear(e);
	if (have_ip) resolve(e, tick, false);
	e->samp = tick;
}

void enc_sched_in(struct enc *e, u64 tick)
{
	if (!e->started) {
		e->cyc_last = cycles(tick);
		psb_plus(e, tick, 0, false);
		e->started = true;
	}
	e->resync = true;
}

/* start losing branches: how 1 = internal overflow (OVF), 2 = buffer full (trace stopped) */
void enc_lose(struct enc *e, int how, u64 n, u64 tick, int vtid)
{
	(void)vtid;
	if (how == 2) flush_tnt(e, tick);
	else { e->ntnt = 0; e->tnt = 0; }
	resolve(e, tick, true);
	e->lost = how;
	e->lost_left = n;
	rc_clear(e);
}

static void end_loss(struct enc *e, struct ev *v, u64 ip, bool begin)
{
	if (e->lost == 1) {
		put2(e, 0x02, 0xf3);
		pkt_tsc_tma(e, v->tick);
		e->full_ip = true;
		if (!begin) pkt_ip(e, OP_FUP, ip, false);
		if (O.hardware) psb_plus(e, v->tick, ip, !begin);
	} else {
		psb_plus(e, v->tick, 0, false);
		if (!begin) { pkt_mode(e); pkt_ip(e, OP_PGE, ip, false); }
	}
	e->lost = 0;
	rc_clear(e);
	e->samp = v->tick;
	e->pge = true;
	if (!begin) { /* visible as a trace begin */
		struct ev b = { .kind = K_BEGIN, .bt = 2, .thr = v->thr, .tick = v->tick, .pt = v->tick, .to = ip };
		truth_commit(&b, e->cpu);
	}
}

void enc_event(struct enc *e, struct ev *v)
{
	u64 t = v->tick;
	v->pt = ~0ULL;
	if (v->kind == K_UNWIND) { /* stack change only; no packet */
		if (e->lost) { v->lost = true; v->pt = t; truth_commit(v, e->cpu); return; }
		if (!e->ntnt) v->pt = e->samp;
		pend(e, v);
		return;
	}
	if (v->kind < K_SYSCALL) e->nbranch++;
	if (e->lost) {
		if (v->kind == K_BEGIN && !e->lost_left) {
			end_loss(e, v, v->to, true);
		} else {
			v->lost = true; v->pt = t;
			truth_commit(v, e->cpu);
			if (e->lost_left) e->lost_left--;
			if (v->kind == K_SYSCALL || v->kind == K_ASYNC) { e->pge = false; return; }
			if (v->kind == K_BEGIN) { e->pge = true; return; }
			if (!e->lost_left && e->pge) end_loss(e, v, v->to, false);
			return;
		}
	}
	if (e->pge) mtc_upto(e, t);
	switch (v->kind) {
	case K_JCC:
		pend(e, v);
		add_tnt(e, v->taken, t);
		break;
	case K_CALL:
		if (v->to != v->from + v->len) rc_push(e, v->from + v->len);
		/* fall through */
	case K_JMP:
		if (!e->ntnt) v->pt = e->samp; /* else known when the TNT goes out */
		pend(e, v);
		break;
	case K_RET:
		if (!O.noretcomp && e->rcn) {
			e->rcn--;
			if (e->rc[--e->rctop & 63] == v->to) {
				pend(e, v);
				add_tnt(e, true, t);
				break;
			}
		}
		goto tip;
	case K_CALLI:
		rc_push(e, v->from + v->len);
		/* fall through */
	case K_JMPI:
	tip:
		flush_tnt(e, t);
		pkt_cyc(e, t, false);
		pkt_ip(e, OP_TIP, v->to, false);
		pend(e, v);
		resolve(e, t, false);
		e->samp = t;
		break;
	case K_SYSCALL:
		flush_tnt(e, t);
		pkt_cyc(e, t, false);
		pkt_ip(e, OP_PGD, 0, true);
		pend(e, v);
		resolve(e, t, false);
		e->samp = t;
		e->pge = false;
		break;
	case K_ASYNC:
		flush_tnt(e, t);
		pkt_cyc(e, t, false);
		pkt_ip(e, OP_FUP, v->from, false);
		pkt_ip(e, OP_PGD, 0, true);
		pend(e, v);
		resolve(e, t, false);
		e->samp = t;
		e->pge = false;
		break;
	case K_BEGIN:
		if (O.hardware && O.mtc && !e->resync && (t / TSC_PER_CTC >> MTC_SHIFT) - e->mtc_last < 4096) mtc_upto(e, t); /* the clock goes on while tracing is off */
		if (e->resync || !O.mtc || (t / TSC_PER_CTC >> MTC_SHIFT) > e->mtc_last) pkt_tsc_tma(e, t);
		if (e->resync) { pkt_cbr(e); pkt_mode(e); e->resync = false; }
		pkt_cyc(e, t, false);
		pkt_ip(e, OP_PGE, v->to, false);
		rc_clear(e);
		e->pge = true;
		pend(e, v);
		resolve(e, t, false);
		e->samp = t;
		break;
	}
	if (e->pge && e->total - e->psb_at >= 2048ULL << O.psb_bits) {
		flush_tnt(e, t);
		psb_plus(e, t, v->to, true);
	}
}

void enc_flush_chunk(struct enc *e, u64 tick, int vpid, int vtid, bool force)
{
	if (e->total > e->aux_done && (force || e->len >= O.chunk)) {
		enc_align(e);
		pd_aux(e->cpu, vpid, vtid, tick, e->aux_done, e->total - e->aux_done, 0);
		e->aux_done = e->total;
	}
	if (e->len >= O.chunk) {
		pd_auxtrace(e->cpu, e->flushed, e->buf, e->len, tick);
		e->flushed += e->len;
		e->len = 0;
	}
}
