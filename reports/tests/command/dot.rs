//! `plumb uops --dot`.

use super::{GOOD, plumb_in, shared};
use expect_test::expect;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Few uops: a copy.
const COPY: &str = "plumb case 1\ntarget opencl\n%0 = load f32 buf1 (4)\nstore f32 buf0 (4) %0\nopts LOCAL:0:2\n\
                    data exact seed 7\nexpect pass\n";

#[test]
fn the_graph_is_printed() {
    let ran = plumb_in(Path::new("."), &["uops", "-", "--dot"], COPY);
    assert_eq!(ran.status, 0, "{}", ran.err);
    expect![[r##"
        digraph "C_2_2" {
          graph [rankdir=LR, label="C_2_2 global=[2,1,1]local=[2,1,1]\nstandard input", labelloc=t, fontname="Helvetica"];
          node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=10];
          edge [arrowsize=0.6, color="#868e96", labelfontsize=8, labelfontcolor="#868e96", labeldistance=1.6];
          n0 [label="0 DEFINE_GLOBAL 0:out\nf32*", fillcolor="#ffe0b8"];
          n1 [label="1 DEFINE_GLOBAL 1:in\nf32*", fillcolor="#ffe0b8"];
          n2 [label="2 CONST 2\ni32", fillcolor="#e9ecef"];
          n3 [label="3 SPECIAL 0:gidx0:2\ni32", fillcolor="#c5d8ff"];
          n4 [label="4 SPECIAL 0:lidx1:2\ni32", fillcolor="#c5d8ff"];
          n5 [label="5 ALU MUL\ni32", fillcolor="#fff7bf"];
          n6 [label="6 ALU ADD\ni32", fillcolor="#fff7bf"];
          n7 [label="7 LOAD\nf32", fillcolor="#ffc9c9"];
          n8 [label="8 STORE", fillcolor="#b2f2bb"];
          n3 -> n5 [headlabel=0];
          n2 -> n5 [headlabel=1];
          n5 -> n6 [headlabel=0];
          n4 -> n6 [headlabel=1];
          n1 -> n7 [headlabel=0];
          n6 -> n7 [headlabel=1];
          n0 -> n8 [headlabel=0];
          n6 -> n8 [headlabel=1];
          n7 -> n8 [headlabel=2];
        }
    "##]].assert_eq(&ran.out);
}

/// Every edge joins two nodes, and there are as many as sources; ends of loops are left out.
#[test]
fn edges_join_nodes() {
    let text = plumb_in(Path::new("."), &["uops", "-"], GOOD).out;
    let graph = plumb_in(Path::new("."), &["uops", "-", "--dot"], GOOD).out;
    let uops = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let uops: Vec<&str> = uops.filter(|line| !line.contains(" ENDRANGE ")).collect();
    let sources =
        |line: &&str| line.split(['[', ']']).nth(1).map_or(0, |list| list.split(',').filter(|s| !s.is_empty()).count());
    let nodes: Vec<&str> = graph
        .lines()
        .filter(|line| line.contains("[label="))
        .map(|line| line.trim().split(' ').next().unwrap_or(""))
        .collect();
    let edges: Vec<&str> = graph.lines().filter(|line| line.contains(" -> ")).collect();
    assert_eq!(nodes.len(), uops.len());
    assert_eq!(edges.len(), uops.iter().map(sources).sum::<usize>());
    for edge in edges {
        let ends: Vec<&str> = edge.trim().trim_end_matches(';').split(' ').collect();
        assert!(nodes.contains(&ends[0]) && nodes.contains(&ends[2]), "{edge}");
    }
}

/// Graphviz, where it is installed, reads the graphs of real kernels.
#[test]
fn graphviz_reads_the_graphs() {
    let Some(log) = shared("data/sops.gz") else { return };
    let dot =
        Command::new("dot").arg("-Tcanon").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut dot) = dot else {
        eprintln!("SKIPPED: Graphviz (dot) is not installed");
        return;
    };
    let mut graphs = String::new();
    let log = log.display().to_string();
    for kernel in ["0", "1217", "7532", "10710"] {
        graphs.push_str(&plumb_in(Path::new("."), &["uops", &log, "--dot", "--kernel", kernel], "").out);
    }
    let count = graphs.matches("digraph ").count();
    assert_eq!(count, 4);
    let mut input = dot.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(graphs.as_bytes()));
    let output = dot.wait_with_output().expect("dot ends");
    writer.join().expect("the thread").expect("dot reads");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("digraph ").count(), count);
}
