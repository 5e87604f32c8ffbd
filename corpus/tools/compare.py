#!/usr/bin/env python3
"""Compares core with tinygrad 0.9.0 on kernels, targets and optimisations that nobody chose.

Set up once:   python3 -m venv .venv && .venv/bin/pip install tinygrad==0.9.0 numpy
Then:
  .venv/bin/python compare.py ask OUT --seed 1 --count 50 [--families matmul,image] [--log FILE --every 40]
  .venv/bin/python compare.py check OUT --plumb ../../target/release/plumb [--show 10]

`ask` makes kernels (kernels.py; or takes every so many lines of a log), asks tinygrad what it makes of them and writes
OUT.kernels, one kernel a line, and OUT.rows, one JSON object for each question:
  k kernel's line   f family   t target   ask hand|none|list of opts   then name, head, opts (those applied), d (graph
  digest), n (number of uops) — or error and message. The last opt of a list whose error is a KernelOptError is refused.
All of tinygrad's caches are emptied before each question: what it answers may depend on the kernels that came before.

`show OUT ROW` prints what both make of a row.

`check` asks `plumb uops` the same and prints what differs, first as core is, then with those of tinygrad's faults that
`plumb uops --rule` can bring back (core/DIFFERENCES.md).
"""
import argparse
import collections
import functools
import gc
import gzip
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

TARGETS = ["clang", "opencl", "metal", "cuda", "hip"]
FAULTS = ["lower/never-stored=off", "lower/whole-pixels=off", "lower/one-lane=off", "lower/float4-alignment=altered"]


class Tinygrad:
    """tinygrad 0.9.0, asked with empty caches."""

    def __init__(self):
        import reference
        self.reference = reference
        import tinygrad.engine.search as search
        wrapper = type(functools.lru_cache(lambda: None))
        self.search = search
        self.caches = [c for c in gc.get_objects() if isinstance(c, wrapper) and c.__module__.startswith("tinygrad") and c.__name__ != "getenv"]

    def clear(self):
        for cache in self.caches:
            cache.cache_clear()
        self.reference.Linearizer.kernel_cnt.clear()

    def kernel(self, ast, target):
        self.clear()
        return self.reference.Linearizer(*ast, opts=self.reference.target(target))

    def answer(self, kernel):
        kernel.linearize()
        head, opts, lines, digest = self.reference.describe(kernel)
        return {"name": self.reference.ansistrip(kernel.name), "head": head, "opts": opts, "d": digest, "n": len(lines)}

    def build(self, ast, target, ask):
        kernel = self.kernel(ast, target)
        if ask == "hand":
            kernel.required_optimizations()
            if not kernel.apply_tensor_cores():
                kernel.hand_coded_optimizations()
        elif ask == "none":
            kernel.required_optimizations()
        else:
            for opt in ask:
                kernel.apply_opt(opt)
        return kernel

    def question(self, ast, target, ask):
        try:
            signal.alarm(60)
            return self.answer(self.build(ast, target, ask))
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error)[:200]}
        finally:
            signal.alarm(0)

    def random_opt(self, rng, first):
        Opt, OptOps = self.reference.Opt, self.reference.OptOps
        if first and rng.random() < 0.3:
            return Opt(OptOps.TC, rng.randrange(9), rng.randrange(3))
        if rng.random() < 0.6:
            return rng.choice(self.search.actions)
        op = rng.choice([OptOps.UPCAST, OptOps.UNROLL, OptOps.LOCAL, OptOps.GROUP, OptOps.GROUPTOP, OptOps.PADTO, OptOps.UPCASTMID, OptOps.NOLOCALS, OptOps.TC])
        if op is OptOps.NOLOCALS:
            return Opt(op)
        return Opt(op, rng.randrange(7), rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 17, 20, 24, 32, 33, 64, 100]))

    def sequence(self, ast, target, rng):
        """A list of opts that tinygrad takes, and prefixes of it with one more that it refuses."""
        taken, refused = [], []
        try:
            kernel = self.kernel(ast, target)
        except Exception:
            return taken, refused
        for _ in range(rng.choice([1, 2, 4, 8, 16, 24])):
            opt = self.random_opt(rng, not taken)
            attempt = kernel.copy()
            try:
                signal.alarm(60)
                attempt.apply_opt(opt)
                taken.append(opt)
                kernel = attempt
            except self.reference.KernelOptError as error:
                if len(refused) < 1:
                    refused.append((taken + [opt], {"error": "KernelOptError", "message": str(error)[:200]}))
            except Exception as error:
                refused.append((taken + [opt], {"error": type(error).__name__, "message": str(error)[:200]}))
            finally:
                signal.alarm(0)
        return taken, refused


def opts_text(opts):
    return " ".join(f"{o.op.name}:{o.axis}:{o.amt}" for o in opts)


def alarm(*_):
    raise TimeoutError("took too long")


def ask(options):
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    os.environ.setdefault("PYTHON", "1")
    sys.path.insert(0, options.reference)
    import tinygrad_reference
    sys.modules["reference"] = tinygrad_reference
    import kernels
    signal.signal(signal.SIGALRM, alarm)
    tinygrad = Tinygrad()
    if options.log:
        opened = gzip.open(options.log, "rt") if options.log.endswith(".gz") else open(options.log)
        lines = [line.strip() for line in opened if line.strip()]
        rng = random.Random(options.seed)
        lines = rng.sample(lines, min(options.count, len(lines)))
        texts = [("log", line) for line in lines]
    else:
        names = options.families.split(",") if options.families else list(kernels.FAMILIES)
        texts = ((name, number) for number in range(options.count) for name in names)
    rows = 0
    with open(options.out + ".kernels", "w") as kernel_file, open(options.out + ".rows", "w") as row_file:
        line = 0
        for family, source in texts:
            rng = random.Random(f"{options.seed}/{family}/{source}")
            try:
                if isinstance(source, int):
                    text = repr(kernels.make(family, f"{options.seed}/{source}"))
                else:
                    text = source
                ast = eval(text, vars(tinygrad.reference))
                if isinstance(ast, tuple) and len(ast) == 2 and isinstance(ast[1], list):
                    ast = ast[0]
                ast = ast if isinstance(ast, tuple) else (ast,)
            except Exception as error:
                print("no kernel:", family, source, type(error).__name__, error, file=sys.stderr)
                continue
            if len(text) > 60000:
                continue
            print(text, file=kernel_file)

            def row(target, asked, answer):
                print(json.dumps({"k": line, "f": family, "t": target, "ask": asked, **answer}), file=row_file)

            for target in TARGETS if not options.targets else options.targets.split(","):
                if options.targets is None and rng.random() < 0.4:
                    continue
                if "hand" in options.modes:
                    row(target, "hand", tinygrad.question(ast, target, "hand"))
                if "none" in options.modes and rng.random() < 0.5:
                    row(target, "none", tinygrad.question(ast, target, "none"))
                for _ in range(options.sequences):
                    taken, refused = tinygrad.sequence(ast, target, rng)
                    if taken:
                        row(target, opts_text(taken), tinygrad.question(ast, target, taken))
                    for opts, answer in refused:
                        row(target, opts_text(opts), answer)
            line += 1


def logged(text, opts):
    listed = ", ".join("Opt(op=OptOps.{}, axis={}, amt={})".format(*opt.split(":")) for opt in opts.split())
    return f"({text}, [{listed}])"


def plumb(options, kernels, rows, rules):
    """What plumb answers to each row, as a row."""
    answers = {}
    groups = collections.defaultdict(list)
    for number, row in enumerate(rows):
        groups[(row["t"], row["ask"] if row["ask"] in ("hand", "none") else "logged")].append(number)
    for (target, mode), numbers in groups.items():
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            for number in numbers:
                text = kernels[rows[number]["k"]]
                print(logged(text, rows[number]["ask"]) if mode == "logged" else text, file=file)
            file.flush()
            command = [options.plumb, "uops", file.name, "--target", target, "--opts", mode, "--digest"]
            for rule in rules:
                command += ["--rule", rule]
            printed = subprocess.run(command, capture_output=True, text=True)
        for text in printed.stdout.splitlines():
            match = re.fullmatch(r"(\d+) error (\S+) (.*)", text)
            if match:
                answers[numbers[int(match[1])]] = {"error": match[2], "message": match[3]}
                continue
            match = re.fullmatch(r"(\d+) (\S+) (global=\S+?local=\S+) ([0-9a-f]{16}) (\d+) (.*)", text)
            if match:
                opts = "" if match[6] == "-" else match[6]
                answers[numbers[int(match[1])]] = {"name": match[2], "head": match[3], "opts": opts, "d": match[4], "n": int(match[5])}
        if printed.stderr:
            print(printed.stderr[:2000], file=sys.stderr)
    return answers


def difference(expected, got):
    if got is None:
        return "no answer"
    if "error" in expected and "error" in got:
        both = expected["error"] == "KernelOptError"
        return None if not both or got["error"] in ("KernelOptError",) else f"refused / {got['error']}"
    if "error" in expected:
        return f"tinygrad fails with {expected['error']}, core lowers"
    if "error" in got:
        return f"core fails with {got['error']}"
    for key, what in [("opts", "opts"), ("name", "name"), ("head", "launch dims"), ("d", "digest")]:
        if expected[key] != got[key]:
            return what
    return None


def check(options):
    kernels, rows = [], []
    for out in options.out:
        text = pathlib.Path(out + ".kernels").read_text().splitlines()
        for line in pathlib.Path(out + ".rows").read_text().splitlines():
            row = json.loads(line)
            row["k"] += len(kernels)
            rows.append(row)
        kernels += text
    answers = plumb(options, kernels, rows, options.rule)
    kinds = {n: difference(row, answers.get(n)) for n, row in enumerate(rows)}
    differ = [n for n, kind in kinds.items() if kind]
    again = plumb(options, kernels, [rows[n] for n in differ], FAULTS) if differ else {}
    documented = {n for place, n in enumerate(differ) if difference(rows[n], again.get(place)) is None}
    tally = collections.defaultdict(collections.Counter)
    shown = collections.Counter()
    for n, row in enumerate(rows):
        state = "equal" if kinds[n] is None else "by rule" if n in documented else "differ"
        if state == "equal" and "error" in row:
            state = "both refuse"
        tally[row["f"]][state] += 1
        if state == "differ":
            kind = kinds[n]
            shown[kind] += 1
            if shown[kind] <= options.show:
                got = answers.get(n) or {}
                left, right = row.get("message", f"{row.get('name')} {row.get('head')} [{row.get('opts')}] {row.get('d')} {row.get('n')}"), \
                    got.get("message", f"{got.get('name')} {got.get('head')} [{got.get('opts')}] {got.get('d')} {got.get('n')}")
                print(f"{kind}: row {n} kernel {row['k']} {row['f']} {row['t']} [{row['ask']}]\n  tinygrad {row.get('error', '')} {left}\n  core     {right}")
    total = collections.Counter()
    for family, counts in sorted(tally.items()):
        total.update(counts)
        print(f"{family:16}", ", ".join(f"{counts[s]} {s}" for s in ("equal", "both refuse", "by rule", "differ")))
    print("all             ", ", ".join(f"{total[s]} {s}" for s in ("equal", "both refuse", "by rule", "differ")))
    print(dict(shown))


def show(options):
    """Prints a row's kernel and both texts."""
    row = json.loads(pathlib.Path(options.out + ".rows").read_text().splitlines()[options.row])
    text = pathlib.Path(options.out + ".kernels").read_text().splitlines()[row["k"]]
    listed = row["ask"] not in ("hand", "none")
    line = logged(text, row["ask"]) if listed else text
    if options.kernel:
        print(line)
    reference = [options.python, options.reference + "/tinygrad_reference.py", "text", "--target", row["t"], "--opts", "logged" if listed else row["ask"]]
    core = [options.plumb, "uops", "-", "--target", row["t"], "--opts", "logged" if listed else row["ask"]]
    for command in (reference, core):
        print(subprocess.run(command, input=line + "\n", capture_output=True, text=True, env={**os.environ, "PYTHON": "1"}).stdout)


def sample(options):
    """Writes some kernels of each family with all their rows: for tests."""
    kept, rows = [], []
    for out in options.out:
        texts = pathlib.Path(out + ".kernels").read_text().splitlines()
        by_kernel = collections.defaultdict(list)
        for line in pathlib.Path(out + ".rows").read_text().splitlines():
            row = json.loads(line)
            by_kernel[row["k"]].append(row)
        families = collections.Counter()
        for number, of_kernel in sorted(by_kernel.items()):
            family = of_kernel[0]["f"]
            if len(texts[number]) > 2500 or families[family] >= options.each:
                continue
            families[family] += 1
            for row in of_kernel:
                row["k"] = len(kept)
                row.pop("message", None)
                rows.append(row)
            kept.append(texts[number])
    pathlib.Path(options.to + ".kernels").write_text("\n".join(kept) + "\n")
    pathlib.Path(options.to + ".rows").write_text("".join(json.dumps(row) + "\n" for row in rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("ask")
    one.add_argument("out")
    one.add_argument("--reference", default=".", help="the folder of tinygrad_reference.py")
    one.add_argument("--seed", default="1")
    one.add_argument("--count", type=int, default=20, help="kernels of each family, or lines of the log")
    one.add_argument("--families")
    one.add_argument("--log")
    one.add_argument("--targets")
    one.add_argument("--modes", default="hand,none")
    one.add_argument("--sequences", type=int, default=2, help="random lists of opts for each kernel and target")
    one.set_defaults(run=ask)
    two = commands.add_parser("check")
    two.add_argument("out", nargs="+")
    two.add_argument("--plumb", default="target/release/plumb")
    two.add_argument("--show", type=int, default=10)
    two.add_argument("--rule", action="append", default=[])
    two.set_defaults(run=check)
    three = commands.add_parser("show")
    three.add_argument("out")
    three.add_argument("row", type=int)
    three.add_argument("--reference", default=".", help="the folder of tinygrad_reference.py")
    three.add_argument("--python", default=sys.executable, help="a Python that has tinygrad 0.9.0")
    three.add_argument("--plumb", default="target/release/plumb")
    three.add_argument("--kernel", action="store_true", help="print the kernel, too")
    three.set_defaults(run=show)
    four = commands.add_parser("sample")
    four.add_argument("to")
    four.add_argument("out", nargs="+")
    four.add_argument("--each", type=int, default=5, help="kernels of each family and file")
    four.set_defaults(run=sample)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
