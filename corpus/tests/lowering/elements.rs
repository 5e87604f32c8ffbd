//! Element by element: vectors, padding, several outputs.

use super::check;
use expect_test::expect;

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
