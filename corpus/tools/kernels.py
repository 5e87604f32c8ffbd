"""Kernels of our own making, by family, to ask tinygrad 0.9.0 about: `make(family, seed)` gives an AST."""
import math
import random

from tinygrad.dtype import dtypes
from tinygrad.ops import BinaryOps, BufferOps, ConstBuffer, LazyOp, MemBuffer, ReduceOps, TernaryOps, UnaryOps
from tinygrad.shape.shapetracker import ShapeTracker
from tinygrad.shape.symbolic import Variable

FLOATS = [dtypes.float, dtypes.float, dtypes.half, dtypes.bfloat16, dtypes.double]
INTEGERS = [dtypes.int, dtypes.int, dtypes.uint, dtypes.long, dtypes.ulong, dtypes.char, dtypes.uchar, dtypes.short, dtypes.ushort]
CONSTANTS = {
    "float": [0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 2.0, -0.25, 3.0, -7.0, 24.0],
    "integer": [0, 0, 1, 1, -1, 2, 3, 7, -5, 100],
    "bool": [True, False],
}
# Those for which tinygrad is known to be wrong in several ways (core/DIFFERENCES.md).
WILD = {
    "float": [1e-6, 0.1, math.inf, -math.inf, math.nan, 1e30, -0.0],
    "integer": [255, 2**31 - 1, -(2**31), 2**15],
    "bool": [True, False],
}


def product(shape):
    return math.prod(shape)


class Maker:
    """Random choices for one kernel, and its buffers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.inputs = []
        self.wild = self.chance(0.01)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, items):
        return self.random.choice(items)

    def shape(self, axes=None, most=4096):
        axes = axes or self.random.randint(1, 4)
        sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 17, 20, 24, 28, 32, 33, 48, 64]
        while True:
            shape = tuple(self.pick(sizes) for _ in range(axes))
            if product(shape) <= most:
                return shape

    def view(self, shape, depth=None):
        """A tracker that shows some buffer in `shape`."""
        depth = self.random.randint(0, 3) if depth is None else depth
        if depth == 0 or not shape:
            return ShapeTracker.from_shape(shape)
        below = lambda shape: self.view(tuple(shape), depth - 1)
        axis = self.random.randrange(len(shape))
        size = shape[axis]
        other = list(shape)
        kind = self.pick(["permute", "expand", "pad", "shrink", "stride", "flip", "merge", "split"])
        if kind == "permute":
            order = list(range(len(shape)))
            self.random.shuffle(order)
            inverse = [order.index(i) for i in range(len(order))]
            return below(shape[i] for i in order).permute(tuple(inverse))
        if kind == "expand":
            axes = [i for i in range(len(shape)) if i == axis or self.chance(0.3)]
            return below(1 if i in axes else s for i, s in enumerate(shape)).expand(shape)
        if kind == "pad" and size > 1:
            left = self.random.randint(0, min(size - 1, 3))
            right = self.random.randint(0, min(size - 1 - left, 3))
            other[axis] = size - left - right
            return below(other).pad(tuple((left, right) if i == axis else (0, 0) for i in range(len(shape))))
        if kind == "shrink":
            left, right = self.random.randint(0, 4), self.random.randint(0, 4)
            other[axis] = size + left + right
            return below(other).shrink(tuple((left, left + size) if i == axis else (0, s) for i, s in enumerate(shape)))
        if kind == "stride" and size < 100:
            step = self.pick([2, 3, -2])
            other[axis] = size * abs(step)
            return below(other).stride(tuple(step if i == axis else 1 for i in range(len(shape))))
        if kind == "flip":
            return below(shape).stride(tuple(-1 if i == axis else 1 for i in range(len(shape))))
        if kind == "merge" and len(shape) > 1:
            axis = min(axis, len(shape) - 2)
            return below(shape[:axis] + (shape[axis] * shape[axis + 1],) + shape[axis + 2:]).reshape(shape)
        if kind == "split":
            factors = [f for f in range(2, size) if size % f == 0]
            if factors:
                factor = self.pick(factors)
                return below(shape[:axis] + (factor, size // factor) + shape[axis + 1:]).reshape(shape)
        return below(shape)

    def buffer(self, dtype, st):
        """A load; now and then of a buffer that is already there."""
        same = [(index, dt) for index, dt in self.inputs if dt == dtype]
        if same and self.chance(0.15):
            index = self.pick(same)[0]
        else:
            index = len(self.inputs)
            self.inputs.append((index, dtype))
        return LazyOp(BufferOps.LOAD, (), MemBuffer(index, dtype, st))

    def load(self, dtype, shape, depth=None):
        return self.buffer(dtype, self.view(shape, depth))

    def kind(self, dtype):
        return "float" if dtypes.is_float(dtype) else "bool" if dtype == dtypes.bool else "integer"

    def constant(self, dtype, shape, value=None):
        if value is None:
            value = self.pick((WILD if self.wild else CONSTANTS)[self.kind(dtype)])
        if dtypes.is_unsigned(dtype) and self.chance(0.5):
            value = abs(value)
        if dtype.itemsize < 4 and self.kind(dtype) == "integer":
            value = max(-100, min(value, 100))
        st = ShapeTracker.from_shape((1,) * len(shape)).expand(shape)
        if shape and self.chance(0.3):
            axis = self.random.randrange(len(shape))
            if isinstance(shape[axis], int) and shape[axis] > 1:
                inner = tuple(s - 1 if i == axis else s for i, s in enumerate(shape))
                pad = self.pick([(1, 0), (0, 1)])
                st = ShapeTracker.from_shape((1,) * len(shape)).expand(inner)
                st = st.pad(tuple(pad if i == axis else (0, 0) for i in range(len(shape))))
        return LazyOp(BufferOps.CONST, (), ConstBuffer(dtypes.as_const(value, dtype), dtype, st))

    def value(self, dtype, shape, size):
        """An expression of about `size` operations."""
        if size <= 0:
            return self.constant(dtype, shape) if self.chance(0.25) else self.load(dtype, shape)
        if self.chance(0.12):
            source = self.pick(FLOATS + INTEGERS + [dtypes.bool])
            if source != dtype:
                return LazyOp(UnaryOps.CAST, (self.value(source, shape, size - 1),), dtype)
        if self.chance(0.12):
            condition = self.condition(shape, size - 2)
            halves = [self.value(dtype, shape, (size - 2) // 2) for _ in range(2)]
            if self.chance(0.15):
                halves[1] = halves[0]
            return LazyOp(TernaryOps.WHERE, (condition, *halves))
        if dtype == dtypes.bool:
            return self.condition(shape, size)
        if self.kind(dtype) == "float":
            if self.chance(0.3):
                op = self.pick([UnaryOps.EXP2, UnaryOps.LOG2, UnaryOps.SIN, UnaryOps.SQRT, UnaryOps.NEG])
                return LazyOp(op, (self.value(dtype, shape, size - 1),))
            op = self.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.SUB, BinaryOps.DIV, BinaryOps.MAX])
        else:
            if self.chance(0.1):
                return LazyOp(UnaryOps.NEG, (self.value(dtype, shape, size - 1),))
            op = self.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.SUB, BinaryOps.DIV, BinaryOps.MAX, BinaryOps.MOD, BinaryOps.XOR])
        left = self.value(dtype, shape, (size - 1) // 2)
        right = left if self.chance(0.08) else self.value(dtype, shape, size - 1 - (size - 1) // 2)
        return LazyOp(op, (left, right))

    def condition(self, shape, size):
        if size <= 0 and self.chance(0.3):
            return self.load(dtypes.bool, shape)
        if self.chance(0.15):
            op = self.pick([BinaryOps.MUL, BinaryOps.ADD, BinaryOps.MAX, BinaryOps.XOR])
            return LazyOp(op, (self.condition(shape, size // 2 - 1), self.condition(shape, size // 2 - 1)))
        if self.chance(0.1):
            return LazyOp(UnaryOps.NEG, (self.condition(shape, size - 1),))
        dtype = self.pick([dtypes.float, dtypes.int, dtypes.half, dtypes.long, dtypes.uchar])
        op = self.pick([BinaryOps.CMPLT, BinaryOps.CMPEQ])
        return LazyOp(op, (self.value(dtype, shape, size // 2), self.value(dtype, shape, size // 2)))

    def finish(self, values, shapes):
        """Numbers the outputs before the inputs and stores them."""
        outputs = len(values)
        seen = {}

        def renumbered(op):
            if op in seen:
                return seen[op]
            arg = op.arg
            if op.op is BufferOps.LOAD:
                arg = MemBuffer(arg.idx + outputs, arg.dtype, arg.st)
            seen[op] = LazyOp(op.op, tuple(renumbered(s) for s in op.src), arg)
            return seen[op]

        return tuple(
            LazyOp(BufferOps.STORE, (renumbered(value),), MemBuffer(i, value.dtype, st if isinstance(st, ShapeTracker) else ShapeTracker.from_shape(st)))
            for i, (value, st) in enumerate(zip(values, shapes)))


def reduced(shape, axes):
    return tuple(1 if i in axes else s for i, s in enumerate(shape))


def elementwise(m):
    shape = m.shape()
    dtype = m.pick(FLOATS + INTEGERS + [dtypes.bool])
    value = m.value(dtype, shape, m.random.randint(0, 8))
    target = shape
    if m.chance(0.15):  # into a part of a larger buffer
        axis = m.random.randrange(len(shape))
        larger = tuple(s + 3 if i == axis else s for i, s in enumerate(shape))
        target = ShapeTracker.from_shape(larger).shrink(tuple((1, 1 + s) if i == axis else (0, s) for i, s in enumerate(shape)))
    return m.finish([value], [target])


def reduction(m, late=True, most=8192):
    shape = m.shape(m.random.randint(1, 5), most)
    axes = tuple(sorted(m.random.sample(range(len(shape)), m.random.randint(1, min(3, len(shape))))))
    dtype = m.pick(FLOATS + [dtypes.float] * 4 + INTEGERS)
    value = m.value(dtype, shape, m.random.randint(0, 4))
    value = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.SUM, ReduceOps.MAX]), (value,), axes)
    small = reduced(shape, axes)
    if late and m.chance(0.5):
        other = m.value(dtype, small, m.random.randint(0, 3))
        op = m.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.SUB, BinaryOps.MAX])
        value = LazyOp(op, (value, other) if m.chance(0.5) else (other, value))
        if m.chance(0.3):
            value = LazyOp(UnaryOps.CAST, (value,), m.pick(FLOATS))
    return m.finish([value], [small])


def large_reduction(m):
    """Few outputs and long reductions, as the heuristics group them."""
    rows = m.pick([(), (1,), (2,), (3,), (4,), (8,), (16,), (3, 5), (2, 8), (32, 64)])
    columns = m.pick([(256,), (512,), (1024,), (16, 16), (48,), (272,), (1000,), (64, 4), (3, 256), (4096,)])
    shape = rows + columns if m.chance(0.7) else columns + rows
    axes = tuple(i for i in range(len(shape)) if (i >= len(rows)) == (shape[:len(rows)] == rows and len(rows) > 0 or not rows))
    if not axes:
        axes = (0,)
    dtype = m.pick(FLOATS + [dtypes.float] * 3 + INTEGERS)
    left = m.load(dtype, shape, m.random.randint(0, 2))
    value = LazyOp(BinaryOps.MUL, (left, m.load(dtype, shape, m.random.randint(0, 2)))) if m.chance(0.5) else left
    value = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.MAX]), (value,), axes)
    return m.finish([value], [reduced(shape, axes)])


def matmul(m):
    """Products that matrix instructions may take, of several shapes, types and layouts."""
    size = lambda: m.pick([1, 2, 4, 7, 8, 9, 12, 15, 16, 17, 20, 24, 30, 32, 33, 40, 48, 64, 80, 96, 128])
    n, k, rows = size(), size(), size()
    batch = () if m.chance(0.5) else (m.pick([1, 2, 3]),)
    extra = () if m.chance(0.7) else (m.pick([2, 3, 4, 8]),)  # a second reduce axis
    shape = batch + (rows, n) + extra + (k,)
    first, last = len(batch), len(shape)
    axes = tuple(range(first + 2, last))

    def factor(dtype, without):
        held = [i for i in range(last) if i != without and (i >= first or m.chance(0.7))]
        order = held[:]
        if m.chance(0.6):
            m.random.shuffle(order)
        st = ShapeTracker.from_shape(tuple(shape[i] for i in order)).permute(tuple(order.index(i) for i in held))
        st = st.reshape(tuple(shape[i] if i in held else 1 for i in range(last))).expand(shape)
        if m.chance(0.08):
            st = m.view(shape, 2)
        return m.buffer(dtype, st)

    inner, outer = m.pick([(dtypes.half, dtypes.float), (dtypes.half, dtypes.half), (dtypes.float, dtypes.float),
                           (dtypes.bfloat16, dtypes.float), (dtypes.half, dtypes.float), (dtypes.float, dtypes.half),
                           (dtypes.double, dtypes.double), (dtypes.int, dtypes.int)])
    sides = [(first + 1), first]
    if m.chance(0.3):
        sides.reverse()
    factors = []
    for without in sides:
        if m.chance(0.15):
            factors.append(LazyOp(UnaryOps.CAST, (factor(m.pick([dtypes.float, dtypes.half, dtypes.bool, dtypes.int]), without),), inner))
        elif m.chance(0.05):
            factors.append(m.value(inner, shape, 1))
        else:
            factors.append(factor(inner, without))
    value = LazyOp(BinaryOps.MUL, tuple(factors))
    if outer != inner:
        value = LazyOp(UnaryOps.CAST, (value,), outer)
    value = LazyOp(ReduceOps.SUM, (value,), axes)
    small = reduced(shape, axes)
    if m.chance(0.4):
        value = LazyOp(m.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.MAX]), (value, m.load(outer, small, m.random.randint(0, 1))))
    if m.chance(0.3):
        value = LazyOp(UnaryOps.CAST, (value,), m.pick([dtypes.half, dtypes.float, dtypes.int]))
    return m.finish([value], [small])


def matvec(m):
    rows, k = m.pick([16, 32, 48, 64, 20, 128]), m.pick([8, 16, 24, 32, 64, 12])
    batch = () if m.chance(0.6) else (m.pick([2, 3]),)
    shape = batch + (rows, k)
    dtype = m.pick([dtypes.float, dtypes.half, dtypes.int, dtypes.double])
    matrix = m.buffer(dtype, ShapeTracker.from_shape(shape) if m.chance(0.7) else m.view(shape, 1))
    vector = m.buffer(dtype, ShapeTracker.from_shape((k,)).reshape((1,) * (len(shape) - 1) + (k,)).expand(shape))
    value = LazyOp(BinaryOps.MUL, (vector, matrix) if m.chance(0.7) else (matrix, vector))
    axes = (len(shape) - 1,)
    return m.finish([LazyOp(ReduceOps.SUM, (value,), axes)], [reduced(shape, axes)])


def convolution(m):
    """Windows over padded planes."""
    n, c, o = m.pick([1, 2]), m.pick([1, 2, 3, 4]), m.pick([1, 2, 4, 5, 8])
    size, window, pad, step = m.random.randint(3, 9), m.pick([1, 2, 3]), m.pick([0, 1, 2]), m.pick([1, 1, 2])
    padded = size + 2 * pad
    out = (padded - window) // step + 1
    if out < 1:
        return reduction(m)
    dtype = m.pick([dtypes.float, dtypes.float, dtypes.half, dtypes.int])
    st = ShapeTracker.from_shape((n, c, size, size)).pad(((0, 0), (0, 0), (pad, pad), (pad, pad)))
    # Windows as tinygrad's pool makes them: repeat each plane, so that a shift of one is an index plus one.
    for axis in (2, 3):
        shape = st.shape
        times = -(-window * (padded * 1 + 1) // padded)
        st = st.reshape(shape[:axis] + (1, padded) + shape[axis + 1:]).expand(shape[:axis] + (times, padded) + shape[axis + 1:])
        st = st.reshape(shape[:axis] + (times * padded,) + shape[axis + 1:])
        st = st.shrink(tuple((0, window * (padded + 1)) if i == axis else (0, s) for i, s in enumerate(st.shape)))
        st = st.reshape(shape[:axis] + (window, padded + 1) + shape[axis + 1:])
        st = st.shrink(tuple((0, out * step) if i == axis + 1 else (0, s) for i, s in enumerate(st.shape))) if out * step <= padded + 1 else st
        if st.shape[axis + 1] != out * step:
            st = st.shrink(tuple((0, out) if i == axis + 1 else (0, s) for i, s in enumerate(st.shape)))
        elif step > 1:
            st = st.reshape(st.shape[:axis + 1] + (out, step) + st.shape[axis + 2:])
            st = st.shrink(tuple((0, 1) if i == axis + 2 else (0, s) for i, s in enumerate(st.shape)))
            st = st.reshape(st.shape[:axis + 2] + st.shape[axis + 3:])
        st = st.permute(tuple(i for i in range(len(st.shape)) if i != axis) + (axis,)) 
    # (n, c, outy, outx, wy, wx)
    st = st.reshape((n, 1) + st.shape[1:])
    full = (n, o, c) + st.shape[3:]
    st = st.expand(full)
    axes = (2, 5, 6)
    value = m.buffer(dtype, st)
    if m.chance(0.75):
        weight = ShapeTracker.from_shape((o, c, window, window)).reshape((1, o, c, 1, 1, window, window)).expand(full)
        value = LazyOp(BinaryOps.MUL, (value, m.buffer(dtype, weight)))
        op = ReduceOps.SUM
    else:
        op = ReduceOps.MAX
    value = LazyOp(op, (value,), axes)
    small = reduced(full, axes)
    if m.chance(0.4):
        value = LazyOp(BinaryOps.MAX, (value, m.constant(dtype, small, 0)))
    return m.finish([value], [small])


def image(m):
    """Images as inputs and outputs, with masks and offsets."""
    h, w = m.pick([1, 2, 3, 4, 8, 9, 16]), m.pick([1, 2, 3, 5, 8, 16])
    make = lambda: m.pick([dtypes.imageh, dtypes.imagef])((h, w, 4))
    flat = h * w * 4
    shape = m.pick([(h, w, 4), (h, w * 4), (flat,), (h * w, 4), (h, w, 2, 2)])

    def read(shape, depth):
        if product(shape) == flat and m.chance(0.7):
            st = ShapeTracker.from_shape(shape)
            if m.chance(0.2):
                order = list(range(len(shape)))
                m.random.shuffle(order)
                st = ShapeTracker.from_shape(tuple(shape[i] for i in order)).permute(tuple(order.index(i) for i in range(len(order))))
            return m.buffer(make(), st) if m.chance(0.8) else m.buffer(dtypes.float, st)
        return m.load(dtypes.float, shape, depth)

    value = read(shape, 1)
    for _ in range(m.random.randint(0, 3)):
        op = m.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.MAX])
        value = LazyOp(op, (value, read(shape, 2)))
    axes = ()
    if m.chance(0.5):
        axes = tuple(sorted(m.random.sample(range(len(shape)), 1)))
        if m.chance(0.5):  # a product of two images
            k = m.pick([4, 8, 12, 16])
            shape = (h, w * 4, k)
            a = ShapeTracker.from_shape((h, k)).reshape((h, 1, k)).expand(shape)
            b = ShapeTracker.from_shape((k, w * 4)).permute((1, 0)).reshape((1, w * 4, k)).expand(shape)
            if m.chance(0.5):
                b = ShapeTracker.from_shape((w * 4, k)).reshape((1, w * 4, k)).expand(shape)
            value = LazyOp(BinaryOps.MUL, (m.buffer(dtypes.imageh((h, k // 4, 4)), a), m.buffer(dtypes.imagef((w, k, 4)), b)))
            axes = (2,)
        value = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.SUM, ReduceOps.MAX]), (value,), axes)
        shape = reduced(shape, axes)
    stores = m.finish([value], [shape])
    if m.chance(0.6) and product(shape) == flat:
        store = stores[0]
        dtype = m.pick([dtypes.imageh, dtypes.imagef])((h, w, 4))
        return (LazyOp(BufferOps.STORE, store.src, MemBuffer(0, dtype, store.arg.st)),)
    return tuple(LazyOp(BufferOps.STORE, s.src, MemBuffer(0, dtypes.float, s.arg.st)) for s in stores)


def masked_image(m):
    """A window over an image with a border, as convolutions of images read it."""
    h, w, pad = m.pick([2, 3, 4, 6]), m.pick([2, 3, 4]), m.pick([1, 2])
    st = ShapeTracker.from_shape((h, w, 4)).pad(((pad, pad), (m.pick([0, pad]), pad), (0, 0)))
    a, b = st.shape[0], st.shape[1]
    y, x = m.random.randint(0, a - 1), m.random.randint(0, b - 1)
    st = st.shrink(((y, a), (x, b), (0, 4)))
    if m.chance(0.4):
        st = st.permute(m.pick([(1, 0, 2), (2, 0, 1), (0, 2, 1)]))
    value = m.buffer(m.pick([dtypes.imageh, dtypes.imagef])((h, w, 4)), st)
    shape = st.shape
    if m.chance(0.5):
        value = LazyOp(BinaryOps.ADD, (value, m.load(dtypes.float, shape, 1)))
    if m.chance(0.4):
        axes = (m.random.randrange(3),)
        value = LazyOp(ReduceOps.SUM, (value,), axes)
        shape = reduced(shape, axes)
    stores = m.finish([value], [shape])
    return tuple(LazyOp(BufferOps.STORE, s.src, MemBuffer(0, dtypes.float, s.arg.st)) for s in stores)


def symbolic(m):
    """Shapes with variables, bound or open."""
    v = Variable(m.pick(["i", "start_pos", "n"]), m.pick([0, 1, 1, 2]) or 1, m.pick([4, 10, 16, 127]))
    bound = m.chance(0.15)
    if bound:
        v = v.bind(m.random.randint(v.min, v.max))
    a, b = m.pick([1, 2, 3, 4, 8, 16]), m.pick([1, 3, 4, 8])
    dtype = m.pick([dtypes.float, dtypes.half, dtypes.int])
    kind = m.random.randrange(6)
    if kind == 0:
        shape = m.pick([(v, a), (a, v), (a, v, b)])
        value = m.load(dtype, shape, 0)
        for _ in range(m.random.randint(0, 3)):
            value = LazyOp(m.pick([BinaryOps.ADD, BinaryOps.MUL]), (value, m.constant(dtype, shape) if m.chance(0.4) else m.load(dtype, shape, 0)))
        axes = () if m.chance(0.4) else (m.random.randrange(len(shape)),)
    elif kind == 1:  # attention over a cache
        shape = (a, v, b * 4)
        cache = ShapeTracker.from_shape((m.pick([127, 200]), a, b * 4)).shrink(((0, v), (0, a), (0, b * 4))).permute((1, 0, 2))
        query = ShapeTracker.from_shape((a, 1, b * 4)).expand(shape)
        value = LazyOp(BinaryOps.MUL, (m.buffer(dtype, query), m.buffer(dtype, cache)))
        axes = (2,) if m.chance(0.6) else (1,)
    elif kind == 2:
        shape = (a, v + 1)
        value = m.buffer(dtype, ShapeTracker.from_shape(shape))
        axes = () if m.chance(0.5) else (1,)
    elif kind == 3:  # a place in a cache
        shape = (a, b)
        value = m.buffer(dtype, ShapeTracker.from_shape((130, a, b)).shrink(((v, v + 1), (0, a), (0, b))).reshape((a, b)))
        axes = () if m.chance(0.5) else (m.random.randrange(2),)
    elif kind == 4:
        shape = (a, b)
        constant = LazyOp(BufferOps.CONST, (), ConstBuffer(v if bound else v.bind(v.min + 1), dtypes.int, ShapeTracker.from_shape((1, 1)).expand(shape)))
        value = LazyOp(BinaryOps.ADD, (m.load(dtypes.int, shape, 1), constant))
        axes = () if m.chance(0.5) else (m.random.randrange(2),)
    else:
        shape = (v, a, v)
        value = m.buffer(dtype, ShapeTracker.from_shape(shape))
        axes = () if m.chance(0.3) else (m.pick([0, 1, 2]),)
    if axes:
        value = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.MAX]), (value,), axes)
        shape = reduced(shape, axes)
    return m.finish([value], [shape])


def outputs(m):
    """Several outputs, beside or behind one reduction."""
    shape = m.shape(m.random.randint(1, 3), 1024)
    count = m.random.randint(2, 3)
    dtype = m.pick([dtypes.float, dtypes.float, dtypes.int, dtypes.half])
    if m.chance(0.5):
        values = [m.value(m.pick([dtype, dtypes.float, dtypes.int]), shape, m.random.randint(0, 3)) for _ in range(count)]
        if m.chance(0.3):
            values[1] = LazyOp(BinaryOps.ADD, (values[0], m.load(values[0].dtype, shape)))
        return m.finish(values, [shape] * count)
    axes = (m.random.randrange(len(shape)),)
    small = reduced(shape, axes)
    total = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.MAX]), (m.value(dtype, shape, m.random.randint(0, 2)),), axes)
    values = [total if m.chance(0.3) else LazyOp(BinaryOps.MUL, (total, m.value(dtype, small, m.random.randint(0, 2)))) for _ in range(count)]
    if m.chance(0.3):
        values[-1] = m.value(dtype, small, 1)
    return m.finish(values, [small] * count)


def arange(m):
    """Sums over triangles of a constant, which need no loop."""
    n = m.pick([2, 3, 4, 5, 8, 10, 16, 20, 33, 64, 100, 256])
    start, step = m.pick([0, 0, 1, 5]), m.pick([1, 1, 2, -1])
    dtype = m.pick([dtypes.int, dtypes.int, dtypes.float, dtypes.long, dtypes.char, dtypes.half, dtypes.uint])
    st = ShapeTracker.from_shape((1, 1)).expand((n + 1, n)).pad(((0, 0), (n - 1, 0)))
    st = st.reshape(((n + 1) * (2 * n - 1),)).shrink(((0, n * 2 * n),)).reshape((n, 2 * n)).shrink(((0, n), (0, n)))
    if m.chance(0.3):
        st = st.permute((1, 0))
    if m.chance(0.3):
        st = st.stride((1, -1))
    shape = (n, n)
    value = LazyOp(BufferOps.CONST, (), ConstBuffer(dtypes.as_const(step if not dtypes.is_unsigned(dtype) else 1, dtype), dtype, st))
    if m.chance(0.2):
        value = LazyOp(UnaryOps.CAST, (value,), m.pick([dtypes.int, dtypes.float]))
    axes = (1,) if m.chance(0.8) else (0,)
    total = LazyOp(ReduceOps.SUM if m.chance(0.98) else ReduceOps.MAX, (value,), axes)
    small = reduced(shape, axes)
    if m.chance(0.6):
        total = LazyOp(BinaryOps.ADD, (total, m.constant(total.dtype, small, start)))
    if m.chance(0.3):
        total = LazyOp(m.pick([BinaryOps.MUL, BinaryOps.MAX, BinaryOps.DIV]), (total, m.load(total.dtype, small, 1)))
    return m.finish([total], [small])


def one_hot(m):
    """Gathering by a comparison with a counted index."""
    n, k = m.pick([3, 4, 8, 10, 16]), m.pick([2, 5, 8, 16, 20])
    shape = (n, k)
    st = ShapeTracker.from_shape((1, 1)).expand((k + 1, k)).pad(((0, 0), (k - 1, 0)))
    st = st.reshape(((k + 1) * (2 * k - 1),)).shrink(((0, k * 2 * k),)).reshape((k, 2 * k)).shrink(((0, k), (0, k)))
    index = m.buffer(dtypes.int, ShapeTracker.from_shape((n, 1)).expand(shape))
    count = m.buffer(dtypes.int, ShapeTracker.from_shape((1, k)).expand(shape))
    same = LazyOp(BinaryOps.CMPEQ, (count, index))
    dtype = m.pick([dtypes.float, dtypes.half, dtypes.int])
    if m.chance(0.5):
        value = LazyOp(TernaryOps.WHERE, (same, m.load(dtype, shape, 1), m.constant(dtype, shape, 0)))
    else:
        value = LazyOp(BinaryOps.MUL, (LazyOp(UnaryOps.CAST, (same,), dtype), m.load(dtype, shape, 1)))
    return m.finish([LazyOp(ReduceOps.SUM, (value,), (1,))], [(n, 1)])


def constants(m):
    """Kernels of constants only, and copies."""
    shape = m.shape()
    dtype = m.pick(FLOATS + INTEGERS + [dtypes.bool])
    value = m.constant(dtype, shape)
    for _ in range(m.random.randint(0, 3)):
        if dtype == dtypes.bool:
            break
        value = LazyOp(m.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.SUB, BinaryOps.MAX]), (value, m.constant(dtype, shape)))
    if m.chance(0.3):
        value = LazyOp(TernaryOps.WHERE, (m.condition(shape, 0), value, m.constant(dtype, shape)))
    if m.chance(0.3):
        dtype = m.pick(FLOATS + INTEGERS)
        value = LazyOp(UnaryOps.CAST, (value,), dtype)
    if m.chance(0.3) and dtype != dtypes.bool:
        axes = (m.random.randrange(len(shape)),)
        value, shape = LazyOp(m.pick([ReduceOps.SUM, ReduceOps.MAX]), (value,), axes), reduced(shape, axes)
    return m.finish([value], [shape])


def chain(m):
    """Long chains of operations on few loads."""
    shape = m.shape(m.random.randint(1, 2), 512)
    dtype = m.pick([dtypes.float, dtypes.int, dtypes.half, dtypes.uint, dtypes.long])
    value = m.load(dtype, shape, 1)
    first, twice = value, 0  # what is used twice doubles the text
    for _ in range(m.random.randint(10, 40)):
        kind = m.random.randrange(6)
        if kind == 0 and m.kind(dtype) == "float":
            value = LazyOp(m.pick([UnaryOps.EXP2, UnaryOps.SIN, UnaryOps.SQRT, UnaryOps.NEG, UnaryOps.LOG2]), (value,))
        elif kind == 1 and twice < 6:
            twice += 1
            condition = LazyOp(BinaryOps.CMPLT, (value, m.constant(dtype, shape)))
            value = LazyOp(TernaryOps.WHERE, (condition, value, first))
        else:
            op = m.pick([BinaryOps.ADD, BinaryOps.MUL, BinaryOps.SUB, BinaryOps.MAX])
            other = m.constant(dtype, shape) if m.chance(0.7) else first
            if m.chance(0.1) and twice < 6:
                other, twice = value, twice + 1
            value = LazyOp(op, (value, other))
    return m.finish([value], [shape])


def grid(m):
    """Many or large dimensions, beyond what a launch takes."""
    kind = m.random.randrange(4)
    dtype = m.pick([dtypes.float, dtypes.int, dtypes.half, dtypes.uchar])
    if kind == 0:
        shape = (m.pick([2**16, 2**16 + 1, 65535, 65537 * 2, 2**17, 2**18, 2**20, 3 * 2**16, 10**5, 70000, 2**22]),)
    elif kind == 1:
        shape = tuple(m.pick([2, 3, 4, 5]) for _ in range(m.random.randint(4, 7)))
    elif kind == 2:
        shape = m.pick([(2**17, 3), (3, 2**17), (2**16, 2, 2), (5, 2**17, 7), (3, 5, 2**17), (2**17, 5, 7), (2**18, 2**17)])
    else:
        shape = tuple(m.pick([2, 3, 30, 64, 100]) for _ in range(m.random.randint(3, 5)))
        if product(shape) > 2**28:
            shape = shape[:3]
    order = list(range(len(shape)))
    m.random.shuffle(order)
    inverse = tuple(order.index(i) for i in range(len(order)))
    st = ShapeTracker.from_shape(tuple(shape[i] for i in order)).permute(inverse)
    value = m.buffer(dtype, st)
    if m.chance(0.6):
        axes = [i for i in range(len(shape)) if m.chance(0.4)]
        other = ShapeTracker.from_shape(tuple(1 if i in axes else s for i, s in enumerate(shape))).expand(shape)
        value = LazyOp(BinaryOps.ADD, (value, m.buffer(dtype, other)))
    if m.chance(0.3):
        axes = (m.random.randrange(len(shape)),)
        value, shape = LazyOp(ReduceOps.SUM, (value,), axes), reduced(shape, axes)
    return m.finish([value], [shape])


def softmax(m):
    """One stage of a softmax or a normalisation: a reduction, then what follows it."""
    rows, columns = m.pick([(3, 10), (4, 32), (2, 16, 16), (5, 7, 9), (1, 256)]), None
    shape = rows
    axes = (len(shape) - 1,)
    small = reduced(shape, axes)
    dtype = m.pick([dtypes.float, dtypes.half, dtypes.double])
    wide = ShapeTracker.from_shape(small).expand(shape)
    value = LazyOp(BinaryOps.SUB, (m.load(dtype, shape, 1), m.buffer(dtype, wide)))
    value = LazyOp(UnaryOps.EXP2, (LazyOp(BinaryOps.MUL, (value, m.constant(dtype, shape, 1.4426950408889634))),))
    value = LazyOp(ReduceOps.SUM, (value,), axes)
    if m.chance(0.5):
        value = LazyOp(BinaryOps.DIV, (m.constant(dtype, small, 1.0), value))
    if m.chance(0.3):
        value = LazyOp(UnaryOps.SQRT, (LazyOp(BinaryOps.ADD, (value, m.constant(dtype, small, 1e-6))),))
    return m.finish([value], [small])


FAMILIES = {f.__name__: f for f in [
    elementwise, reduction, large_reduction, matmul, matvec, convolution, image, masked_image, symbolic, outputs, arange, one_hot,
    constants, chain, grid, softmax]}


def make(family, seed):
    return FAMILIES[family](Maker(f"{family}/{seed}"))
