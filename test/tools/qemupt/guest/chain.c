/* chain: fork, vfork, exec and exit */
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
volatile uint64_t sink;
uint64_t step(uint64_t x) { return x * 5 + 1; }
void busy(int n) { for (int i = 0; i < n; i++) sink = step(sink); }
void run_leaf(int n)
{
	char b[16], *a[] = { "leaf", b, 0 };
	snprintf(b, sizeof b, "%d", n);
	execv("/usr/bin/leaf", a);
	_exit(99);
}
int spawn_leaf(int n)
{
	int p = fork();
	if (!p) { busy(50); run_leaf(n); }
	return p;
}
int spawn_plain(int n)
{
	int p = fork();
	if (!p) { busy(n); _exit(3); }
	return p;
}
int spawn_vfork(int n)
{
	int p = vfork();
	if (!p) run_leaf(n);
	return p;
}
void reap(int p) { waitpid(p, 0, 0); }
int main(void)
{
	busy(300);
	int a = spawn_leaf(900), b = spawn_plain(800);
	reap(b);
	reap(a);
	reap(spawn_vfork(300));
	run_leaf(700); /* replaces this program, below main */
	return 0;
}
