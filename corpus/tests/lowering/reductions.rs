//! Reductions: in loops, shared by lanes, in two stages.

use super::check;
use expect_test::expect;

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
