#!/usr/bin/env python3
"""How much faster than tinygrad 0.9.0 kernels are lowered: both on the same sample, one after the other, one thread.

  python3 -m venv .venv && .venv/bin/pip install -r corpus/benches/requirements.txt
  .venv/bin/python corpus/benches/compare_with_tinygrad.py KERNELS [--every 50] [--plumb target/release/plumb]

KERNELS is a log as tinygrad's LOGKERNS writes it (an AST, or a pair of AST and optimisations, a line), plain or gzip. Read
from it is every Nth line. Measured is what follows reading: the kernel's state, hand-coded optimisations for OpenCL, and
linearization to ordered uops. Reading a log evaluates it as Python: use logs that you trust.
"""
import argparse
import gzip
import math
import os
import re
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("PYTHON", "1")
sys.setrecursionlimit(100_000)

# Logs name these.
from tinygrad.codegen.kernel import Opt, OptOps  # noqa: E402, F401
from tinygrad.codegen.linearizer import Linearizer  # noqa: E402
from tinygrad.dtype import ImageDType, PtrDType, dtypes  # noqa: E402, F401
from tinygrad.ops import (  # noqa: E402, F401
    BinaryOps, BufferOps, ConstBuffer, LazyOp, MemBuffer, ReduceOps, TernaryOps, UnaryOps)
from tinygrad.renderer.cstyle import OpenCLRenderer  # noqa: E402
from tinygrad.shape.shapetracker import ShapeTracker  # noqa: E402, F401
from tinygrad.shape.symbolic import NumNode, Variable  # noqa: E402, F401
from tinygrad.shape.view import View  # noqa: E402, F401

inf, nan = math.inf, math.nan


def sample(path, every):
    """Every Nth line of a log."""
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt") as lines:
        return [line.strip() for number, line in enumerate(filter(str.strip, lines)) if number % every == 0]


def time_tinygrad(lines, renderer):
    """Seconds that tinygrad takes, kernels, uops."""
    seconds, kernels, uops = 0.0, 0, 0
    for line in lines:
        value = eval(line, globals())
        if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], list):
            value = value[0]
        asts = value if isinstance(value, tuple) else (value,)
        start = time.perf_counter()
        kernel = Linearizer(*asts, opts=renderer)
        kernel.required_optimizations()
        if not kernel.apply_tensor_cores():
            kernel.hand_coded_optimizations()
        kernel.linearize()
        seconds += time.perf_counter() - start
        kernels += 1
        uops += len(list(kernel.uops))
    return seconds, kernels, uops


def time_plumb(lines, command):
    """The same of plumb, which measures itself; the least of three times."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write("\n".join(lines) + "\n")
        log.flush()
        call = [command, "uops", log.name, "--target", "opencl", "--opts", "hand", "--digest", "--timing"]
        found = []
        for _ in range(3):
            said = subprocess.run(call, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True).stderr
            kernels, uops, seconds = re.search(r"lowered (\d+) kernels, (\d+) uops in ([\d.]+) s", said).groups()
            found.append((float(seconds), int(kernels), int(uops)))
    return min(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels")
    parser.add_argument("--every", type=int, default=50)
    parser.add_argument("--plumb", default="target/release/plumb")
    options = parser.parse_args()
    lines = sample(options.kernels, options.every)
    print(f"every {options.every}th kernel of {options.kernels}: {len(lines)} kernels for OpenCL, hand-coded optimisations")
    results = {"tinygrad 0.9.0": time_tinygrad(lines, OpenCLRenderer()), "plumb": time_plumb(lines, options.plumb)}
    for name, (seconds, kernels, uops) in results.items():
        rate = f"{kernels / seconds:10.1f} kernels/s {seconds / kernels * 1e6:10.1f} µs a kernel"
        print(f"{name:14} {rate} {seconds / uops * 1e6:8.3f} µs a uop ({kernels} kernels, {uops} uops)")
    (slow, *_), (fast, *_) = results.values()
    print(f"ratio {slow / fast:.0f}")


if __name__ == "__main__":
    main()
