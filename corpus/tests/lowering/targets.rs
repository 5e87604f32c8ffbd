//! What targets and sizes bring: images, symbolic sizes, matrix instructions, launch dimensions.

use super::check;
use expect_test::expect;

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
