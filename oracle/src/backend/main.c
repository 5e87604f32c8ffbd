// Runs the kernel NAME on the arguments in a file, and writes its outputs to another: see cc.rs.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

// Errors of this program itself have a status of their own.
static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(3);
}

int main(int count, char **words) {
  enum { most = 256 };
  static void *pointers[most];
  static unsigned long long kinds[most], sizes[most];
  if (count != 4) fail("usage: program NAME ARGUMENTS RESULTS");
  struct rlimit time = {20, 20}, memory = {2ull << 30, 2ull << 30}, core = {0, 0};
  setrlimit(RLIMIT_CPU, &time);
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  FILE *in = fopen(words[2], "rb");
  if (!in) fail("can't open the arguments");
  int arguments = 0;
  unsigned long long head[2];
  while (fread(head, sizeof head, 1, in) == 1) {
    if (arguments == most) fail("too many arguments");
    kinds[arguments] = head[0];
    sizes[arguments] = head[1];
    // Aligned as a device aligns its buffers; never of size 0.
    void *memory = aligned_alloc(64, (head[1] + 127) / 64 * 64);
    if (!memory) fail("no memory for the arguments");
    if (head[1] && fread(memory, head[1], 1, in) != 1) fail("the arguments end early");
    pointers[arguments++] = memory;
  }
  fclose(in);
  call(words[1], pointers);
  FILE *out = fopen(words[3], "wb");
  if (!out) fail("can't open the results");
  for (int i = 0; i < arguments; i++)
    if (kinds[i] == 1 && sizes[i] && fwrite(pointers[i], sizes[i], 1, out) != 1) fail("can't write the results");
  if (fclose(out)) fail("can't write the results");
  return 0;
}
