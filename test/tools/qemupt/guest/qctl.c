/* qctl COMMAND ARGUMENTS: traces the command. The plugin sees instructions that do nothing: nopl with a displacement. */
#include <sys/wait.h>
#include <unistd.h>
#define MAGIC(n) __asm__ volatile (".byte 0x0f, 0x1f, 0x84, 0x00, " #n ", 0x54, 0x50, 0x51" ::: "memory")
int main(int c, char **v)
{
	int status;
	usleep(3000);
	MAGIC(1);
	int pid = fork();
	if (!pid) { execv(v[1], v + 1); _exit(127); }
	waitpid(pid, &status, 0);
	MAGIC(2);
	usleep(2000);
	return c < 2;
}
