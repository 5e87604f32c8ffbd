#!/usr/bin/env python3
"""Compare the views of plumb-core with those of tinygrad 0.9.0, on random chains of movements.

  python fuzz_views.py [--count 5000] [--seed 0] [--symbolic] -- ANSWERER...

ANSWERER answers lines as core/examples/views.rs says: `cargo run -q --release --example views -p plumb-core`. Runs under a
Python that has tinygrad 0.9.0 (environment PYTHON=1).

What tinygrad's views show is checked by moving numpy-free lists of places about, for numbers and for some values of
variables. Printed are, with the first examples of each: `differs` (tinygrad is right, and we answer otherwise), `wrong`
(tinygrad is wrong and we say the same), `error` (tinygrad answers rightly, we refuse). Exit status 1 if any.
"""
import argparse, itertools, math, random, re, subprocess, sys
from tinygrad.shape.symbolic import Variable, SumNode, Node, NumNode, sym_render, sym_infer
from tinygrad.shape.shapetracker import ShapeTracker
from tinygrad.shape.view import View
import tinygrad.shape.view as view_module

def clear():
  for function in (SumNode.__mul__, SumNode.__floordiv__, SumNode.__mod__): function.cache_clear()
  for function in list(vars(View).values()) + list(vars(view_module).values()):
    function = getattr(function, "__func__", function)
    if hasattr(function, "cache_clear"): function.cache_clear()

# *** chains ***

def factors(rng, size):
  """A random shape of `size` places."""
  shape = []
  while size > 1:
    part = rng.choice([d for d in range(2, size + 1) if size % d == 0])
    shape.append(part)
    size //= part
    if rng.random() < .1: shape.append(1)
  rng.shuffle(shape)
  return shape or [1] * rng.randint(0, 2)

def chain(rng):
  """Shape and movements over numbers; each movement as (name, list of ints)."""
  shape = [rng.choice([1, 2, 2, 3, 4, 5, 6]) for _ in range(rng.randint(1, 4))]
  start, moves = list(shape), []
  for _ in range(rng.randint(1, 8)):
    kind = rng.choice(["reshape", "reshape", "reshape", "permute", "expand", "pad", "pad", "shrink", "shrink", "stride", "view", "simplify"])
    size = math.prod(shape)
    if kind == "reshape":
      if rng.random() < .4 and len(shape) > 1:   # join neighbours
        at = rng.randrange(len(shape) - 1)
        new = shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2:]
      elif rng.random() < .5 and shape:            # split one
        at = rng.randrange(len(shape))
        new = shape[:at] + factors(rng, shape[at]) + shape[at + 1:]
      else: new = factors(rng, size)
      if math.prod(new) != size or len(new) > 6: continue
      moves.append((kind, new)); shape = new
    elif kind == "permute":
      order = list(range(len(shape))); rng.shuffle(order)
      moves.append((kind, order)); shape = [shape[a] for a in order]
    elif kind == "expand":
      new = [rng.choice([1, 2, 3]) if s == 1 else s for s in shape]
      if math.prod(new) > 600: continue
      moves.append((kind, new)); shape = new
    elif kind == "pad":
      arg = [rng.choice([0, 0, 1, 2]) for _ in range(2 * len(shape))]
      new = [s + arg[2 * i] + arg[2 * i + 1] for i, s in enumerate(shape)]
      if math.prod(new) > 600: continue
      moves.append((kind, arg)); shape = new
    elif kind == "shrink":
      arg = []
      for s in shape:
        low = rng.choice([0, 0, rng.randint(0, s - 1)])
        arg += [low, rng.choice([s, rng.randint(low + 1, s)])]
      moves.append((kind, arg)); shape = [arg[2 * i + 1] - arg[2 * i] for i in range(len(shape))]
    elif kind == "stride":
      arg = [rng.choice([1, 1, -1, 2, -2, 3]) for _ in shape]
      moves.append((kind, arg)); shape = [(s + abs(m) - 1) // abs(m) for s, m in zip(shape, arg)]
    elif kind == "view":
      if size == 0 or size > 200: continue
      new = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 3))]
      strides = [rng.choice([0, 1, 2, 3, 5, -1, *(shape or [1])]) for _ in new]
      low = sum(min(0, (s - 1) * t) for s, t in zip(new, strides))
      high = sum(max(0, (s - 1) * t) for s, t in zip(new, strides))
      mask = None
      if rng.random() < .3 and new:
        mask = []
        for s in new:
          begin = rng.randint(0, s - 1)
          mask += [begin, rng.randint(begin + 1, s)]
      if high - low >= size: continue
      offset = -low + rng.randint(0, size - 1 - (high - low))
      moves.append((kind, (new, strides, offset, mask))); shape = new
    else: moves.append((kind, []))
  if rng.random() < .1: moves.append(("invert", start))
  return start, moves

def line_of(variables, start, moves):
  text = lambda values: ",".join(map(str, values))
  def move(name, arg):
    if name == "view": return f"view {text(arg[0])}/{text(arg[1])}/{arg[2]}/{'-' if arg[3] is None else text(arg[3])}"
    return f"{name} {text(arg)}".strip()
  return f"{variables}|{text(start)}|{';'.join(move(*m) for m in moves)}\n"

# *** symbolic chains: dims as text ***

def symbolic_chain(rng):
  low = rng.choice([1, 2, 3])
  high = low + rng.choice([1, 2, 5])
  variables = f"n[{low},{high}]" + (f"={rng.randint(low, high)}" if rng.random() < .5 else "")
  others = [rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 2))]
  shape = ["n"] + list(map(str, others)); rng.shuffle(shape)
  start, moves = list(shape), []
  for _ in range(rng.randint(1, 6)):
    kind = rng.choice(["permute", "expand", "pad", "shrink", "reshape", "reshape", "stride"])
    if kind == "permute":
      order = list(range(len(shape))); rng.shuffle(order)
      moves.append((kind, order)); shape = [shape[a] for a in order]
    elif kind == "expand":
      new = [rng.choice(["1", "2", "3", "n"]) if s == "1" else s for s in shape]
      moves.append((kind, new)); shape = new
    elif kind == "pad":
      arg = [rng.choice([0, 0, 0, 1, 2]) for _ in range(2 * len(shape))]
      if not any(arg): continue
      new = []
      for i, s in enumerate(shape):
        extra = arg[2 * i] + arg[2 * i + 1]
        new.append(s if not extra else str(int(s) + extra) if s.isdigit() else f"{s}+{extra}")
      moves.append((kind, arg)); shape = new
    elif kind == "shrink":
      arg, new = [], []
      for s in shape:
        if s.isdigit():
          begin = rng.randint(0, int(s) - 1); end = rng.randint(begin + 1, int(s))
          arg += [begin, end]; new.append(str(end - begin))
        elif rng.random() < .5:
          arg += [0, s]; new.append(s)
        else:
          arg += [0, 1]; new.append("1")
      moves.append((kind, arg)); shape = new
    elif kind == "stride":
      arg = [rng.choice([1, -1, 2]) if s.isdigit() else rng.choice([1, 1, -1]) for s in shape]
      moves.append((kind, arg)); shape = [str((int(s) + abs(m) - 1) // abs(m)) if s.isdigit() else s for s, m in zip(shape, arg)]
    else:
      if rng.random() < .5 and len(shape) > 1:
        at = rng.randrange(len(shape) - 1)
        a, b = shape[at], shape[at + 1]
        if "+" in a + b: continue
        joined = str(int(a) * int(b)) if a.isdigit() and b.isdigit() else f"{a}*{b}"
        new = shape[:at] + [joined] + shape[at + 2:]
      else:
        new = list(shape); new.insert(rng.randint(0, len(shape)), "1")
      if len(new) > 5: continue
      moves.append((kind, new)); shape = new
  return variables, start, moves

def parse_variables(text):
  env, values = {}, {}
  for name, low, high, value in re.findall(r"(\w+)\[(\d+),(\d+)\](?:=(\d+))?", text):
    env[name] = Variable(name, int(low), int(high))
    if isinstance(env[name], Variable) and value: env[name].bind(int(value))
    values[name] = [int(value)] if value else list(range(int(low), int(high) + 1))
  return env, values

# *** the reference: places of the buffer, None for padding ***

class Places:
  def __init__(self, shape, at): self.shape, self.at = list(shape), at   # at: tuple of indices -> place or None
  @staticmethod
  def all(shape): return itertools.product(*(range(s) for s in shape))
  def flat(self): return [self.at(i) for i in Places.all(self.shape)]
  def move(self, name, arg):
    old, shape = self.at, self.shape
    if name == "simplify": return self
    if name == "reshape":
      if math.prod(arg) != math.prod(shape): return None
      table = dict(zip(Places.all(arg), self.flat()))
      return Places(arg, table.__getitem__)
    if name == "permute":
      return Places([shape[a] for a in arg], lambda i: old(tuple(i[arg.index(a)] for a in range(len(arg)))))
    if name == "expand": return Places(arg, lambda i: old(tuple(0 if s == 1 else x for s, x in zip(shape, i))))
    pairs = list(zip(arg[::2], arg[1::2])) if name in ("pad", "shrink") else None
    if name == "pad":
      def padded(i):
        j = tuple(x - b for x, (b, _) in zip(i, pairs))
        return old(j) if all(0 <= x < s for x, s in zip(j, shape)) else None
      return Places([s + b + e for s, (b, e) in zip(shape, pairs)], padded)
    if name == "shrink":
      if any(not 0 <= b <= e <= s for s, (b, e) in zip(shape, pairs)): return None
      return Places([e - b for b, e in pairs], lambda i: old(tuple(x + b for x, (b, _) in zip(i, pairs))))
    if name == "stride":
      return Places([(s + abs(m) - 1) // abs(m) for s, m in zip(shape, arg)],
                    lambda i: old(tuple(x * m if m > 0 else s - 1 + x * m for x, s, m in zip(i, shape, arg))))
    if name == "view":
      flat, (new, strides, offset, mask) = self.flat(), arg
      ranges = list(zip(mask[::2], mask[1::2])) if mask is not None else [(0, s) for s in new]
      def viewed(i):
        if not all(b <= x < e for x, (b, e) in zip(i, ranges)): return None
        return flat[offset + sum(x * t for x, t in zip(i, strides))]
      return Places(new, viewed)
    if name == "invert":
      # Every element of the buffer at the place where the stack shows it.
      shown = self.flat()
      places = {p: n for n, p in enumerate(shown) if p is not None}
      size = math.prod(arg)
      if sum(p is not None for p in shown) != size or sorted(places) != list(range(size)): return Places(arg, lambda i: "no inverse")
      return Places(arg, dict(zip(Places.all(arg), [places[p] for p in range(size)])).__getitem__)
    raise ValueError(name)

def places(start, moves):
  strides = [math.prod(start[i + 1:]) for i in range(len(start))]
  shown = Places(start, lambda i: sum(x * s for x, s in zip(i, strides)))
  for name, arg in moves:
    if shown is not None:
      shown = shown.move(name, arg)
      if shown is not None: shown = Places(shown.shape, dict(zip(Places.all(shown.shape), shown.flat())).__getitem__)
  return shown

def shows(index, valid, shape):
  """What expressions in idx0… as text show."""
  index, valid = compile(index, "?", "eval"), compile(valid, "?", "eval")
  out = []
  for i in Places.all(shape):
    env = {f"idx{n}": x for n, x in enumerate(i)}
    out.append(eval(index, {"__builtins__": {}}, env) if eval(valid, {"__builtins__": {}}, env) else None)
  return out

# *** comparing ***

def reference(variables, start, moves):
  clear()
  env, _ = parse_variables(variables)
  value = lambda text: text if isinstance(text, int) else eval(text, {}, env)
  number = lambda node: node.b if isinstance(node, NumNode) else node
  dims = lambda texts: tuple(number(value(t)) for t in texts)
  try:
    st = ShapeTracker.from_shape(dims(start))
    for name, arg in moves:
      if name == "simplify": st = st.simplify()
      elif name == "view":
        mask = None if arg[3] is None else tuple(zip(arg[3][::2], arg[3][1::2]))
        st = st + ShapeTracker((View.create(tuple(arg[0]), tuple(arg[1]), arg[2], mask),))
      elif name == "invert":
        st = st.invert(dims(arg))
        if st is None: return None, ValueError("no inverse")
      elif name in ("pad", "shrink"):
        arg = dims(arg)
        st = getattr(st, name)(tuple(zip(arg[::2], arg[1::2])))
      else: st = getattr(st, name)(dims(arg))
    return describe(st), None
  except Exception as error: return None, error

def describe(st):
  text = lambda values: ",".join(sym_render(v) for v in values)
  out = ""
  for v in (*st.views, st.views[-1].minify()):
    mask = "-" if v.mask is None else text(x for pair in v.mask for x in pair)
    out += f"{text(v.shape)}/{text(v.strides)}/{sym_render(v.offset)}/{mask}/{int(v.contiguous)} "
  index, valid = st.expr_idxs()
  out += f"index {index.render()} valid {valid.render()} "
  for ignore in (False, True):
    out += f"strides {','.join('None' if s is None else sym_render(s) for s in st.real_strides(ignore))} "
  out += f"masked {','.join(str(int(st.axis_is_masked(a))) for a in range(len(st.shape)))} "
  return out + f"real_size {st.real_size()} size {st.size}"

def right(variables, start, moves, answer):
  found = re.search(r"index (.*?) valid (.*?) strides", answer)
  index, valid = found.group(1), found.group(2)
  _, values = parse_variables(variables)
  for binding in itertools.product(*values.values()):
    env = dict(zip(values, binding))
    number = lambda text: text if isinstance(text, int) else eval(text, {}, env)
    numbers = lambda arg: arg if isinstance(arg, tuple) else [number(x) for x in arg]
    shown = places(numbers(start), [(name, numbers(arg)) for name, arg in moves])
    if shown is None: continue
    sub = lambda text: re.sub(r"\b(%s)\b" % "|".join(env), lambda m: str(env[m.group()]), text) if env else text
    if shows(sub(index), sub(valid), shown.shape) != shown.flat(): return False
    if not env:
      size = int(re.search(r"real_size (-?\d+)", answer).group(1))
      if size <= max((p for p in shown.flat() if p is not None), default=-1): return False
  return True

def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--count", type=int, default=5000)
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("--show", type=int, default=6)
  parser.add_argument("--symbolic", action="store_true", help="shapes with a variable")
  parser.add_argument("answerer", nargs="+")
  args = parser.parse_args()
  rng = random.Random(args.seed)
  cases = [symbolic_chain(rng) if args.symbolic else ("", *chain(rng)) for _ in range(args.count)]
  lines = [line_of(*case) for case in cases]
  answers = subprocess.run(args.answerer, input="".join(lines), capture_output=True, text=True, check=True).stdout.splitlines()
  assert len(answers) == len(cases), f"{len(answers)} answers to {len(cases)} questions"
  counts, bad = {}, 0
  for case, line, answer in zip(cases, lines, answers):
    wanted, error = reference(*case)
    refused = answer.startswith("error ")
    if error is None and right(*case, wanted):
      outcome = "same" if answer == wanted else "error" if refused else "differs"
      if outcome == "differs": outcome += ", right" if right(*case, answer) else ", wrong"
    else:
      outcome = ("tinygrad raises, " if error is not None else "tinygrad is wrong, ") + \
        ("refused" if refused else "right" if right(*case, answer) else "wrong")
    counts[outcome] = counts.get(outcome, 0) + 1
    if outcome.startswith(("differs", "error")) or outcome.endswith("wrong"):
      bad += 1
      if counts[outcome] <= args.show: print(f"{outcome}: {line.strip()}\n  tinygrad: {wanted or error!r}\n  ours:     {answer}")
  print(dict(sorted(counts.items())))
  return 1 if bad else 0

if __name__ == "__main__": sys.exit(main())
