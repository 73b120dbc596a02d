// A target for `ptflame record --trigger` that writes its own truth, a line for each call of `operation`:
// "thread innerStart innerEnd outerStart outerEnd left cpu" in nanoseconds of CLOCK_MONOTONIC; left: 1 if it threw; cpu: what
// the thread's own clock says that the call took.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Settings {
  double rate = 100;      // calls a second and thread
  double seconds = 10;    // of a thread
  int threads = 2;        // at a time
  int generations = 1;    // threads that follow each other
  int slowEvery = 20;     // one call of so many is slow
  uint64_t slowNs = 15000000, fastNs = 200000;
  int depth = 0;          // calls of itself
  int throwEvery = 0;     // one call of so many throws
  bool returns = false;   // calls the function with many returns instead
  FILE *truth = nullptr;
};

static uint64_t now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void pause(uint64_t ns) {
  timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  nanosleep(&t, nullptr);
}

static volatile uint64_t sink;
static thread_local uint64_t in, out;

static __attribute__((noinline)) void work(uint64_t ns) {
  if (ns % 3 == 0) { // a third of them is busy
    for (uint64_t end = now() + ns; now() < end;) sink = sink + 1;
  } else if (ns > 0) pause(ns);
}

extern "C" __attribute__((noinline)) int operation(uint64_t ns, int depth, bool throws) {
  uint64_t begin = now();
  if (depth > 0) operation(ns / 2, depth - 1, throws);
  work(ns);
  in = begin;
  out = now();
  if (throws && depth == 0) throw 1;
  return (int)ns;
}

// Returns at more places than the CPU has breakpoints.
extern "C" __attribute__((noinline, optimize("no-crossjumping", "no-tree-tail-merge"))) int returning(uint64_t ns, int how) {
  in = now();
  work(ns);
  out = now();
  switch (how) {
    case 0: sink = 1; return 10;
    case 1: sink = sink * 3; return 21;
    case 2: sink = sink - 7; return 32;
    case 3: sink = sink ^ 5; return 43;
    case 4: sink = sink / 3; return 54;
    default: return 65;
  }
}

static void run(const Settings &s) {
  int tid = syscall(SYS_gettid);
  unsigned seed = tid;
  uint64_t gap = 1e9 / s.rate, start = now(), next = start;
  while (now() - start < s.seconds * 1e9) {
    next += gap;
    for (uint64_t time = now(); time < next; time = now())
      if (next - time > 100000) pause(next - time - 60000);
    bool slow = rand_r(&seed) % s.slowEvery == 0, throws = s.throwEvery > 0 && rand_r(&seed) % s.throwEvery == 0;
    uint64_t ns = slow ? s.slowNs + rand_r(&seed) % s.slowNs : s.fastNs;
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), before = now();
    try {
      if (s.returns) returning(ns, rand_r(&seed) % 6);
      else operation(ns, s.depth, throws);
      throws = false;
    } catch (int) {
    }
    uint64_t after = now();
    cpu = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
    fprintf(s.truth, "%d %lu %lu %lu %lu %d %lu\n", tid, in, out, before, after, throws, cpu);
    if (now() > next + 20 * gap) next = now();
  }
}

int main(int argc, char **argv) {
  Settings s;
  for (int i = 1; i + 1 < argc; i += 2) {
    const char *name = argv[i], *value = argv[i + 1];
    auto is = [name](const char *wanted) { return strcmp(name, wanted) == 0; };
    if (is("rate")) s.rate = atof(value);
    if (is("seconds")) s.seconds = atof(value);
    if (is("threads")) s.threads = atoi(value);
    if (is("generations")) s.generations = atoi(value);
    if (is("slowEvery")) s.slowEvery = atoi(value);
    if (is("slowUs")) s.slowNs = atof(value) * 1000;
    if (is("fastUs")) s.fastNs = atof(value) * 1000;
    if (is("depth")) s.depth = atoi(value);
    if (is("throwEvery")) s.throwEvery = atoi(value);
    if (is("returns")) s.returns = atoi(value) != 0;
    if (is("truth")) s.truth = fopen(value, "w");
  }
  if (s.truth == nullptr) return 1;
  getchar(); // begins when it is told to
  std::vector<std::thread> lines;
  for (int i = 0; i < s.threads; i++)
    lines.emplace_back([&s] {
      for (int g = 0; g < s.generations; g++) std::thread(run, std::cref(s)).join();
    });
  for (auto &line : lines) line.join();
  fclose(s.truth);
}
