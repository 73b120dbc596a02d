/* leaf N: computes, for chain.c */
#include <stdint.h>
#include <stdlib.h>
volatile uint64_t sink;
uint64_t inner(uint64_t x) { for (int i = 0; i < 5; i++) x = x * 3 + (x >> 3); return x; }
void work(int n) { for (int i = 0; i < n; i++) sink += inner(sink); }
int main(int c, char **v)
{
	int n = c > 1 ? atoi(v[1]) : 100;
	char *p = malloc(100000);
	for (int i = 0; i < 100000; i += 4096) p[i] = i; /* page faults */
	work(n);
	return n & 7;
}
