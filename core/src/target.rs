//! What a target can do: the description by which optimisations and lowering decide.

use crate::dtype::Scalar;

/// Shape and register layout of one matrix instruction, D(M,N) = A(M,K)·B(K,N) + C(M,N).
/// The fields follow tinygrad 0.9.0's `TensorCore`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorCore {
    /// N, M, K.
    pub dims: [usize; 3],
    /// Type of A and B.
    pub dtype_in: Scalar,
    /// Type of C and D.
    pub dtype_out: Scalar,
    /// The threads of a warp: pairs of (dimension 0 = N or 1 = M, amount), innermost first.
    pub threads: Vec<(usize, usize)>,
    /// For each of A, B and the accumulator: for every thread axis and every upcast axis, which thread variables
    /// (1 to n) and register variables (-1, -2, …) make its index; 0 alone means index 0.
    pub thread_local_aliases: [Vec<Vec<i32>>; 3],
    /// For each of A, B and the accumulator: sizes of the register axes.
    pub thread_local_sizes: [Vec<usize>; 3],
}

impl TensorCore {
    /// How many axes beyond the thread axes the instruction takes (one unrolled, the rest upcast).
    pub fn upcasts(&self) -> usize {
        self.thread_local_aliases[0].len().saturating_sub(self.threads.len())
    }
}

/// A target's abilities and limits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The name users give (`clang`, `opencl`, `metal`, `cuda`, `hip`, or one of a made-up target).
    pub name: String,
    /// Whether four or two neighbouring elements can be loaded and stored at once.
    pub supports_float4: bool,
    /// Whether there are workgroups of lanes.
    pub has_local: bool,
    /// Whether the lanes of a workgroup share memory.
    pub has_shared: bool,
    /// The largest launch dimensions, innermost last.
    pub global_max: Option<Vec<i64>>,
    /// The largest workgroup dimensions.
    pub local_max: Option<Vec<i64>>,
    /// Bytes of memory that a workgroup can share.
    pub shared_max: i64,
    /// Matrix instructions, in order of preference.
    pub tensor_cores: Vec<TensorCore>,
    /// Whether loads from outside of an image are left without a gate, as they give zero. Off unless the name says
    /// [`IMAGE_BORDER`]. (0.7.0 left such gates out by hand-made rules, 0.9.0 leaves it as a task.)
    pub image_border: bool,
}

/// What a target's name ends with where [`Target::image_border`] is on: `opencl.image-border`.
pub const IMAGE_BORDER: &str = ".image-border";

/// The names of the built-in targets, in the order of the documentation.
pub const NAMES: [&str; 5] = ["clang", "opencl", "metal", "cuda", "hip"];

impl Target {
    /// A made-up target that can do everything but matrix instructions, without limits.
    pub fn unlimited(name: &str) -> Target {
        Target {
            name: name.to_owned(),
            supports_float4: true,
            has_local: true,
            has_shared: true,
            global_max: None,
            local_max: None,
            shared_max: i64::MAX,
            tensor_cores: Vec::new(),
            image_border: false,
        }
    }

    /// The built-in target of this name, as tinygrad 0.9.0 describes it (`cuda` as sm_80, `metal` with its tensor
    /// cores on any machine), or `None`. A name that ends with [`IMAGE_BORDER`] is that target with
    /// [`Target::image_border`].
    pub fn named(name: &str) -> Option<Target> {
        if let Some(plain) = name.strip_suffix(IMAGE_BORDER) {
            let target = Target::named(plain).filter(|target| target.supports_float4 && !target.image_border)?;
            return Some(Target { name: name.to_owned(), image_border: true, ..target });
        }
        let gpu = |name: &str| Target { shared_max: 32768, ..Target::unlimited(name) };
        Some(match name {
            "clang" => Target { supports_float4: false, has_local: false, ..gpu(name) },
            "opencl" => gpu(name),
            "metal" => Target {
                tensor_cores: [(Scalar::F32, Scalar::F32), (Scalar::F16, Scalar::F32), (Scalar::F16, Scalar::F16)]
                    .map(metal_tensor_core)
                    .to_vec(),
                ..gpu(name)
            },
            "cuda" => Target {
                global_max: Some(vec![65535, 65535, 2147483647]),
                local_max: Some(vec![64, 1024, 1024]),
                shared_max: 49152,
                tensor_cores: [Scalar::F16, Scalar::BF16].map(cuda_tensor_core).to_vec(),
                ..gpu(name)
            },
            "hip" => Target {
                shared_max: 65536,
                tensor_cores: [Scalar::F32, Scalar::F16].map(hip_tensor_core).to_vec(),
                ..gpu(name)
            },
            _ => return None,
        })
    }
}

fn aliases<const A: usize>(axes: [&[i32]; A]) -> Vec<Vec<i32>> {
    axes.iter().map(|axis| axis.to_vec()).collect()
}

fn metal_tensor_core((dtype_in, dtype_out): (Scalar, Scalar)) -> TensorCore {
    TensorCore {
        dims: [8, 8, 8],
        dtype_in,
        dtype_out,
        threads: vec![(0, 2), (1, 4), (0, 2), (1, 2)],
        thread_local_sizes: [vec![2], vec![2], vec![2]],
        thread_local_aliases: [
            aliases([&[0], &[2], &[0], &[4], &[-1, 1, 3], &[0]]),
            aliases([&[1], &[0], &[3], &[0], &[2, 4], &[-1]]),
            aliases([&[1], &[2], &[3], &[4], &[0], &[-1]]),
        ],
    }
}

fn cuda_tensor_core(dtype_in: Scalar) -> TensorCore {
    TensorCore {
        dims: [8, 16, 16],
        dtype_in,
        dtype_out: Scalar::F32,
        threads: vec![(0, 2), (0, 2), (1, 2), (1, 2), (0, 2)],
        thread_local_sizes: [vec![2, 2, 2], vec![2, 2], vec![2, 2]],
        thread_local_aliases: [
            aliases([&[0], &[0], &[5], &[-2], &[0], &[-1, 1, 2, -3], &[3, 4]]),
            aliases([&[3], &[4], &[0], &[0], &[5], &[-1, 1, 2, -2], &[0]]),
            aliases([&[-1], &[1], &[5], &[-2], &[2], &[0], &[3, 4]]),
        ],
    }
}

fn hip_tensor_core(dtype_out: Scalar) -> TensorCore {
    TensorCore {
        dims: [16, 16, 16],
        dtype_in: Scalar::F16,
        dtype_out,
        threads: vec![(0, 8), (0, 2), (1, 2)],
        thread_local_sizes: [vec![16], vec![16], vec![4, 2]],
        thread_local_aliases: [
            aliases([&[0], &[0], &[2], &[-1], &[1]]),
            aliases([&[1], &[2], &[0], &[-1], &[0]]),
            aliases([&[1], &[2], &[-2], &[0], &[3, -1]]),
        ],
    }
}
