//! One kernel for each thing that languages spell differently. `UPDATE_EXPECT=1` rewrites the files.

use super::lowered;
use expect_test::expect_file;
use plumb_core::render::{Language, RenderError, render};

fn case(target: &str, kernel: &str, opts: &str) -> String {
    format!("plumb case 1\ntarget {target}\n{kernel}opts {opts}\ndata auto seed 0\nexpect pass\n")
}

fn text(target: &str, kernel: &str, opts: &str, language: Language) -> String {
    render(&lowered(&case(target, kernel, opts)), language, None).unwrap().text()
}

/// The text in these languages, one below the other.
fn texts(target: &str, kernel: &str, opts: &str, languages: &[Language]) -> String {
    let one = |&language: &Language| format!("// {language}\n{}\n", text(target, kernel, opts, language));
    languages.iter().map(one).collect()
}

#[test]
fn a_gated_vector_load_in_a_loop() {
    let kernel = "%0 = load f32 buf1 (5,4) |> permute(1,0) |> pad((0,0),(1,2))\n%1 = sum %0 axis(1)\n\
                  store f32 buf0 (4,1) %1\n";
    expect_file!["gated_vector_load.txt"].assert_eq(&texts("opencl", kernel, "UPCAST:0:4", &Language::ALL));
}

/// Two stages of a reduction: memory of the workgroup, a barrier, one lane that goes on.
#[test]
fn two_stages() {
    let kernel = "%0 = load f32 buf1 (3,64)\n%1 = max %0 axis(1)\nstore f32 buf0 (3,1) %1\n";
    let languages = [Language::OpenCl, Language::Cuda, Language::Hip, Language::Metal];
    expect_file!["two_stages.txt"].assert_eq(&texts("opencl", kernel, "GROUPTOP:0:16", &languages));
    let error = render(&lowered(&case("opencl", kernel, "GROUPTOP:0:16")), Language::C, None).unwrap_err();
    let RenderError::Unsupported { language: Language::C, .. } = error else { panic!("{error}") };
}

/// Integers wrap in their own width, conversions saturate, a quotient by zero is zero, and the least integers have no
/// literal.
#[test]
fn integers() {
    let kernel = "%0 = load u8 buf1 (8)\n%1 = load u8 buf2 (8)\n%2 = add %0 %1\n%3 = cast i32 %2\n%4 = load i32 buf3 (8)\n\
                  %5 = mul %4 %4\n%6 = div %5 %3\n%7 = const i32 -2147483648 (8)\n%8 = max %6 %7\n%9 = cast f32 %8\n\
                  %10 = load f32 buf4 (8)\n%11 = mul %9 %10\n%12 = cast i8 %11\n%13 = cast i64 %12\n\
                  %14 = const i64 -9223372036854775808 (8)\n%15 = add %13 %14\nstore i64 buf0 (8) %15\n";
    expect_file!["integers.txt"].assert_eq(&texts("clang", kernel, "none", &Language::ALL));
}

/// Short floats are rounded after each operation, by way of f32; special values have names.
#[test]
fn short_floats() {
    let kernel = "%0 = load f16 buf1 (8)\n%1 = load bf16 buf2 (8)\n%2 = mul %0 %0\n%3 = cast bf16 %2\n%4 = max %3 %1\n\
                  %5 = exp2 %4\n%6 = const bf16 inf (8)\n%7 = cmplt %5 %6\n%8 = const bf16 -1.5 (8)\n%9 = where %7 %5 %8\n\
                  store bf16 buf0 (8) %9\n";
    expect_file!["short_floats.txt"].assert_eq(&texts("clang", kernel, "none", &Language::ALL));
}

#[test]
fn doubles() {
    let kernel = "%0 = load f64 buf1 (8)\n%1 = sin %0\n%2 = bitcast i64 %1\n%3 = cast f64 %2\n%4 = cast f16 %3\n\
                  %5 = cast bf16 %3\nstore f16 buf0 (8) %4\nstore bf16 buf2 (8) %5\n";
    let languages = [Language::C, Language::OpenCl, Language::Cuda, Language::Hip];
    expect_file!["doubles.txt"].assert_eq(&texts("clang", kernel, "none", &languages));
    let error = render(&lowered(&case("clang", kernel, "none")), Language::Metal, None).unwrap_err();
    assert_eq!(error.to_string(), "metal has no type f64");
}

#[test]
fn images() {
    let kernel = "%0 = load imagef[2,8,4] buf1 (64) |> pad((4,0))\n%1 = load f32 buf2 (68)\n%2 = add %0 %1\n\
                  %3 = cast imagef[1,17,4] %2\nstore imagef[1,17,4] buf0 (68) %3\n";
    let languages = [Language::OpenCl, Language::Metal];
    expect_file!["images.txt"].assert_eq(&texts("opencl", kernel, "hand", &languages));
}

/// A user's variable may have any name, that of a loop's or of a word of the language (fault N30 of 0.9.0).
#[test]
fn variables_of_any_name() {
    let kernel = "var ridx0[1,8] = 3\nvar int[1,4] = 2\n%0 = load f32 buf1 (ridx0,int)\n%1 = sum %0 axis(0)\n\
                  store f32 buf0 (1,int) %1\n";
    expect_file!["variables.txt"].assert_eq(&texts("clang", kernel, "none", &[Language::C, Language::Metal]));
}

/// A product of matrices on the matrix instruction of each target that has one.
#[test]
fn matrix_instructions() {
    let product = |from: &str, to: &str| {
        let (cast, product) = if from == to { (String::new(), 2) } else { (format!("%3 = cast {to} %2\n"), 3) };
        format!(
            "%0 = load {from} buf1 view((32,32,32):(32,0,1)+0)\n%1 = load {from} buf2 view((32,32,32):(0,1,32)+0)\n\
             %2 = mul %0 %1\n{cast}%4 = sum %{product} axis(2)\nstore {to} buf0 (32,32,1) %4\n"
        )
    };
    let mut all = String::new();
    for (target, from, language) in [
        ("metal", "f32", Language::Metal),
        ("metal", "f16", Language::Metal),
        ("cuda", "f16", Language::Cuda),
        ("cuda", "bf16", Language::Cuda),
        ("hip", "f16", Language::Hip),
    ] {
        let text = text(target, &product(from, "f32"), "TC:0:0", language);
        assert!(text.contains("wmma_"), "no matrix instruction in\n{text}");
        all.push_str(&format!("// {target} {from}\n{text}\n"));
    }
    expect_file!["matrix_instructions.txt"].assert_eq(&all);
}

/// Arithmetic on addresses reads as people write it; arithmetic on data that may overflow is done unsigned.
#[test]
fn only_data_is_computed_unsigned() {
    let kernel = "%0 = load i32 buf1 (4,8) |> permute(1,0)\n%1 = add %0 %0\nstore i32 buf0 (8,4) %1\n";
    let text = text("clang", kernel, "none", Language::C);
    assert!(text.contains("const i32 alu0 = ridx0 * 4;"), "{text}");
    assert!(text.contains("data0[alu0 + ridx1]"), "{text}");
    assert!(text.contains("(i32)((u32)val0 + (u32)val0)"), "{text}");
}
