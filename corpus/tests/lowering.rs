//! One kernel for each thing that lowering does, with the uops that it becomes.
//!
//! The digest in each expected text is tinygrad 0.9.0's for the same kernel.

use expect_test::{Expect, expect};
use plumb_core::linearize::lower;
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::sync::Arc;

fn check(kernel: &str, target: &str, opts: &str, expected: Expect) {
    let text = format!("plumb case 1\ntarget {target}\n{kernel}opts {opts}\ndata auto seed 0\nexpect pass\n");
    let case = plumb_corpus::text::parse(&text).unwrap_or_else(|error| panic!("{}", error.show(&text)));
    let ast = Arc::new(case.kernel.ast().unwrap());
    let target = Arc::new(Target::named(target).unwrap());
    let lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap();
    expected.assert_eq(&lowered.text());
}

#[test]
fn elementwise() {
    check(
        "%0 = load f32 buf1 (8,6)\n\
         %1 = load f32 buf2 (6,8) |> permute(1,0)\n\
         %2 = const f32 2.0 () |> reshape(1,1) |> expand(8,6)\n\
         %3 = mul %1 %2\n\
         %4 = add %0 %3\n\
         store f32 buf0 (8,6) %4\n",
        "opencl",
        "LOCAL:0:4 UPCAST:1:3",
        expect![[r#"
            ; E_2_2_4_3 global=[2,2,1]local=[4,1,1] e8f6e115b5e7ff28
            ; opts LOCAL:0:4 UPCAST:1:3
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 DEFINE_GLOBAL f32* [] 2:in
            3 CONST i32 [] 1
            4 CONST i32 [] 2
            5 CONST f32 [] f:4000000000000000
            6 CONST i32 [] 3
            7 CONST i32 [] 4
            8 CONST i32 [] 6
            9 CONST i32 [] 8
            10 CONST i32 [] 16
            11 CONST i32 [] 24
            12 SPECIAL i32 [] 0:gidx1:2
            13 SPECIAL i32 [] 0:lidx2:4
            14 SPECIAL i32 [] 1:gidx0:2
            15 ALU i32 [12,6] MUL
            16 ALU i32 [12,11] MUL
            17 ALU i32 [13,8] MUL
            18 ALU i32 [14,7] MUL
            19 ALU i32 [14,11] MUL
            20 ALU i32 [18,16] ADD
            21 ALU i32 [19,15] ADD
            22 ALU i32 [20,13] ADD
            23 ALU i32 [21,17] ADD
            24 ALU i32 [22,9] ADD
            25 ALU i32 [22,10] ADD
            26 ALU i32 [23,3] ADD
            27 ALU i32 [23,4] ADD
            28 LOAD f32 [1,23] -
            29 LOAD f32 [1,26] -
            30 LOAD f32 [1,27] -
            31 LOAD f32 [2,22] -
            32 ALU f32 [31,5] MUL
            33 ALU f32 [28,32] ADD
            34 LOAD f32 [2,24] -
            35 ALU f32 [34,5] MUL
            36 ALU f32 [29,35] ADD
            37 LOAD f32 [2,25] -
            38 ALU f32 [37,5] MUL
            39 ALU f32 [30,38] ADD
            40 STORE - [0,23,33] -
            41 STORE - [0,26,36] -
            42 STORE - [0,27,39] -
        "#]],
    );
}

#[test]
fn vectors_where_aligned() {
    check(
        "%0 = load f32 buf1 (64)\n\
         %1 = load f32 buf2 (65) |> shrink((1,65))\n\
         %2 = add %0 %1\n\
         store f32 buf0 (64) %2\n",
        "opencl",
        "UPCAST:0:4 LOCAL:0:8",
        expect![[r#"
            ; E_2_8_4 global=[2,1,1]local=[8,1,1] aebc5b1ce1ae9cfb
            ; opts UPCAST:0:4 LOCAL:0:8
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 DEFINE_GLOBAL f32* [] 2:in
            3 CONST i32 [] 1
            4 CONST i32 [] 2
            5 CONST i32 [] 3
            6 CONST i32 [] 4
            7 CONST i32 [] 32
            8 SPECIAL i32 [] 0:gidx0:2
            9 SPECIAL i32 [] 0:lidx1:8
            10 ALU i32 [8,7] MUL
            11 ALU i32 [9,6] MUL
            12 ALU i32 [10,11] ADD
            13 ALU i32 [12,3] ADD
            14 ALU i32 [12,4] ADD
            15 ALU i32 [12,5] ADD
            16 ALU i32 [12,6] ADD
            17 LOAD f32 [2,13] -
            18 LOAD f32 [2,14] -
            19 LOAD f32 [2,15] -
            20 LOAD f32 [2,16] -
            21 LOAD f32x4 [1,12] -
            22 GEP f32 [21] 0
            23 GEP f32 [21] 1
            24 GEP f32 [21] 2
            25 GEP f32 [21] 3
            26 ALU f32 [22,17] ADD
            27 ALU f32 [23,18] ADD
            28 ALU f32 [24,19] ADD
            29 ALU f32 [25,20] ADD
            30 CAST f32x4 [26,27,28,29] -
            31 STORE - [0,12,30] -
        "#]],
    );
}

#[test]
fn reduction_in_loops() {
    let kernel = "%0 = load f32 buf1 (4,6)\n%1 = sum %0 axis(1)\nstore f32 buf0 (4,1) %1\n";
    check(
        kernel,
        "clang",
        "none",
        expect![[r#"
        ; r_4_6 global=Nonelocal=None 6c083cb026de71e4
        ; opts -
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 4
        4 CONST i32 [] 6
        5 RANGE i32 [2,3] 1:0
        6 ALU i32 [5,4] MUL
        7 DEFINE_ACC f32 [8] f:0000000000000000:0:0
        8 RANGE i32 [2,4] 2:0
        9 ALU i32 [6,8] ADD
        10 LOAD f32 [1,9] -
        11 ALU f32 [10,7] ADD
        12 PHI f32 [7,11] -
        13 ENDRANGE - [8] -
        14 STORE - [0,5,12] -
        15 ENDRANGE - [5] -
    "#]],
    );
    check(
        kernel,
        "clang",
        "UPCAST:0:2 UNROLL:0:3",
        expect![[r#"
        ; r_2_2_2_3 global=Nonelocal=None 673e06f23270a09e
        ; opts UPCAST:0:2 UNROLL:0:3
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] 0
        3 CONST i32 [] 1
        4 CONST i32 [] 2
        5 CONST i32 [] 3
        6 CONST i32 [] 6
        7 CONST i32 [] 7
        8 CONST i32 [] 8
        9 CONST i32 [] 12
        10 RANGE i32 [2,4] 1:0
        11 ALU i32 [10,4] MUL
        12 ALU i32 [11,3] ADD
        13 ALU i32 [10,9] MUL
        14 DEFINE_ACC f32 [16] f:0000000000000000:0:0
        15 DEFINE_ACC f32 [16] f:0000000000000000:0:1
        16 RANGE i32 [2,4] 2:0
        17 ALU i32 [16,5] MUL
        18 ALU i32 [13,17] ADD
        19 ALU i32 [18,3] ADD
        20 ALU i32 [18,4] ADD
        21 ALU i32 [18,6] ADD
        22 ALU i32 [18,7] ADD
        23 ALU i32 [18,8] ADD
        24 LOAD f32 [1,19] -
        25 LOAD f32 [1,20] -
        26 LOAD f32 [1,21] -
        27 ALU f32 [26,15] ADD
        28 LOAD f32 [1,22] -
        29 ALU f32 [28,27] ADD
        30 LOAD f32 [1,23] -
        31 ALU f32 [30,29] ADD
        32 LOAD f32 [1,18] -
        33 ALU f32 [32,14] ADD
        34 ALU f32 [24,33] ADD
        35 ALU f32 [25,34] ADD
        36 PHI f32 [14,35] -
        37 PHI f32 [15,31] -
        38 ENDRANGE - [16] -
        39 STORE - [0,12,37] -
        40 STORE - [0,11,36] -
        41 ENDRANGE - [10] -
    "#]],
    );
}

#[test]
fn reduction_shared_by_lanes() {
    let kernel = "%0 = load f32 buf1 (4,64)\n%1 = sum %0 axis(1)\nstore f32 buf0 (4,1) %1\n";
    check(
        kernel,
        "opencl",
        "GROUPTOP:0:8",
        expect![[r#"
        ; r_4_8_8 global=[4,1,1]local=[8,1,1] 2802df9bc617bf34
        ; opts GROUPTOP:0:8
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_LOCAL f32* [] temp:8
        3 CONST i32 [] 0
        4 CONST i32 [] 1
        5 CONST i32 [] 8
        6 CONST i32 [] 64
        7 SPECIAL i32 [] 0:gidx0:4
        8 SPECIAL i32 [] 0:lidx1:8
        9 ALU bool [8,4] CMPLT
        10 ALU i32 [7,6] MUL
        11 ALU i32 [8,5] MUL
        12 ALU i32 [10,11] ADD
        13 DEFINE_ACC f32 [14] f:0000000000000000:-1:0
        14 RANGE i32 [3,5] 2:0
        15 ALU i32 [12,14] ADD
        16 LOAD f32 [1,15] -
        17 ALU f32 [16,13] ADD
        18 PHI f32 [13,17] -
        19 ENDRANGE - [14] -
        20 STORE - [2,8,18] -
        21 BARRIER - [20] -
        22 IF - [9,21] -
        23 DEFINE_ACC f32 [24] f:0000000000000000:0:0
        24 RANGE i32 [3,5] 3:1
        25 LOAD f32 [2,24,22] -
        26 ALU f32 [25,23] ADD
        27 PHI f32 [23,26] -
        28 ENDRANGE - [24] -
        29 STORE - [0,7,27] -
        30 ENDIF - [22] -
    "#]],
    );
    check(
        kernel,
        "opencl",
        "LOCAL:0:2 GROUP:0:4 GROUP:0:4 UPCAST:0:2",
        expect![[r#"
        ; r_2_4_4_4_2 global=[1,1,1]local=[2,4,4] e30abf946a52f7d5
        ; opts LOCAL:0:2 GROUP:0:4 GROUP:0:4 UPCAST:0:2
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 DEFINE_LOCAL f32* [] temp:64
        3 CONST i32 [] 0
        4 CONST i32 [] 1
        5 CONST i32 [] 2
        6 CONST i32 [] 4
        7 CONST i32 [] 8
        8 CONST i32 [] 16
        9 CONST i32 [] 32
        10 CONST i32 [] 64
        11 CONST i32 [] 128
        12 SPECIAL i32 [] 0:lidx0:2
        13 SPECIAL i32 [] 1:lidx1:4
        14 SPECIAL i32 [] 2:lidx2:4
        15 ALU i32 [12,5] ADD
        16 ALU i32 [12,9] MUL
        17 ALU i32 [12,10] MUL
        18 ALU i32 [13,7] MUL
        19 ALU i32 [14,5] MUL
        20 ALU i32 [14,6] MUL
        21 ALU i32 [16,18] ADD
        22 ALU i32 [17,13] ADD
        23 ALU i32 [18,19] ADD
        24 ALU bool [23,4] CMPLT
        25 ALU i32 [21,19] ADD
        26 ALU i32 [22,20] ADD
        27 DEFINE_ACC f32x2 [28] f:0000000000000000:-1:0
        28 RANGE i32 [3,6] 2:0
        29 GEP f32 [27] 0
        30 GEP f32 [27] 1
        31 ALU i32 [28,8] MUL
        32 ALU i32 [26,31] ADD
        33 ALU i32 [32,11] ADD
        34 LOAD f32 [1,32] -
        35 ALU f32 [34,29] ADD
        36 LOAD f32 [1,33] -
        37 ALU f32 [36,30] ADD
        38 CAST f32x2 [35,37] -
        39 PHI f32x2 [27,38] -
        40 ENDRANGE - [28] -
        41 STORE - [2,25,39] -
        42 BARRIER - [41] -
        43 IF - [24,42] -
        44 DEFINE_ACC f32 [46,49] f:0000000000000000:0:0
        45 DEFINE_ACC f32 [46,49] f:0000000000000000:0:1
        46 RANGE i32 [3,6] 3:1
        47 ALU i32 [46,7] MUL
        48 ALU i32 [16,47] ADD
        49 RANGE i32 [3,6] 3:2
        50 ALU i32 [49,5] MUL
        51 ALU i32 [48,50] ADD
        52 LOAD f32x2 [2,51,43] -
        53 GEP f32 [52] 0
        54 GEP f32 [52] 1
        55 ALU f32 [53,44] ADD
        56 ALU f32 [54,45] ADD
        57 PHI f32 [44,55] -
        58 PHI f32 [45,56] -
        59 ENDRANGE - [49] -
        60 ENDRANGE - [46] -
        61 STORE - [0,12,57] -
        62 STORE - [0,15,58] -
        63 ENDIF - [43] -
    "#]],
    );
}

#[test]
fn padding() {
    let kernel = "%0 = load f32 buf1 (5) |> pad((2,1))\n\
         %1 = const f32 3.0 () |> reshape(1) |> expand(6) |> pad((0,2))\n\
         %2 = add %0 %1\n\
         store f32 buf0 (8) %2\n";
    check(
        kernel,
        "opencl",
        "none",
        expect![[r#"
        ; E_8 global=[8,1,1]local=[1,1,1] dc7cef5def7c3a56
        ; opts -
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] -2
        3 CONST f32 [] f:0000000000000000
        4 CONST i32 [] 1
        5 CONST f32 [] f:4008000000000000
        6 CONST i32 [] 6
        7 CONST i32 [] 7
        8 SPECIAL i32 [] 0:gidx0:8
        9 ALU bool [4,8] CMPLT
        10 ALU bool [8,6] CMPLT
        11 ALU bool [8,7] CMPLT
        12 ALU bool [9,11] MUL
        13 ALU i32 [8,2] ADD
        14 ALU f32 [10,5,3] WHERE
        15 LOAD f32 [1,13,12,3] -
        16 ALU f32 [15,14] ADD
        17 STORE - [0,8,16] -
    "#]],
    );
    check(
        kernel,
        "opencl",
        "UPCAST:0:4",
        expect![[r#"
        ; E_2_4 global=[2,1,1]local=[1,1,1] edd81a162b887d5e
        ; opts UPCAST:0:4
        0 DEFINE_GLOBAL f32* [] 0:out
        1 DEFINE_GLOBAL f32* [] 1:in
        2 CONST i32 [] -2
        3 CONST i32 [] -1
        4 CONST i32 [] 0
        5 CONST f32 [] f:0000000000000000
        6 CONST i32 [] 1
        7 CONST f32 [] f:4008000000000000
        8 CONST i32 [] 4
        9 SPECIAL i32 [] 0:gidx0:2
        10 ALU bool [4,9] CMPLT
        11 ALU bool [9,6] CMPLT
        12 ALU i32 [9,8] MUL
        13 ALU i32 [12,2] ADD
        14 ALU i32 [12,3] ADD
        15 ALU i32 [12,6] ADD
        16 ALU f32 [11,7,5] WHERE
        17 LOAD f32 [1,12] -
        18 ALU f32 [17,16] ADD
        19 LOAD f32 [1,13,10,5] -
        20 ALU f32 [19,7] ADD
        21 LOAD f32 [1,14,10,5] -
        22 ALU f32 [21,7] ADD
        23 LOAD f32 [1,15,11,5] -
        24 ALU f32 [23,16] ADD
        25 CAST f32x4 [20,22,18,24] -
        26 STORE - [0,12,25] -
    "#]],
    );
}

#[test]
fn two_outputs() {
    check(
        "%0 = load f32 buf2 (4,6)\n\
         %1 = max %0 axis(1)\n\
         store f32 buf0 (4,1) %1\n\
         %2 = load f32 buf3 (4,1)\n\
         %3 = add %1 %2\n\
         store f32 buf1 (4,1) %3\n",
        "opencl",
        "none",
        expect![[r#"
            ; r2_4_6 global=[4,1,1]local=[1,1,1] 2453da0fa9a83b3e
            ; opts -
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:out
            2 DEFINE_GLOBAL f32* [] 2:in
            3 DEFINE_GLOBAL f32* [] 3:in
            4 CONST i32 [] 0
            5 CONST i32 [] 6
            6 SPECIAL i32 [] 0:gidx0:4
            7 ALU i32 [6,5] MUL
            8 LOAD f32 [3,6] -
            9 DEFINE_ACC f32 [10] -inf:0:0
            10 RANGE i32 [4,5] 2:0
            11 ALU i32 [7,10] ADD
            12 LOAD f32 [2,11] -
            13 ALU f32 [12,9] MAX
            14 PHI f32 [9,13] -
            15 ENDRANGE - [10] -
            16 ALU f32 [14,8] ADD
            17 STORE - [0,6,14] -
            18 STORE - [1,6,16] -
        "#]],
    );
}

#[test]
fn images() {
    check(
        "%0 = load imageh[2,4,4] buf1 (2,4,4)\n\
         %1 = load imagef[2,4,4] buf2 (2,4,4)\n\
         %2 = add %0 %1\n\
         store imagef[2,4,4] buf0 (2,4,4) %2\n",
        "opencl",
        "none",
        expect![[r#"
            ; E_2_4_4 global=[4,2,1]local=[1,1,1] ff2b07480d8c2516
            ; opts UPCAST:2:4
            0 DEFINE_GLOBAL imagef[2,4,4] [] 0:out
            1 DEFINE_GLOBAL imageh[2,4,4] [] 1:in
            2 DEFINE_GLOBAL imagef[2,4,4] [] 2:in
            3 SPECIAL i32 [] 0:gidx1:4
            4 SPECIAL i32 [] 1:gidx0:2
            5 CAST i32x2 [3,4] -
            6 LOAD f32x4 [1,5] -
            7 GEP f32 [6] 0
            8 GEP f32 [6] 1
            9 GEP f32 [6] 2
            10 GEP f32 [6] 3
            11 LOAD f32x4 [2,5] -
            12 GEP f32 [11] 0
            13 GEP f32 [11] 1
            14 GEP f32 [11] 2
            15 GEP f32 [11] 3
            16 ALU f32 [7,12] ADD
            17 ALU f32 [8,13] ADD
            18 ALU f32 [9,14] ADD
            19 ALU f32 [10,15] ADD
            20 CAST f32x4 [16,17,18,19] -
            21 STORE - [0,5,20] -
        "#]],
    );
    check(
        "%0 = load imagef[1,2,4] buf1 (8) |> shrink((1,7))\nstore f32 buf0 (6) %0\n",
        "opencl",
        "none",
        expect![[r#"
            ; C_6 global=[6,1,1]local=[1,1,1] b1df5a68054ded4c
            ; opts -
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL imagef[1,2,4] [] 1:in
            2 CONST i32 [] 0
            3 CONST i32 [] 1
            4 CONST i32 [] 2
            5 CONST i32 [] 3
            6 CONST i32 [] 4
            7 SPECIAL i32 [] 0:gidx0:6
            8 ALU i32 [7,3] ADD
            9 ALU i32 [8,6] MOD
            10 ALU bool [9,3] CMPLT
            11 ALU bool [9,4] CMPLT
            12 ALU bool [9,5] CMPLT
            13 ALU i32 [8,6] DIV
            14 CAST i32x2 [13,2] -
            15 LOAD f32x4 [1,14] -
            16 GEP f32 [15] 0
            17 GEP f32 [15] 1
            18 GEP f32 [15] 2
            19 GEP f32 [15] 3
            20 ALU f32 [12,18,19] WHERE
            21 ALU f32 [11,17,20] WHERE
            22 ALU f32 [10,16,21] WHERE
            23 STORE - [0,7,22] -
        "#]],
    );
}

#[test]
fn axis_upcast_between_the_stages_of_a_reduction() {
    check(
        "%0 = load imagef[1,32,4] buf1 (1,8,16)\n\
         %1 = sum %0 axis(2)\n\
         store imagef[1,2,4] buf0 (1,8,1) %1\n",
        "opencl",
        "GROUPTOP:0:4 UPCASTMID:0:4",
        expect![[r#"
            ; r_2_4_4_4 global=[2,1,1]local=[4,4,1] 05f0bdec30ea1eeb
            ; opts GROUPTOP:0:4 UPCASTMID:0:4
            0 DEFINE_GLOBAL imagef[1,2,4] [] 0:out
            1 DEFINE_GLOBAL imagef[1,32,4] [] 1:in
            2 DEFINE_LOCAL f32* [] temp:16
            3 CONST i32 [] 0
            4 CONST i32 [] 1
            5 CONST i32 [] 2
            6 CONST i32 [] 3
            7 CONST i32 [] 4
            8 CONST i32 [] 16
            9 SPECIAL i32 [] 0:gidx0:2
            10 SPECIAL i32 [] 0:lidx1:4
            11 SPECIAL i32 [] 1:lidx2:4
            12 CAST i32x2 [9,3] -
            13 ALU i32 [9,8] MUL
            14 ALU i32 [10,7] MUL
            15 ALU i32 [11,7] MUL
            16 ALU i32 [13,10] ADD
            17 ALU i32 [14,11] ADD
            18 ALU bool [17,4] CMPLT
            19 ALU i32 [16,15] ADD
            20 CAST i32x2 [19,3] -
            21 LOAD f32x4 [1,20] -
            22 GEP f32 [21] 0
            23 GEP f32 [21] 1
            24 GEP f32 [21] 2
            25 GEP f32 [21] 3
            26 DEFINE_ACC f32 [27] f:0000000000000000:-1:0
            27 RANGE i32 [3,7] 2:0
            28 ALU bool [27,4] CMPLT
            29 ALU bool [27,5] CMPLT
            30 ALU bool [27,6] CMPLT
            31 ALU f32 [30,24,25] WHERE
            32 ALU f32 [29,23,31] WHERE
            33 ALU f32 [28,22,32] WHERE
            34 ALU f32 [33,26] ADD
            35 PHI f32 [26,34] -
            36 ENDRANGE - [27] -
            37 STORE - [2,17,35] -
            38 BARRIER - [37] -
            39 IF - [18,38] -
            40 DEFINE_ACC f32x4 [41] f:0000000000000000:0:0
            41 RANGE i32 [3,7] 3:1
            42 GEP f32 [40] 0
            43 GEP f32 [40] 1
            44 GEP f32 [40] 2
            45 GEP f32 [40] 3
            46 ALU i32 [41,7] MUL
            47 LOAD f32x4 [2,46,39] -
            48 GEP f32 [47] 0
            49 GEP f32 [47] 1
            50 GEP f32 [47] 2
            51 GEP f32 [47] 3
            52 ALU f32 [48,42] ADD
            53 ALU f32 [49,43] ADD
            54 ALU f32 [50,44] ADD
            55 ALU f32 [51,45] ADD
            56 CAST f32x4 [52,53,54,55] -
            57 PHI f32x4 [40,56] -
            58 ENDRANGE - [41] -
            59 STORE - [0,12,57] -
            60 ENDIF - [39] -
        "#]],
    );
}

#[test]
fn symbolic_sizes() {
    check(
        "var i [1,10] = 4\n\
         %0 = load f32 buf1 view((i,3):(3,1)+0)\n\
         %1 = const i32 i view((i,3):(0,0)+0)\n\
         %2 = cast f32 %1\n\
         %3 = mul %0 %2\n\
         store f32 buf0 view((i,3):(3,1)+0) %3\n",
        "opencl",
        "none",
        expect![[r#"
            ; E_<(i[1-10]*3)> global=[(i*3),1,1]local=[1,1,1] 469b603bc468bb77
            ; opts -
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 DEFINE_VAR i32 [] i[1,10]
            3 SPECIAL i32 [] 0:gidx0:(i*3)
            4 CAST f32 [2] -
            5 LOAD f32 [1,3] -
            6 ALU f32 [5,4] MUL
            7 STORE - [0,3,6] -
        "#]],
    );
    check(
        "var i [1,10] = 4\n\
         %0 = load f32 buf1 view((3,i):(10,1)+0)\n\
         %1 = sum %0 axis(1)\n\
         store f32 buf0 (3,1) %1\n",
        "opencl",
        "none",
        expect![[r#"
            ; r_3_<i[1-10]> global=[3,1,1]local=[1,1,1] 994ed175a7d1ab4b
            ; opts -
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 DEFINE_VAR i32 [] i[1,10]
            3 CONST i32 [] 0
            4 CONST i32 [] 10
            5 SPECIAL i32 [] 0:gidx0:3
            6 ALU i32 [5,4] MUL
            7 DEFINE_ACC f32 [8] f:0000000000000000:0:0
            8 RANGE i32 [3,2] 2:0
            9 ALU i32 [6,8] ADD
            10 LOAD f32 [1,9] -
            11 ALU f32 [10,7] ADD
            12 PHI f32 [7,11] -
            13 ENDRANGE - [8] -
            14 STORE - [0,5,12] -
        "#]],
    );
}

#[test]
fn matrix_instruction() {
    check(
        "%0 = load f32 buf1 view((16,16,16):(16,0,1)+0)\n\
         %1 = load f32 buf2 view((16,16,16):(0,1,16)+0)\n\
         %2 = mul %0 %1\n\
         %3 = sum %2 axis(2)\n\
         store f32 buf0 (16,16,1) %3\n",
        "metal",
        "hand",
        expect![[r#"
            ; r_2_4_2_2_2_8_2_2_2 global=[1,1,1]local=[8,2,2] 90b5125e06016a24
            ; opts TC:0:0 UPCAST:0:2 UPCAST:0:2
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 DEFINE_GLOBAL f32* [] 2:in
            3 CONST i32 [] 0
            4 CONST i32 [] 2
            5 CONST i32 [] 4
            6 CONST i32 [] 8
            7 CONST i32 [] 16
            8 CONST i32 [] 64
            9 CONST i32 [] 128
            10 CONST i32 [] 136
            11 SPECIAL i32 [] 0:lidx0:8
            12 SPECIAL i32 [] 1:lidx1:2
            13 SPECIAL i32 [] 2:lidx2:2
            14 ALU i32 [11,4] MOD
            15 ALU i32 [11,4] DIV
            16 ALU i32 [12,5] MUL
            17 ALU i32 [13,8] MUL
            18 ALU i32 [14,4] MUL
            19 ALU i32 [15,7] MUL
            20 ALU i32 [18,16] ADD
            21 ALU i32 [18,19] ADD
            22 ALU i32 [19,17] ADD
            23 ALU i32 [21,16] ADD
            24 ALU i32 [23,17] ADD
            25 ALU i32 [24,6] ADD
            26 ALU i32 [24,9] ADD
            27 ALU i32 [24,10] ADD
            28 DEFINE_ACC f32x2 [32] f:0000000000000000:0:0
            29 DEFINE_ACC f32x2 [32] f:0000000000000000:0:1
            30 DEFINE_ACC f32x2 [32] f:0000000000000000:0:2
            31 DEFINE_ACC f32x2 [32] f:0000000000000000:0:3
            32 RANGE i32 [3,4] 2:0
            33 GEP f32 [28] 0
            34 GEP f32 [29] 0
            35 GEP f32 [30] 0
            36 GEP f32 [31] 0
            37 GEP f32 [28] 1
            38 GEP f32 [29] 1
            39 GEP f32 [30] 1
            40 GEP f32 [31] 1
            41 CAST f32x2 [33,37] -
            42 CAST f32x2 [34,38] -
            43 CAST f32x2 [35,39] -
            44 CAST f32x2 [36,40] -
            45 ALU i32 [32,6] MUL
            46 ALU i32 [22,45] ADD
            47 ALU i32 [46,18] ADD
            48 ALU i32 [47,16] ADD
            49 ALU i32 [48,9] ADD
            50 ALU i32 [32,9] MUL
            51 ALU i32 [20,50] ADD
            52 ALU i32 [51,19] ADD
            53 ALU i32 [52,17] ADD
            54 ALU i32 [53,6] ADD
            55 LOAD f32x2 [1,48] -
            56 GEP f32 [55] 0
            57 GEP f32 [55] 1
            58 CAST f32x2 [56,57] -
            59 LOAD f32x2 [1,49] -
            60 GEP f32 [59] 0
            61 GEP f32 [59] 1
            62 CAST f32x2 [60,61] -
            63 LOAD f32x2 [2,53] -
            64 GEP f32 [63] 0
            65 GEP f32 [63] 1
            66 CAST f32x2 [64,65] -
            67 WMMA f32x2 [58,66,41] WMMA_8_8_8_float_float:8,8,8:f32:f32:2,2,2
            68 GEP f32 [67] 0
            69 GEP f32 [67] 1
            70 CAST f32x2 [68,69] -
            71 WMMA f32x2 [62,66,42] WMMA_8_8_8_float_float:8,8,8:f32:f32:2,2,2
            72 GEP f32 [71] 0
            73 GEP f32 [71] 1
            74 CAST f32x2 [72,73] -
            75 LOAD f32x2 [2,54] -
            76 GEP f32 [75] 0
            77 GEP f32 [75] 1
            78 CAST f32x2 [76,77] -
            79 WMMA f32x2 [58,78,43] WMMA_8_8_8_float_float:8,8,8:f32:f32:2,2,2
            80 GEP f32 [79] 0
            81 GEP f32 [79] 1
            82 CAST f32x2 [80,81] -
            83 WMMA f32x2 [62,78,44] WMMA_8_8_8_float_float:8,8,8:f32:f32:2,2,2
            84 GEP f32 [83] 0
            85 GEP f32 [83] 1
            86 CAST f32x2 [84,85] -
            87 PHI f32x2 [28,70] -
            88 PHI f32x2 [29,74] -
            89 PHI f32x2 [30,82] -
            90 PHI f32x2 [31,86] -
            91 ENDRANGE - [32] -
            92 STORE - [0,24,87] -
            93 STORE - [0,25,89] -
            94 STORE - [0,26,88] -
            95 STORE - [0,27,90] -
        "#]],
    );
}

#[test]
fn more_axes_than_launch_dimensions() {
    check(
        "%0 = load f32 buf1 (2,3,2,3,2) |> permute(4,3,2,1,0)\nstore f32 buf0 (2,3,2,3,2) %0\n",
        "opencl",
        "none",
        expect![[r#"
            ; C_2_3_2_3_2 global=[2,3,12]local=[1,1,1] ac6af2e29fd6f071
            ; opts -
            0 DEFINE_GLOBAL f32* [] 0:out
            1 DEFINE_GLOBAL f32* [] 1:in
            2 CONST i32 [] 2
            3 CONST i32 [] 3
            4 CONST i32 [] 6
            5 CONST i32 [] 12
            6 CONST i32 [] 36
            7 SPECIAL i32 [] 0:gidx2:2
            8 SPECIAL i32 [] 1:gidx1:3
            9 SPECIAL i32 [] 2:gidx0:12
            10 ALU i32 [7,6] MUL
            11 ALU i32 [8,2] MUL
            12 ALU i32 [8,5] MUL
            13 ALU i32 [9,2] MOD
            14 ALU i32 [9,2] DIV
            15 ALU i32 [9,4] DIV
            16 ALU i32 [13,6] MUL
            17 ALU i32 [14,3] MOD
            18 ALU i32 [15,4] MUL
            19 ALU i32 [17,2] MUL
            20 ALU i32 [13,19] ADD
            21 ALU i32 [20,18] ADD
            22 ALU i32 [17,5] MUL
            23 ALU i32 [16,22] ADD
            24 ALU i32 [23,18] ADD
            25 ALU i32 [21,12] ADD
            26 ALU i32 [24,11] ADD
            27 ALU i32 [25,10] ADD
            28 ALU i32 [26,7] ADD
            29 LOAD f32 [1,27] -
            30 STORE - [0,28,29] -
        "#]],
    );
}
