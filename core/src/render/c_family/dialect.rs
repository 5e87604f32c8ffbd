//! The table of dialects: what the languages of the family spell differently.

use super::super::Language;
use crate::dtype::Scalar;

/// How a launch grid, its workgroups and their memory are spelled.
pub(super) struct Launch {
    /// Index of the workgroup, by launch dimension.
    pub(super) workgroup: [&'static str; 3],
    /// Index of the lane in its workgroup.
    pub(super) lane: [&'static str; 3],
    /// Index of the work item where no workgroups are used.
    pub(super) item: [&'static str; 3],
    /// Before the declaration of local memory.
    pub(super) local: &'static str,
    /// Before the type of a pointer to local memory.
    pub(super) local_pointer: &'static str,
    /// The statement at which all lanes wait.
    pub(super) barrier: &'static str,
}

/// How images are spelled. The helpers define `read_pixel(image, i32x2)`, all zero outside of the image, and
/// `write_pixel(image, i32x2, f32x4)`.
pub(super) struct ImageForm {
    pub(super) readable: &'static str,
    pub(super) writable: &'static str,
    pub(super) helpers: &'static str,
}

/// How vectors are declared, made and taken apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VectorForm {
    /// gcc's and clang's `vector_size`.
    VectorSize,
    /// clang's `ext_vector_type`.
    ExtVector,
    /// A structure with an array.
    Structure,
    /// Types of the language, `(float4)(x, y, z, w)`, lanes by `.s0`.
    OpenCl,
    /// Types of the language, `float4(x, y, z, w)`, lanes by `[0]`.
    Metal,
}

/// How bits are reinterpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reinterpret {
    /// Through a union, in a helper.
    Union,
    /// `as_TYPE(x)`.
    AsType,
    /// `as_type<TYPE>(x)`.
    AsTypeTemplate,
}

/// How `f16` is held in a value, and becomes `f32` and back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HalfForm {
    /// A type of the language that converts by casts.
    Type(&'static str),
    /// Its bits; conversion by `vload_half` and `vstore_half_rte`.
    VloadHalf,
    /// Its bits; conversion by PTX.
    Ptx,
}

/// One language of the family.
pub(super) struct Dialect {
    pub(super) language: Language,
    /// What every text begins with.
    pub(super) head: &'static str,
    /// What it needs besides where there is an `f64`.
    pub(super) double_head: &'static str,
    /// Before the definition of a helper.
    pub(super) function: &'static str,
    /// Before the name of the kernel.
    pub(super) kernel: &'static str,
    /// Before the type of a pointer to global memory.
    pub(super) global: &'static str,
    /// After the `*` of a pointer that no other aliases.
    pub(super) restrict: &'static str,
    /// Type of a symbolic variable as an argument.
    pub(super) variable: &'static str,
    /// An argument with its binding: text, place, whether it is an image.
    pub(super) attribute: fn(&str, usize, bool) -> String,
    /// Arguments after the kernel's own.
    pub(super) extra_arguments: &'static [&'static str],
    /// The language's name of a type; `None` where it has none. (`f16` and `bf16` are not asked for.)
    pub(super) scalar: fn(Scalar) -> Option<&'static str>,
    /// Suffixes of signed and unsigned 64-bit literals.
    pub(super) long_suffix: [&'static str; 2],
    pub(super) half: HalfForm,
    pub(super) vector: VectorForm,
    /// The most lanes that a vector can have.
    pub(super) most_lanes: u8,
    pub(super) reinterpret: Reinterpret,
    /// The function for EXP2, LOG2, SIN or SQRT (by its lower-case name) of `f32` or `f64`.
    pub(super) function_name: fn(&str, Scalar) -> String,
    /// Infinity and NaN as `f32`.
    pub(super) infinity: &'static str,
    pub(super) nan: &'static str,
    /// `None`: there are neither lanes nor workgroups, a grid becomes loops.
    pub(super) launch: Option<Launch>,
    pub(super) image: Option<ImageForm>,
}

/// The dialect of a language.
pub(super) fn of(language: Language) -> &'static Dialect {
    match language {
        Language::C => &C,
        Language::OpenCl => &OPENCL,
        Language::Cuda => &CUDA,
        Language::Hip => &HIP,
        Language::Metal => &METAL,
    }
}

/// The names of C on machines where an `int` has 32 bits.
fn c_scalar(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "signed char",
        Scalar::U8 => "unsigned char",
        Scalar::I16 => "short",
        Scalar::U16 => "unsigned short",
        Scalar::I32 => "int",
        Scalar::U32 => "unsigned int",
        Scalar::I64 => "long long",
        Scalar::U64 => "unsigned long long",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::F16 | Scalar::BF16 => return None,
    })
}

fn opencl_scalar(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::I8 => "char",
        Scalar::U8 => "uchar",
        Scalar::U16 => "ushort",
        Scalar::U32 => "uint",
        Scalar::I64 => "long",
        Scalar::U64 => "ulong",
        other => return c_scalar(other),
    })
}

fn metal_scalar(scalar: Scalar) -> Option<&'static str> {
    if scalar == Scalar::F64 { None } else { opencl_scalar(scalar) }
}

fn plain_argument(argument: &str, _place: usize, _image: bool) -> String {
    argument.to_owned()
}

/// `sqrtf` for `f32`, `sqrt` for `f64`.
fn c_function(name: &str, scalar: Scalar) -> String {
    format!("{name}{}", if scalar == Scalar::F64 { "" } else { "f" })
}

static C: Dialect = Dialect {
    language: Language::C,
    head: "#include <math.h>\n#include <stdbool.h>\n",
    double_head: "",
    function: "static inline",
    kernel: "void",
    global: "",
    restrict: "restrict ",
    variable: "const i32",
    attribute: plain_argument,
    extra_arguments: &[],
    scalar: c_scalar,
    long_suffix: ["LL", "ULL"],
    half: HalfForm::Type("_Float16"),
    vector: VectorForm::VectorSize,
    most_lanes: 16,
    reinterpret: Reinterpret::Union,
    function_name: c_function,
    infinity: "INFINITY",
    nan: "NAN",
    launch: None,
    image: None,
};

static OPENCL: Dialect = Dialect {
    language: Language::OpenCl,
    head: "#pragma OPENCL FP_CONTRACT OFF\n",
    double_head: "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    function: "static inline",
    kernel: "__kernel void",
    global: "__global ",
    restrict: "restrict ",
    variable: "const i32",
    attribute: plain_argument,
    extra_arguments: &[],
    scalar: opencl_scalar,
    long_suffix: ["L", "UL"],
    half: HalfForm::VloadHalf,
    vector: VectorForm::OpenCl,
    most_lanes: 16,
    reinterpret: Reinterpret::AsType,
    function_name: |name, _| name.to_owned(),
    infinity: "INFINITY",
    nan: "NAN",
    launch: Some(Launch {
        workgroup: ["get_group_id(0)", "get_group_id(1)", "get_group_id(2)"],
        lane: ["get_local_id(0)", "get_local_id(1)", "get_local_id(2)"],
        item: ["get_global_id(0)", "get_global_id(1)", "get_global_id(2)"],
        local: "__local __attribute__((aligned(16)))",
        local_pointer: "__local ",
        barrier: "barrier(CLK_LOCAL_MEM_FENCE);",
    }),
    image: Some(ImageForm {
        readable: "read_only image2d_t",
        writable: "write_only image2d_t",
        // Beyond the edge the border colour is read, which is zero in all four channels of an image that has them.
        helpers: "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n\
                  #define read_pixel(image, at) read_imagef(image, nearest, at)\n\
                  #define write_pixel(image, at, value) write_imagef(image, at, value)\n",
    }),
};

/// Bits of the special values, as CUDA and HIP spell them without headers.
const BUILTIN_INFINITY: &str = "__builtin_inff()";
const BUILTIN_NAN: &str = "__builtin_nanf(\"\")";

static CUDA: Dialect = Dialect {
    language: Language::Cuda,
    head: "",
    double_head: "",
    function: "static __device__ inline",
    kernel: "extern \"C\" __global__ void",
    global: "",
    restrict: "__restrict__ ",
    variable: "const i32",
    attribute: plain_argument,
    extra_arguments: &[],
    scalar: c_scalar,
    long_suffix: ["LL", "ULL"],
    half: HalfForm::Ptx,
    vector: VectorForm::Structure,
    most_lanes: 16,
    reinterpret: Reinterpret::Union,
    function_name: c_function,
    infinity: "__int_as_float(0x7f800000)",
    nan: "__int_as_float(0x7fc00000)",
    launch: Some(Launch {
        workgroup: ["blockIdx.x", "blockIdx.y", "blockIdx.z"],
        lane: ["threadIdx.x", "threadIdx.y", "threadIdx.z"],
        item: [
            "(blockIdx.x * blockDim.x + threadIdx.x)",
            "(blockIdx.y * blockDim.y + threadIdx.y)",
            "(blockIdx.z * blockDim.z + threadIdx.z)",
        ],
        local: "__shared__ __align__(16)",
        local_pointer: "",
        barrier: "__syncthreads();",
    }),
    image: None,
};

static HIP: Dialect = Dialect {
    language: Language::Hip,
    head: "#define __device__ __attribute__((device))\n\
           extern \"C\" {\n\
           __device__ __attribute__((const)) unsigned long __ockl_get_group_id(unsigned int);\n\
           __device__ __attribute__((const)) unsigned long __ockl_get_local_id(unsigned int);\n\
           __device__ __attribute__((const)) unsigned long __ockl_get_local_size(unsigned int);\n\
           __device__ __attribute__((pure)) float __ocml_exp2_f32(float);\n\
           __device__ __attribute__((pure)) float __ocml_log2_f32(float);\n\
           __device__ __attribute__((const)) float __ocml_sqrt_f32(float);\n\
           __device__ float __ocml_sin_f32(float);\n\
           __device__ __attribute__((pure)) double __ocml_exp2_f64(double);\n\
           __device__ __attribute__((pure)) double __ocml_log2_f64(double);\n\
           __device__ __attribute__((const)) double __ocml_sqrt_f64(double);\n\
           __device__ double __ocml_sin_f64(double);\n\
           }\n",
    double_head: "",
    function: "static __device__ inline",
    kernel: "extern \"C\" __attribute__((global)) void",
    global: "",
    restrict: "__restrict__ ",
    variable: "const i32",
    attribute: plain_argument,
    extra_arguments: &[],
    scalar: c_scalar,
    long_suffix: ["LL", "ULL"],
    half: HalfForm::Type("_Float16"),
    vector: VectorForm::ExtVector,
    most_lanes: 16,
    reinterpret: Reinterpret::Union,
    function_name: |name, scalar| format!("__ocml_{name}_{}", if scalar == Scalar::F64 { "f64" } else { "f32" }),
    infinity: BUILTIN_INFINITY,
    nan: BUILTIN_NAN,
    launch: Some(Launch {
        workgroup: ["__ockl_get_group_id(0)", "__ockl_get_group_id(1)", "__ockl_get_group_id(2)"],
        lane: ["__ockl_get_local_id(0)", "__ockl_get_local_id(1)", "__ockl_get_local_id(2)"],
        item: [
            "(__ockl_get_group_id(0) * __ockl_get_local_size(0) + __ockl_get_local_id(0))",
            "(__ockl_get_group_id(1) * __ockl_get_local_size(1) + __ockl_get_local_id(1))",
            "(__ockl_get_group_id(2) * __ockl_get_local_size(2) + __ockl_get_local_id(2))",
        ],
        local: "__attribute__((shared)) __attribute__((aligned(16)))",
        local_pointer: "",
        barrier: "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"); __builtin_amdgcn_s_barrier(); \
                  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");",
    }),
    image: None,
};

static METAL: Dialect = Dialect {
    language: Language::Metal,
    head: "#include <metal_stdlib>\nusing namespace metal;\n",
    double_head: "",
    function: "static inline",
    kernel: "kernel void",
    global: "device ",
    restrict: "",
    variable: "constant i32&",
    attribute: |argument, place, image| format!("{argument} [[{}({place})]]", if image { "texture" } else { "buffer" }),
    extra_arguments: &[
        "uint3 workgroup [[threadgroup_position_in_grid]]",
        "uint3 lane [[thread_position_in_threadgroup]]",
        "uint3 item [[thread_position_in_grid]]",
    ],
    scalar: metal_scalar,
    long_suffix: ["L", "UL"],
    half: HalfForm::Type("half"),
    vector: VectorForm::Metal,
    most_lanes: 4,
    reinterpret: Reinterpret::AsTypeTemplate,
    function_name: |name, _| format!("precise::{name}"),
    infinity: "INFINITY",
    nan: "NAN",
    launch: Some(Launch {
        workgroup: ["workgroup.x", "workgroup.y", "workgroup.z"],
        lane: ["lane.x", "lane.y", "lane.z"],
        item: ["item.x", "item.y", "item.z"],
        local: "threadgroup alignas(16)",
        local_pointer: "threadgroup ",
        barrier: "threadgroup_barrier(mem_flags::mem_threadgroup);",
    }),
    image: Some(ImageForm {
        readable: "texture2d<float, access::read>",
        writable: "texture2d<float, access::write>",
        // A read beyond the edge is undefined in Metal.
        helpers: "static inline float4 read_pixel(texture2d<float, access::read> image, int2 at) {\n  \
                  bool inside = at.x >= 0 && at.y >= 0 && at.x < (int)image.get_width() && at.y < (int)image.get_height();\n  \
                  return inside ? image.read(uint2(at)) : float4(0.0f);\n}\n\
                  static inline void write_pixel(texture2d<float, access::write> image, int2 at, float4 value) {\n  \
                  image.write(value, uint2(at));\n}\n",
    }),
};
