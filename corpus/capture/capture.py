#!/usr/bin/env python3
"""Runs small networks through tinygrad 0.9.0's scheduler and logs each kernel that it would run, one log a network.

    python3 -m venv venv && venv/bin/pip install tinygrad==0.9.0 numpy
    venv/bin/python corpus/capture/capture.py target/capture
    cargo run -p plumb-corpus --example import -- target/capture corpus/kernels

Nothing is compiled or run: buffers are allocated, and their contents do not matter. Variables that a kernel leaves open
are logged with the values that they were bound to, so that the kernel can be run.
"""
import os
import pathlib
import re
import sys

os.environ["CLANG"] = "1"

import tinygrad.tensor
from tinygrad import Tensor, Variable, dtypes, nn
from tinygrad.helpers import Context
from tinygrad.nn import optim
from tinygrad.nn.state import get_parameters
from tinygrad.ops import BufferOps

NETWORKS = {}
kernels: list[str] = []


def network(function):
    NETWORKS[function.__name__] = function
    return function


def log_schedule(schedule, var_vals=None, do_update_stats=True):
    """In place of tinygrad's run_schedule: logs the kernels, allocates the buffers."""
    values = {variable.expr: value for variable, value in (var_vals or {}).items()}
    for item in schedule:
        for buffer in item.bufs:
            buffer.ensure_allocated()
        if item.ast[0].op is not BufferOps.STORE:
            continue
        kernels.append(bind(repr(item.ast), values))


def bind(line, values):
    def bound(match):
        return match[0] if match[1] not in values else f"{match[0]}.bind({values[match[1]]})"

    return re.sub(r"Variable\('(\w+)', \d+, \d+\)(?!\.bind)", bound, line)


def data(*shape, dtype=dtypes.float):
    """A tensor that is an input: its elements are in memory, whatever they are."""
    return Tensor.empty(*shape, dtype=dtype).realize()


def realized(module):
    """The module with its parameters in memory, so that their initialisation is no part of what follows."""
    for parameter in get_parameters(module):
        parameter.realize()
    return module


def train(parameters, loss, optimizer=None):
    """One step of training."""
    with Tensor.train():
        optimizer = optimizer or optim.SGD(parameters, lr=0.01, momentum=0.9, weight_decay=1e-4)
        for buffer in get_parameters(optimizer):
            buffer.realize()
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        value.realize()


class Perceptron:
    def __init__(self):
        self.first, self.second = nn.Linear(48, 20), nn.Linear(20, 10)

    def __call__(self, x):
        return self.second(self.first(x).relu())


@network
def mlp_step():
    model, x, y = realized(Perceptron()), data(12, 48), data(12, dtype=dtypes.int)
    train(get_parameters(model), lambda: model(x).sparse_categorical_crossentropy(y))


@network
def mlp_adam_step():
    model, x, y = realized(Perceptron()), data(12, 48), data(12, 10)
    optimizer = optim.Adam(get_parameters(model), lr=1e-3)
    train(None, lambda: (model(x).sigmoid() - y).square().mean(), optimizer)


@network
def mlp_half():
    model, x = Perceptron(), data(12, 48, dtype=dtypes.half)
    for parameter in get_parameters(model):
        parameter.replace(parameter.cast(dtypes.half).realize())
    model(x).softmax().realize()


class Convolutional:
    def __init__(self):
        self.first, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.second, self.head = nn.Conv2d(8, 6, 3, stride=2, bias=False), nn.Linear(6 * 2 * 2, 5)

    def __call__(self, x):
        x = self.norm(self.first(x)).relu().max_pool2d()
        return self.head(self.second(x).relu().flatten(1))


@network
def conv_step():
    model, x, y = realized(Convolutional()), data(4, 3, 10, 10), data(4, dtype=dtypes.int)
    train(get_parameters(model), lambda: model(x).sparse_categorical_crossentropy(y, label_smoothing=0.1))


@network
def conv_inference():
    model, x = realized(Convolutional()), data(2, 3, 10, 10)
    model(x).log_softmax().realize()


@network
def conv_kinds():
    x, w = data(2, 4, 9, 9), data(8, 4, 3, 3)
    x.conv2d(w, padding=(1, 2, 0, 1)).realize()
    x.conv2d(w, stride=2, dilation=2).realize()
    x.conv2d(data(4, 1, 3, 3), groups=4, padding=1).realize()
    x.conv2d(data(6, 2, 3, 3), groups=2).realize()
    x.conv_transpose2d(data(4, 3, 3, 3), stride=2, padding=1, output_padding=1).realize()
    data(2, 4, 12).conv2d(data(6, 4, 5), stride=3).realize()
    data(1, 2, 6, 6, 6).conv2d(data(3, 2, 3, 3, 3)).realize()


@network
def winograd():
    with Context(WINO=1):
        x, w = data(1, 4, 8, 8), data(4, 4, 3, 3)
        x.conv2d(w, padding=1).realize()
        x, w = data(2, 3, 10, 10), data(6, 3, 3, 3)
        x.conv2d(w, data(6)).relu().realize()


@network
def images():
    x, w = data(1, 8, 8, 8), data(8, 8, 3, 3)
    with Context(IMAGE=2):
        first = x.image_conv2d(w, data(8), padding=1).relu()
        first.image_conv2d(data(16, 8, 1, 1)).realize()
        x.image_conv2d(data(8, 1, 3, 3), groups=8, padding=1).realize()
        data(8, 16).image_dot(data(16, 12)).realize()


class Block:
    def __init__(self, width=32, heads=4):
        self.heads, self.width = heads, width
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)

    def attend(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = [qkv[:, :, i].transpose(1, 2) for i in range(3)]
        y = q.scaled_dot_product_attention(k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))

    def __call__(self, x):
        x = x + self.attend(self.before(x))
        return x + self.down(self.up(self.after(x)).gelu())


@network
def transformer_block():
    block, x = realized(Block()), data(2, 9, 32)
    block(x).realize()


@network
def transformer_step():
    block, x, y = realized(Block()), data(2, 9, 32), data(2, 9, 32)
    train(get_parameters(block), lambda: (block(x) - y).abs().mean(), optim.AdamW(get_parameters(block), lr=1e-3))


@network
def transformer_cache():
    """Attention over a cache whose length is a variable."""
    position = Variable("start_pos", 1, 20).bind(7)
    cache = data(1, 24, 4, 8)
    q, new = data(1, 1, 4, 8), data(1, 1, 4, 8)
    keys = cache.shrink((None, (0, position), None, None)).cat(new, dim=1).transpose(1, 2)
    q.transpose(1, 2).scaled_dot_product_attention(keys, keys).realize()
    cache.shrink((None, (position, position + 1), None, None)).assign(new).realize()


@network
def rotary():
    x = data(2, 6, 4, 8)
    angle = Tensor.arange(6).unsqueeze(1) * (10000 ** -(Tensor.arange(4) / 4.0)).unsqueeze(0)
    cos, sin = angle.cos().reshape(1, 6, 1, 4), angle.sin().reshape(1, 6, 1, 4)
    even, odd = x[..., 0::2], x[..., 1::2]
    (even * cos - odd * sin).stack(even * sin + odd * cos, dim=-1).flatten(3).realize()


@network
def symbolic():
    i, j = Variable("i", 1, 10).bind(4), Variable("j", 1, 10).bind(3)
    a, b = data(10, 5), data(10, 5)
    left, right = a.shrink(((0, i), None)), b.shrink(((0, i), None))
    (left + 1).realize()
    (left + right).realize()
    left.sum(0).realize()
    left.mean().realize()
    left.max(1).realize()
    (left.transpose() @ right).realize()
    (left @ right.transpose()).realize()
    left.cat(b.shrink(((0, j), None)), dim=0).realize()
    left.pad(((1, 2), None)).realize()
    left.reshape(i * 5).realize()
    left.softmax().realize()
    data(10, 10).shrink(((0, i), (0, j))).contiguous().realize()
    data(40).shrink(((i * 2, i * 2 + 6),)).square().realize()
    (data(3, 4) * Tensor(i)).realize()


@network
def embedding():
    table, tokens = realized(nn.Embedding(40, 12)), data(2, 5, dtype=dtypes.int)
    table(tokens).realize()
    train([table.weight], lambda: table(tokens).square().sum())


@network
def recurrent():
    """One step of an LSTM cell, and of a GRU cell."""
    x, h, c = data(3, 10), data(3, 8), data(3, 8)
    gates = (x.linear(data(10, 32), data(32)) + h.linear(data(8, 32), data(32))).chunk(4, dim=1)
    c = gates[1].sigmoid() * c + gates[0].sigmoid() * gates[2].tanh()
    (gates[3].sigmoid() * c.tanh()).realize(c)
    update, reset = [(x @ data(10, 8) + h @ data(8, 8)).sigmoid() for _ in range(2)]
    (update * h + (1 - update) * (x @ data(10, 8) + reset * (h @ data(8, 8))).tanh()).realize()


@network
def pooling():
    x = data(2, 3, 11, 10)
    x.max_pool2d().realize()
    x.max_pool2d((3, 3), stride=2).realize()
    x.max_pool2d((2, 3), stride=1, dilation=2).realize()
    x.avg_pool2d((3, 2), stride=(2, 1)).realize()
    x.pad2d((1, 1, 1, 1)).avg_pool2d(3).realize()
    x.pad2d((1, 2, 0, 1), value=-float("inf")).max_pool2d(3).realize()
    x.mean((2, 3)).realize()
    x.requires_grad = True
    (x.max_pool2d((3, 3), stride=2).sum() + x.avg_pool2d((2, 2), stride=1).square().sum()).backward()
    x.grad.realize()


@network
def normalisation():
    x = data(2, 8, 5, 4)
    for layer in (nn.GroupNorm(4, 8), nn.InstanceNorm(8), nn.LayerNorm2d(8)):
        realized(layer)(x).realize()
    flat = data(6, 33)
    (flat * (flat.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * data(33)).realize()
    flat.std(0).realize()
    flat.var(correction=0).realize()
    flat.logsumexp(1).realize()
    flat.softmax(0).realize()


@network
def indexing():
    x = data(7, 12)
    x.argmax().realize()
    x.argmax(1).realize()
    x.argmin(0, keepdim=True).realize()
    x.gather(1, data(7, 3, dtype=dtypes.int)).realize()
    x[data(4, dtype=dtypes.int)].realize()
    x[1:-1:2, ::-3].contiguous().realize()
    x.flip((0, 1)).pad(((1, 0), (0, 2)), value=3.0).realize()
    x.triu(1).realize()
    x.tril().sum(1).realize()
    data(6, dtype=dtypes.int).one_hot(9).realize()
    (x < 0.5).where(x, x[:, 0:1]).realize()
    x.masked_fill(x > 0, -float("inf")).max(1).realize()
    x.stack(x + 1, x * 2, dim=1).realize()
    x[:, :4].cat(x[:, 2:9], x[:, :1], dim=1).realize()
    x.repeat((2, 1, 3)).realize()
    x.unflatten(1, (3, 4)).permute(2, 0, 1).contiguous().realize()
    y = data(7, 12)
    y[2:4, 3:5].assign(data(2, 2)).realize()


@network
def scans():
    data(13).cumsum().realize()
    data(5, 6).cumsum(1).realize()
    data(5, 6, dtype=dtypes.int).cumsum(0).realize()
    Tensor.arange(17).realize()
    Tensor.arange(3, 30, 4).cast(dtypes.float).sqrt().realize()
    Tensor.arange(10, 0, -1.5).realize()
    Tensor.eye(6).realize()
    Tensor.full((4, 3), 7, dtype=dtypes.short).contiguous().realize()


@network
def dropout():
    with Tensor.train():
        x = data(8, 24)
        x.relu().dropout(0.3).realize()
        x.dropout(0.1).softmax().realize()


@network
def integers():
    x, y = data(6, 16, dtype=dtypes.int), data(6, 16, dtype=dtypes.int)
    (x @ y.transpose()).realize()
    (x * 3 - y).realize()
    x.div(y, upcast=False).realize()
    x.xor(y).max().realize()
    u, v = data(6, 16, dtype=dtypes.uint), data(6, 16, dtype=dtypes.uint)
    ((u << 2) + (v >> 1)).realize()
    x.sum(1).realize()
    (-x).abs().min(0).realize()
    for dtype in (dtypes.char, dtypes.uchar, dtypes.short, dtypes.ushort, dtypes.uint, dtypes.long, dtypes.ulong):
        a, b = data(5, 12, dtype=dtype), data(5, 12, dtype=dtype)
        (a * b + 1).sum(1).realize()
        a.maximum(b).max(0).realize()
        (a < b).where(a, b).realize()
    data(40, dtype=dtypes.uchar).cast(dtypes.float).div(255).realize()
    (data(20) * 10).cast(dtypes.int).realize()
    data(20, dtype=dtypes.long).cast(dtypes.char).realize()


@network
def truths():
    x, y = data(5, 14), data(5, 14)
    a, b = (x < y).realize(), (x == 0).realize()
    (a + b).realize()
    (a * b).logical_not().realize()
    a.xor(b).realize()
    a.max(1).realize()
    a.sum().realize()
    a.where(x, 2.0).realize()
    (x != y).cast(dtypes.int).mean().realize()
    a.all(1).realize() if hasattr(a, "all") else a.min(1).realize()


@network
def halves():
    for dtype in (dtypes.half, dtypes.bfloat16):
        x, y = data(8, 24, dtype=dtype), data(24, 10, dtype=dtype)
        (x @ y).realize()
        x.matmul(y, acc_dtype=dtypes.float).realize()
        x.softmax().realize()
        x.sum().realize()
        x.float().exp().cast(dtype).realize()
        (x * 0.5 + 1).relu().realize()
    data(12, dtype=dtypes.half).bitcast(dtypes.ushort).realize()
    data(12).bitcast(dtypes.int).xor(1).realize()
    data(12, dtype=dtypes.double).sin().sum().realize()
    (data(6, 8, dtype=dtypes.half) + data(6, 8)).max(1).realize()


@network
def functions():
    x = data(4, 9)
    for name in ("sigmoid", "tanh", "gelu", "silu", "elu", "mish", "softplus", "hardswish", "log", "exp", "rsqrt", "cos", "tan", "sinh",
                 "asinh", "trunc", "ceil", "round", "sign", "reciprocal", "softsign", "leakyrelu"):
        getattr(x, name)().realize()
    x.clip(-1, 1).realize()
    (x ** 3).realize()
    (x.abs() ** data(4, 9)).realize()
    x.lerp(data(4, 9), 0.3).realize()
    x.sigmoid().binary_crossentropy(data(4, 9)).realize()
    x.binary_crossentropy_logits(data(4, 9)).realize()


@network
def matmuls():
    for m, n, k in ((16, 16, 16), (8, 32, 24), (5, 7, 11), (1, 40, 30), (33, 1, 9)):
        (data(m, k) @ data(k, n)).realize()
    (data(16, 64, dtype=dtypes.half).matmul(data(64, 32, dtype=dtypes.half), acc_dtype=dtypes.float) + data(32)).relu().realize()
    (data(3, 8, 12) @ data(12, 10)).realize()
    (data(2, 3, 8, 6) @ data(2, 1, 6, 7)).realize()
    Tensor.einsum("bij,bkj->bik", data(2, 5, 6), data(2, 7, 6)).realize()
    data(400).sum().realize()
    data(3, 700).max(1).realize()
    data(64, 3).sum(0).realize()
    (data(130) * data(130)).sum().realize()


@network
def outputs():
    """Kernels that store more than one result."""
    x = data(6, 20)
    total = x.sum(1)
    Tensor.schedule_all(total + 1, total * 2) if hasattr(Tensor, "schedule_all") else (total + 1).realize(total * 2)
    y = data(5, 16)
    largest = y.max(1)
    (largest.exp2()).realize(largest - 1, largest)
    mean = y.mean(0)
    mean.square().realize(mean.sqrt(), mean < 0)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tinygrad.tensor.run_schedule = log_schedule
    for name, run in NETWORKS.items():
        kernels.clear()
        run()
        (folder / f"{name}.log").write_text("".join(f"{line}\n" for line in kernels))
        print(f"{name}: {len(kernels)} kernels")


if __name__ == "__main__":
    main()
