use plumb_core::kernel::{Kernel, OptPlan};
use plumb_core::rule::Rules;
use plumb_core::target::Target;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
fn best<T>(mut f: impl FnMut() -> T) -> Duration {
    (0..9).map(|_| { let t = Instant::now(); std::hint::black_box(f()); t.elapsed() }).min().unwrap()
}
fn report(name: &str, times: &mut Vec<(Duration, usize)>) {
    let sum: Duration = times.iter().map(|t| t.0).sum();
    times.sort();
    let n = times.len();
    println!("{name}: mean {:?} median {:?} p90 {:?} p99 {:?} max {:?}", sum / n as u32, times[n / 2].0, times[n * 9 / 10].0, times[n * 99 / 100].0, &times[n - 4..]);
}
fn main() {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open("/work/shared/data/sops.gz").unwrap()).read_to_string(&mut text).unwrap();
    let step: usize = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(20);
    let asts: Vec<_> = text.lines().enumerate().step_by(step).map(|(i, l)| (i, Arc::new(plumb_corpus::log::parse_line(l, 1).unwrap().kernel.ast().unwrap()))).collect();
    for name in ["opencl", "metal"] {
        let target = Arc::new(Target::named(name).unwrap());
        let rules = Rules::default();
        let mut arena = vec![]; let mut new = vec![]; let mut hand = vec![]; let mut actions = vec![]; let mut clone = vec![];
        for (i, ast) in &asts {
            arena.push((best(|| ast.symbols.clone()), *i));
            new.push((best(|| Kernel::new(ast, &target, &rules).unwrap()), *i));
            hand.push((best(|| { let mut k = Kernel::new(ast, &target, &rules).unwrap(); k.apply_plan(&OptPlan::Hand).unwrap(); k }), *i));
            let k = Kernel::new(ast, &target, &rules).unwrap();
            clone.push((best(|| k.clone()), *i));
            if i % (step * 10) == 0 { actions.push((best(|| k.actions()), *i)); }
        }
        println!("{name}");
        report("arena clone", &mut arena); report("new", &mut new); report("hand", &mut hand); report("clone", &mut clone); report("actions", &mut actions);
    }
}
