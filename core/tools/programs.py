#!/usr/bin/env python3
"""The program records that tinygrad 0.9.0 makes of kernels, one a line, to compare `core`'s with.

Set up once:   python3 -m venv .venv && .venv/bin/pip install tinygrad==0.9.0 numpy
Then:
  .venv/bin/python programs.py --target metal --opts hand < kernels.txt
  .venv/bin/python programs.py --target opencl --opts hand --numbers --every 50 < kernels.txt

A kernel is one line of Python source as tinygrad logs it; read only such that you trust. One run counts names as tinygrad does:
the second kernel of a name is `…n1`.

A line of output, separated by tabs: target, opts, coloured name (escapes as ^[), function's name, launch dimensions, variables,
arguments, number of outputs, operations, bytes, values with each variable in the middle of its range (launch dimensions,
operations, bytes), kernel. Where tinygrad fails: target, opts, `error`, what it says, kernel.
"""
import argparse, os, sys
os.environ.setdefault("PYTHON", "1")
sys.setrecursionlimit(100000)
from math import inf, nan  # noqa: F401 (eval)
from tinygrad.ops import LazyOp, TernaryOps, BinaryOps, UnaryOps, ReduceOps, BufferOps, MemBuffer, ConstBuffer  # noqa: F401 (eval)
from tinygrad.codegen.kernel import Opt, OptOps
from tinygrad.codegen.linearizer import Linearizer
from tinygrad.dtype import dtypes  # noqa: F401 (eval)
from tinygrad.shape.shapetracker import ShapeTracker  # noqa: F401 (eval)
from tinygrad.shape.view import View  # noqa: F401 (eval)
from tinygrad.shape.symbolic import Variable, NumNode, Node, sym_render, sym_infer  # noqa: F401 (eval)
from tinygrad.renderer.cstyle import ClangRenderer, OpenCLRenderer, MetalRenderer, CUDARenderer, HIPRenderer

def target(name):
  if name == "metal":
    renderer = MetalRenderer()
    renderer.tensor_cores = MetalRenderer.tensor_cores  # also off an Arm machine
  else:
    renderer = {"clang": ClangRenderer, "opencl": OpenCLRenderer, "hip": HIPRenderer, "cuda": lambda: CUDARenderer("sm_80")}[name]()
  renderer.render = lambda name, uops: ""
  return renderer

def kernel(line, opts, renderer):
  value = eval(line, globals())
  if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], list): value = value[0]
  k = Linearizer(*(value if isinstance(value, tuple) else (value,)), opts=renderer)
  if opts == "hand":
    k.required_optimizations()
    if not k.apply_tensor_cores(): k.hand_coded_optimizations()
  elif opts == "none":
    k.required_optimizations()
  else:
    for item in opts.split():
      op, axis, amt = (None if x == "None" else x for x in item.split(":"))
      k.apply_opt(Opt(OptOps[op], None if axis is None else int(axis), None if amt is None else int(amt)))
  return k

def sizes(values): return "None" if values is None else "[" + ",".join(sym_render(x) for x in values) + "]"

def record(k):
  p = k.to_program()
  middle = {v: (v.min + v.max) // 2 for out in k.ast for v in out.vars()}
  launch = p.launch_dims(middle)
  return [p.name.replace("\x1b", "^"), p.function_name, f"global={sizes(p.global_size)}local={sizes(p.local_size)}",
          " ".join(f"{v.expr}[{v.min},{v.max}]" for v in p.vars) or "-",
          " ".join(f"{i}:{'out' if out else 'in'}" for i, out in p.globals), str(p.outcount),
          sym_render(p.op_estimate), sym_render(p.mem_estimate),
          f"global={sizes(launch[0])}local={sizes(launch[1])} {sym_infer(p.op_estimate, middle)} {sym_infer(p.mem_estimate, middle)}"]

def main():
  p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  p.add_argument("--target", default="opencl")
  p.add_argument("--opts", default="hand")
  p.add_argument("--numbers", action="store_true", help="print a kernel's line number, #0 and so on, instead of its text")
  p.add_argument("--every", type=int, default=1, help="only every so many kernels, the first included")
  p.add_argument("--symbolic", action="store_true", help="only kernels with variables")
  a = p.parse_args()
  for number, line in enumerate(l.rstrip("\n") for l in sys.stdin):
    if not line.strip() or number % a.every or (a.symbolic and "Variable(" not in line): continue
    name = f"#{number}" if a.numbers else line
    try: fields = record(kernel(line, a.opts, target(a.target)))
    except Exception as e: fields = ["error", f"{type(e).__name__} {str(e)[:120]}".replace("\n", " ").replace("\t", " ")]
    print(a.target, a.opts, *fields, name, sep="\t")

if __name__ == "__main__": main()
