//! Kernels that write one element twice, or that read what another work item writes, are refused with a sentence that says
//! so; those that only look like it are not.

use plumb_corpus::text;

/// What a case of these steps is refused with; empty where it is not.
fn refusal(steps: &str) -> String {
    match text::parse(&format!("plumb case 1\ntarget opencl\n{steps}\n")) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_element_is_stored_to_once() {
    let load = "%0 = load f32 buf1 (4,2)";
    for (store, expected) in [
        ("view((4,2):(1,1)+0)", "element 1 is stored to twice, from [0, 1] and from [1, 0]"),
        ("view((4,2):(2,0)+0)", "element 0 is stored to twice"),
        ("(4,1) |> expand(4,2)", "element 0 is stored to twice"),
        ("view((4,2):(3,2)+0)", ""),
        ("view((4,2):(-2,1)+6)", ""),
        ("(2,4) |> permute(1,0)", ""),
        ("view((8):(1)+0) |> view((4,2):(1,4)+0)", ""),
    ] {
        let found = refusal(&format!("{load}\nstore f32 buf0 {store} %0"));
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{store}: {found}");
    }
    let large = "%0 = load f32 buf1 (2000,2000)\nstore f32 buf0 view((2000,2000):(1,1)+0) %0";
    assert!(refusal(large).contains("is stored to twice"), "{}", refusal(large));
}

#[test]
fn nothing_is_read_that_another_work_item_writes() {
    for (load, store, expected) in [
        ("(4,4) |> permute(1,0)", "(4,4)", "the work item of [0, 1] reads element 4, which that of [1, 0] writes"),
        ("(5000,5000) |> permute(1,0)", "(5000,5000)", "which that of"),
        ("(16) |> stride(-1) |> reshape(4,4)", "(4,4)", "which that of"),
        ("(4,1) |> expand(4,4)", "(4,4)", "which that of"),
        ("(4,4) |> pad((0,0),(1,0)) |> shrink((0,4),(0,4))", "(4,4)", "which that of"),
        // In place, by the same or by another way; and another part of the buffer.
        ("(4,4)", "(4,4)", ""),
        ("(16) |> reshape(4,4)", "(4,4)", ""),
        ("(4,4) |> permute(1,0) |> permute(1,0)", "view((4,4):(4,1)+0)", ""),
        ("(2,4,4) |> shrink((1,2),(0,4),(0,4)) |> reshape(4,4) |> permute(1,0)", "view((4,4):(4,1)+0)", ""),
    ] {
        let found = refusal(&format!("%0 = load f32 buf0 {load}\nstore f32 buf0 {store} %0"));
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{load}: {found}");
    }
    // Along an axis that is reduced all is read by one work item.
    let rows = "%0 = load f32 buf0 view((4,4):(1,0)+0)\n%1 = load f32 buf1 (4,4)\n%2 = mul %0 %1\n%3 = sum %2 axis(1)";
    assert_eq!(refusal(&format!("{rows}\nstore f32 buf0 (4,1) %3")), "");
    let columns = rows.replace("(1,0)", "(0,1)");
    assert!(refusal(&format!("{columns}\nstore f32 buf0 (4,1) %3")).contains("reads element 1"));
}

#[test]
fn indices_are_of_32_bits() {
    for layout in ["(281474976710656)", "view((2,2):(4294967296,1)+0)", "(65536,65536) |> shrink((0,1),(0,4))"] {
        let found = refusal(&format!("%0 = load f32 buf1 {layout}\nstore f32 buf0 (4) %0"));
        assert!(found.contains("indices are of 32 bits"), "{layout}: {found}");
    }
}

#[test]
fn errors_spell_constants_as_cases_do() {
    let found = refusal("%0 = const i32 nan (4)\nstore i32 buf0 (4) %0");
    assert!(found.contains("constant of i32") && !found.contains("Float("), "{found}");
}
