// The kernels of this bench as a C programmer writes them: prints for each its name and nanoseconds a run.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 1 << 20, SIDE = 256, ROWS = 16, COLUMNS = 65536 };
static float a[N], b[N], c[N];
static int at[N];

__attribute__((noinline)) static void elementwise(float *restrict out, const float *x, const float *y) {
  for (int i = 0; i < N; i++) out[i] = x[i] + y[i];
}

__attribute__((noinline)) static void matmul(float *restrict out, const float *x, const float *y) {
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) {
      float sum = 0;
      for (int k = 0; k < SIDE; k++) sum += x[i * SIDE + k] * y[k * SIDE + j];
      out[i * SIDE + j] = sum;
    }
}

__attribute__((noinline)) static void reduction(float *restrict out, const float *x, const float *y) {
  (void)y;
  for (int i = 0; i < ROWS; i++) {
    float sum = 0;
    for (int j = 0; j < COLUMNS; j++) sum += x[i * COLUMNS + j];
    out[i] = sum;
  }
}

__attribute__((noinline)) static void gather(float *restrict out, const float *x, const float *y) {
  (void)y;
  for (int i = 0; i < N; i++) out[i] = x[at[i]];
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

static void measure(const char *name, void (*kernel)(float *restrict, const float *, const float *)) {
  double best = 1e18;
  for (int n = 0; n < 15; n++) {
    double begin = now();
    kernel(c, a, b);
    double took = now() - begin;
    if (took < best) best = took;
  }
  printf("%s %.0f\n", name, best);
}

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
    at[i] = (int)((unsigned)i * 2654435761u % N);
  }
  measure("elementwise", elementwise);
  measure("matmul", matmul);
  measure("two-stage-reduction", reduction);
  measure("gather", gather);
  measure("tensor-core", matmul);
  return 0;
}
