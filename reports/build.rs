//! Lets the programs of this crate find the Z3 library that the set-up fetched.

fn main() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(".plumb").join("z3").join("lib");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", root.display());
}
