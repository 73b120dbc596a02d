/* waits: threads that wait for a futex, a pipe and a timer */
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turns = PTHREAD_COND_INITIALIZER;
static int turn, fd[2];
volatile uint64_t sink;
uint64_t leaf_work(uint64_t x) { for (int i = 0; i < 6; i++) x = x * 6364136223846793005ull + (x >> 7); return x; }
uint64_t mid_work(int n) { uint64_t s = 1; for (int i = 0; i < n; i++) s += leaf_work(s); return s; }
void burn(int n) { sink += mid_work(n); }
void nap(long ns) { struct timespec t = { 0, ns }; nanosleep(&t, 0); }
void wait_turn(int want)
{
	pthread_mutex_lock(&m);
	while (turn < want) pthread_cond_wait(&turns, &m);
	pthread_mutex_unlock(&m);
}
void give_turn(int i)
{
	pthread_mutex_lock(&m);
	turn = i;
	pthread_cond_broadcast(&turns);
	pthread_mutex_unlock(&m);
}
int get_message(void) { char b[64]; return read(fd[0], b, sizeof b); }
void send_message(void) { char b[32] = "x"; if (write(fd[1], b, sizeof b) != sizeof b) sink++; }
void *futex_thread(void *a) { for (int i = 1; i <= 3; i++) { wait_turn(i); burn(400); } return a; }
void *sleep_thread(void *a) { for (int i = 0; i < 4; i++) { nap(1500000); burn(700); } return a; }
void *pipe_thread(void *a) { while (get_message() > 0) burn(300); return a; }
int main(void)
{
	pthread_t t[3];
	if (pipe(fd)) return 1;
	pthread_create(&t[0], 0, futex_thread, 0);
	pthread_create(&t[1], 0, sleep_thread, 0);
	pthread_create(&t[2], 0, pipe_thread, 0);
	for (int i = 1; i <= 3; i++) { burn(600); nap(900000); give_turn(i); burn(200); send_message(); }
	close(fd[1]);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
