#!/usr/bin/env python3
"""The states that tinygrad 0.9.0 brings kernels to, one a line, to compare `core`'s kernels with.

Set up once:   python3 -m venv .venv && .venv/bin/pip install tinygrad==0.9.0 numpy
Then:
  .venv/bin/python kernel_states.py replay < requests           requests: target<TAB>opts<TAB>kernel
  .venv/bin/python kernel_states.py actions --target metal < kernels.txt            (what a search may try first)
  .venv/bin/python kernel_states.py random --target metal --sequences 3 --length 5 --seed 1 < kernels.txt

`opts` is `hand` (the required ones, then tensor cores or else the hand-coded ones), `none` (the required ones), or a list
`OP:axis:amt`. A kernel is one line of Python source as tinygrad logs it; read only such that you trust.

A line of output: target<TAB>opts<TAB>state<TAB>kernel. Each opt of a list ends in `+` (applied), `-` (refused; it is then
undone) or `!` (failed with another error than a refusal; nothing after it is tried). The state:
  name | applied opts | colours | local_dims,group_for_reduces,upcasted | view; view; ...
with each view as shape:strides+offset[mask], stacked views joined by `<`. For `actions` the opts are those that the search
tries, and there is no state.
"""
import argparse, os, random, sys
os.environ.setdefault("PYTHON", "1")
sys.setrecursionlimit(100000)
from math import inf, nan  # noqa: F401 (eval)
from tinygrad.ops import LazyOp, TernaryOps, BinaryOps, UnaryOps, ReduceOps, BufferOps, MemBuffer, ConstBuffer  # noqa: F401 (eval)
from tinygrad.codegen.kernel import Opt, OptOps, Kernel, KernelOptError
from tinygrad.dtype import dtypes, ImageDType  # noqa: F401 (eval)
from tinygrad.shape.shapetracker import ShapeTracker  # noqa: F401 (eval)
from tinygrad.shape.view import View  # noqa: F401 (eval)
from tinygrad.shape.symbolic import Variable, NumNode, Node, sym_render  # noqa: F401 (eval)
from tinygrad.engine.search import get_linearizer_actions
from tinygrad.renderer.cstyle import ClangRenderer, OpenCLRenderer, MetalRenderer, CUDARenderer, HIPRenderer

def target(name):
  if name == "metal":
    renderer = MetalRenderer()
    renderer.tensor_cores = MetalRenderer.tensor_cores  # also off an Arm machine
    return renderer
  return {"clang": ClangRenderer, "opencl": OpenCLRenderer, "hip": HIPRenderer, "cuda": lambda: CUDARenderer("sm_80")}[name]()

def numbers(values): return "(" + ",".join(sym_render(v) for v in values) + ")"

def view_text(view):
  mask = "" if view.mask is None else "[" + ",".join(f"{sym_render(a)}:{sym_render(b)}" for a, b in view.mask) + "]"
  return f"{numbers(view.shape)}:{numbers(view.strides)}+{sym_render(view.offset)}{mask}"

def opt_text(opt): return f"{opt.op.name}:{opt.axis}:{opt.amt}"

def state_text(k):
  name = ("r" if k.reduceop else "C" if all(x.op in BufferOps for x in k.lazyops) else "E") + (str(len(k.outbufs)) if len(k.outbufs) > 1 else "")
  name += "_" + "_".join(str(x) for x in k.full_shape)
  views = "; ".join("<".join(view_text(v) for v in st.views) for st in k.sts)
  return " | ".join([name, " ".join(opt_text(o) for o in k.applied_opts) or "-", " ".join(k.colors()) or "-",
                     f"{k.local_dims},{k.group_for_reduces},{k.upcasted}", views])

def build(line, renderer):
  value = eval(line, globals())
  if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], list): value = value[0]
  return Kernel(*(value if isinstance(value, tuple) else (value,)), opts=renderer)

def attempt(k, opt):
  """The kernel after the opt (or before it), and how it went."""
  trial = k.copy()
  try: trial.apply_opt(opt)
  except KernelOptError: return k, "-"
  except Exception: return k, "!"
  return trial, "+"

def apply_all(k, opts):
  marks = []
  for opt in opts:
    k, mark = attempt(k, opt)
    marks.append(opt_text(opt) + mark)
    if mark == "!": break
  return k, " ".join(marks)

def parse_opt(text):
  op, axis, amt = text.rstrip("+-!").split(":") if not text.endswith("-") else text[:-1].split(":")
  return Opt(OptOps[op], None if axis == "None" else int(axis), None if amt == "None" else int(amt))

def replay(line):
  tgt, opts, kernel = line.split("\t")
  k = build(kernel, target(tgt))
  if opts == "hand":
    k.required_optimizations()
    if not k.apply_tensor_cores(): k.hand_coded_optimizations()
  elif opts == "none":
    k.required_optimizations()
  else:
    k, opts = apply_all(k, [parse_opt(x) for x in opts.split() if x != "-"])
  return tgt, opts, k, kernel

def draw(rng, k):
  """An opt that has some chance to apply, or now and then to be refused for any of the reasons there are."""
  if not k.applied_opts and k.opts.tensor_cores and rng.random() < 0.3: return Opt(OptOps.TC, rng.choice([0, 0, 0, 1, 3]), rng.randrange(3))
  op = rng.choices([OptOps.UPCAST, OptOps.UNROLL, OptOps.LOCAL, OptOps.GROUP, OptOps.GROUPTOP, OptOps.PADTO, OptOps.TC, OptOps.NOLOCALS,
                    OptOps.UPCASTMID], [20, 16, 20, 8, 8, 14, 8, 1, 4])[0]
  if op is OptOps.NOLOCALS: return Opt(op)
  if op is OptOps.TC: return Opt(op, rng.choice([0, 0, 1, 2, 5]), rng.randrange(3))
  first = {OptOps.UNROLL: k.first_reduce, OptOps.GROUP: k.first_reduce + k.group_for_reduces, OptOps.GROUPTOP: k.first_reduce + k.group_for_reduces}.get(op, 0)
  axis = rng.randrange(max(1, min(k.shape_len, k.first_reduce if op in {OptOps.UPCAST, OptOps.LOCAL} else k.shape_len) - first + rng.choice([0, 0, 1])))
  size = k.full_shape[first + axis] if first + axis < k.shape_len else 1
  amounts = [0, 2, 3, 4, 5, 7, 8, 16, 32]
  if op is not OptOps.PADTO and isinstance(size, int) and rng.random() < 0.7:
    amounts = [x for x in range(2, min(size, 64) + 1) if size % x == 0] + [0]
  return Opt(op, axis, rng.choice(amounts))

def emit(tgt, opts, k, kernel): print(tgt, opts or "-", state_text(k), kernel, sep="\t")

def main():
  p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  p.add_argument("what", choices=["replay", "random", "actions"])
  p.add_argument("--numbers", action="store_true", help="print a kernel's line number, #0 and so on, instead of its text")
  p.add_argument("--target", default="opencl")
  p.add_argument("--sequences", type=int, default=1)
  p.add_argument("--length", type=int, default=4)
  p.add_argument("--seed", type=int, default=0)
  a = p.parse_args()
  rng = random.Random(a.seed)
  for number, line in enumerate(l.rstrip("\n") for l in sys.stdin):
    if not line.strip() or line.startswith("#"): continue
    if a.what == "replay":
      try: emit(*replay(line))
      except Exception as e: print(*line.split("\t")[:2], f"error {type(e).__name__} {str(e)[:120]}".replace("\n", " "), line.split("\t")[2], sep="\t")
      continue
    if a.what == "actions":
      try: k = build(line, target(a.target))
      except Exception: continue
      found = [opt_text(x.applied_opts[-1]) for x in get_linearizer_actions(k, include_0=False).values()]
      print(a.target, " ".join(found) or "-", "-", f"#{number}" if a.numbers else line, sep="\t")
      continue
    for _ in range(a.sequences):
      try: k = build(line, target(a.target))
      except Exception: continue
      opts = []
      for _ in range(a.length):
        opts.append(draw(rng, k))
        k, mark = attempt(k, opts[-1])
        if mark == "!": break
      k, marks = apply_all(build(line, target(a.target)), opts)
      emit(a.target, marks, k, f"#{number}" if a.numbers else line)

if __name__ == "__main__": main()
