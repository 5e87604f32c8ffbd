//! Every captured kernel: rendered in every language, and as C compiled without a warning.

use plumb_core::linearize::lower;
use plumb_core::render::{Language, RenderError, render};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The texts of the captured kernels, by file name.
fn kernels() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let mut kernels: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kernel"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    kernels.sort();
    kernels
}

/// What is refused, by language and reason, stands here: nothing else may be.
#[test]
fn every_captured_kernel_is_rendered() {
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut rendered = 0;
    for (name, text) in kernels() {
        let case = plumb_corpus::text::parse(&text).unwrap_or_else(|error| panic!("{name}: {}", error.show(&text)));
        let ast = Arc::new(case.kernel.ast().unwrap());
        for language in Language::ALL {
            let target = if language == Language::C { "clang" } else { language.name() };
            let target = Arc::new(Target::named(target).unwrap());
            let lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap();
            match render(&lowered, language, None) {
                Ok(source) => {
                    assert_eq!(source.text().matches('{').count(), source.text().matches('}').count(), "{name}");
                    rendered += 1;
                }
                Err(error @ RenderError::Unsupported { .. }) => *refused.entry(error.to_string()).or_default() += 1,
                Err(error) => panic!("{name} in {language}: {error}"),
            }
        }
    }
    let refused: Vec<String> = refused.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    expect_test::expect![[r#"
        10 c has no images
        10 cuda has no images
        10 hip has no images
        1 metal has no type f64"#]]
    .assert_eq(&refused.join("\n"));
    assert!(rendered > 2000, "{rendered} rendered");
}

/// All captured kernels as one file of C, which the compiler accepts with all warnings on.
#[test]
fn captured_kernels_compile_as_c() {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if Command::new(&compiler).arg("--version").output().is_err() {
        eprintln!("SKIPPED: no C compiler `{compiler}` (install gcc or clang, or set CC)");
        return;
    }
    let (mut declarations, mut functions) = (Vec::<String>::new(), String::new());
    for (number, (name, text)) in kernels().iter().enumerate() {
        let case = plumb_corpus::text::parse(text).unwrap();
        let ast = Arc::new(case.kernel.ast().unwrap());
        let target = Arc::new(Target::named("clang").unwrap());
        let lowered = lower(&ast, &target, &case.opts, &Rules::default()).unwrap();
        let Ok(source) = render(&lowered, Language::C, Some(&format!("kernel_{number}"))) else { continue };
        for declaration in source.declarations {
            if !declarations.contains(&declaration) {
                declarations.push(declaration);
            }
        }
        functions.push_str(&format!("// {name}\n{}", source.function));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kernels.c");
    std::fs::write(&file, declarations.concat() + &functions).unwrap();
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fsyntax-only"];
    let output = Command::new(&compiler).args(flags).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
