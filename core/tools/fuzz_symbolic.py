#!/usr/bin/env python3
"""Compare the index expressions of plumb-core with those of tinygrad 0.9.0, on random expressions.

  python fuzz_symbolic.py [--count 20000] [--seed 0] [--depth 6] -- ANSWERER...

ANSWERER is a command that answers `ranges<TAB>expression` lines with one line each: `plumb sym -`. Runs under a Python that
has tinygrad 0.9.0 (environment PYTHON=1).

Every answer of tinygrad's is checked by enumeration too. Printed are, with the first examples of each: `differs` (tinygrad
is right, and we answer otherwise), `wrong` (tinygrad is wrong and we are as well), `error` (tinygrad answers rightly, we
refuse); exit status 1 if there are any. Where tinygrad raises or is wrong, in the whole or in a part, a right answer or a
refusal of ours is as it should be. `bound wider` is no fault: see wider().
"""
import argparse, itertools, random, re, subprocess, sys
from tinygrad.shape.symbolic import Variable, SumNode, sym_render

COMPARISONS = ["<", "<=", ">", ">="]

def constant(rng):
  return rng.choice([rng.randint(-4, 9), rng.randint(0, 3), rng.choice([2, 3, 4, 6, 8, 12, 16, 32])])

def expression(rng, names, depth):
  """Random text; `depth` bounds the nesting."""
  if depth == 0 or rng.random() < .08:
    return rng.choice(names) if rng.random() < .75 else str(constant(rng))
  kind = rng.random()
  left = expression(rng, names, depth - 1)
  if kind < .30: text = f"{left}+{expression(rng, names, depth - 1)}"
  elif kind < .40: text = f"{left}-{expression(rng, names, depth - 1)}"
  elif kind < .57: text = f"{left}*{constant(rng)}" if rng.random() < .9 else f"{constant(rng)}*{left}"
  elif kind < .60: text = f"{left}*{expression(rng, names, depth - 1)}"
  elif kind < .75: text = f"{left}//{constant(rng)}"
  elif kind < .90: text = f"{left}%{abs(constant(rng))}"
  elif kind < .92: text = f"{left}{rng.choice(['//', '%'])}{expression(rng, names, depth - 1)}"
  elif kind < .94: text = f"-{left}"
  elif kind < .98: text = f"{left}{rng.choice(COMPARISONS)}{constant(rng)}"
  else: text = f"{left}{rng.choice(COMPARISONS)}{expression(rng, names, depth - 1)}"
  return f"({text})"

def case(rng, depth):
  names = ["x", "y", "z", "w"][:rng.randint(1, 4)]
  ranges = {}
  for name in names:
    low = rng.choice([0, 0, 0, 0, 1, 2])
    ranges[name] = (low, low + rng.choice([0, 1, 2, 3, 3, 4, 7]))
  return ranges, expression(rng, names, rng.randint(1, depth))

def reference(ranges, text):
  """(line, None) as tinygrad answers, in a fresh state; (None, error)."""
  for function in (SumNode.__mul__, SumNode.__floordiv__, SumNode.__mod__): function.cache_clear()
  try:
    node = eval(text, {"__builtins__": {}}, {name: Variable(name, *bounds) for name, bounds in ranges.items()})
    number = isinstance(node, int)
    line = f"{sym_render(node)} min={node if number else node.min} max={node if number else node.max}"
    # A comparison of plain numbers is a Python bool; within an index expression that is 0 or 1 to us.
    return line if isinstance(node, bool) else line.replace("True", "1").replace("False", "0"), None
  except Exception as error: return None, error

def right(ranges, text, line):
  """Whether an answer has the values of the expression, within the bounds that it states; and those bounds."""
  rendered, low, high = line.rsplit(" ", 2)
  low, high = (eval(bound.split("=", 1)[1]) for bound in (low, high))
  code, simplified = (compile(source, "?", "eval") for source in (text, rendered))
  defined = False
  for values in itertools.product(*(range(a, b + 1) for a, b in ranges.values())):
    env = dict(zip(ranges, values))
    try: wanted = eval(code, {"__builtins__": {}}, dict(env))
    except ZeroDivisionError: continue
    defined = True
    if wanted != eval(simplified, {"__builtins__": {}}, env) or not low <= wanted <= high: return False
  return defined

def right_throughout(ranges, text):
  """Whether tinygrad is right for each part of an expression: a wrong part may cancel out in the whole."""
  opened = []
  for place, letter in enumerate(text):
    if letter == "(": opened.append(place)
    if letter == ")":
      part = text[opened.pop():place + 1]
      line, error = reference(ranges, part)
      if error is not None or not right(ranges, part, line): return False
  return True

def wider(wanted, answer):
  """Whether only the upper bound differs, that of a product with a symbolic factor: tinygrad's rule for it is wrong, and may
  hold by chance."""
  (wanted, most), (answer, ours) = wanted.rsplit(" max=", 1), answer.rsplit(" max=", 1)
  return wanted == answer and int(ours) > int(most) and ("*(" in wanted or re.search(r"[a-z]\*[a-z]", wanted) is not None)

def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--count", type=int, default=20000)
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("--depth", type=int, default=6)
  parser.add_argument("--show", type=int, default=10)
  parser.add_argument("answerer", nargs="+")
  args = parser.parse_args()
  rng = random.Random(args.seed)
  cases = [case(rng, args.depth) for _ in range(args.count)]
  lines = ["%s\t%s\n" % (" ".join(f"{n}[{a},{b}]" for n, (a, b) in ranges.items()), text) for ranges, text in cases]
  answers = subprocess.run(args.answerer, input="".join(lines), capture_output=True, text=True).stdout.splitlines()
  assert len(answers) == len(cases), f"{len(answers)} answers to {len(cases)} questions"
  counts, bad = {}, 0
  for (ranges, text), line, answer in zip(cases, lines, answers):
    wanted, error = reference(ranges, text)
    refused = answer.startswith("error")
    wanted_right = error is None and right(ranges, text, wanted)
    if error is None and wanted_right:
      outcome = "same" if answer == wanted else "error" if refused else "differs"
      if outcome == "differs" and wider(wanted, answer): outcome = "bound wider"
      if outcome in ("differs", "error") and not right_throughout(ranges, text): outcome = "tinygrad is wrong in part, " + ("refused" if refused else "right")
    else:
      outcome = ("tinygrad raises, " if error is not None else "tinygrad is wrong, ") + \
        ("refused" if refused else "right" if right(ranges, text, answer) else "wrong")
    counts[outcome] = counts.get(outcome, 0) + 1
    if outcome in ("differs", "error") or outcome.endswith("wrong"):
      bad += 1
      if counts[outcome] <= args.show: print(f"{outcome}: {line.strip()}\n  tinygrad: {wanted or error!r}\n  ours:     {answer}")
  print(dict(sorted(counts.items())))
  return 1 if bad else 0

if __name__ == "__main__": sys.exit(main())
