//! What grows with what: cost and memory a resource, catalogs a second by threads, a fleet.

use crate::results::{Figures, number};
use crate::target::{compile, frozen};
use crate::warm;
use ::bunraku::bench::{self, Target};
use ::bunraku::{Compiler, Environment, Node, Settings, Spent};
use bunraku_tests::used::used;
use bunraku_tests::{bunraku, control_repo};
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

const SIZES: [usize; 4] = [400, 3_000, 10_000, 30_000];
/// How often one thread and two are measured, by turns.
const TURNS: usize = 3;

/// A program with so many resources, a third of them defined types.
fn program(resources: usize) -> String {
    format!(
        "define pair(Integer $n) {{ file {{ \"/a/${{n}}\": ensure => file, mode => '0644', content => \"a ${{n}}\" }}\n\
         user {{ \"u${{n}}\": uid => $n, require => File[\"/a/${{n}}\"] }} }}\n\
         Integer[1, {}].each |$i| {{ pair {{ \"p${{i}}\": n => $i }} }}",
        resources / 3
    )
}

/// Code and nothing else.
fn target(code: &str) -> Target {
    Target {
        environment: Environment::of_code(code),
        node: Node::new("localhost"),
        settings: Settings::default(),
    }
}

/// Cost and memory a resource.
///
/// # Errors
/// When something can't be compiled.
pub fn sizes(rounds: usize) -> Result<String, String> {
    let mut out = String::from(
        "### Cost and memory a resource\n\nWarm compiles of a defined type declared in a loop, with two resources in each. \
         Memory is the process's greatest, less that of a process with an empty catalog and less the JSON.\n\n\
         | resources | compile | a resource | memory a resource beyond the output |\n| ---: | ---: | ---: | ---: |\n",
    );
    let binary = bunraku::binary()?;
    let memory = |code: &str| {
        let args = ["compile", "-e", code, "-o", "/dev/null"];
        Ok::<_, String>(used(3, &binary, &args)?.own_mib * 1024.0 * 1024.0)
    };
    let empty = memory("")?;
    let compiler = Compiler::new();
    let mut costs = Vec::new();
    for size in SIZES {
        let code = program(size);
        let target = target(&code);
        let run = || compile(&compiler, &target).result.map_err(|diagnostic| diagnostic.message);
        let bytes = warm::warmed(&compiler, &target)?;
        let mut figures = Figures::new();
        let times = (30_000 / size).max(1);
        for _ in 0..rounds {
            let started = Instant::now();
            for _ in 0..times {
                black_box(run()?);
            }
            figures.push(started.elapsed().as_secs_f64() / times as f64);
        }
        let cost = figures.median() * 1e6 / size as f64;
        costs.push(cost);
        let beyond = (memory(&code)? - empty - bytes as f64) / size as f64;
        let _ = writeln!(
            out,
            "| {size} | {} ms | {} µs | {beyond:.0} B |",
            number(figures.median() * 1e3),
            number(cost)
        );
    }
    let most = costs.iter().copied().fold(f64::MIN, f64::max);
    let least = costs.iter().copied().fold(f64::MAX, f64::min);
    let _ = writeln!(out, "\nThe dearest resource costs {:.2} times the cheapest.", most / least);
    Ok(out)
}

/// Throughput with one thread and with two, and a fleet.
///
/// # Errors
/// When a node can't be compiled.
pub fn threads(work: &Path, rounds: usize) -> Result<String, String> {
    let mut out = String::from(
        "### Threads\n\n| work | 1 thread | 2 threads | ratio | in ERB | in functions in Ruby | writing JSON |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let nodes = control_repo::NODES.map(|node| frozen(&control_repo::job(node), work, "control-repo"));
    let nodes: Vec<Target> = nodes.into_iter().collect::<Result<_, _>>()?;
    let plain: Vec<Target> = SIZES[..2].iter().map(|size| target(&program(*size))).collect();
    let fleet = bench::fleet(&nodes, 500);
    let works = [
        ("the five machines", &nodes, rounds * 3),
        ("400 and 3,000 resources without Ruby", &plain, rounds * 30),
        ("a fleet: 500 machines of the four kinds", &fleet, 1),
    ];
    for (name, targets, rounds) in works {
        // By turns: what else the machine does in the meantime is to be in both.
        let (mut ones, mut twos, mut ratios) = (Figures::new(), Figures::new(), Figures::new());
        let mut last = None;
        for _ in 0..TURNS {
            let one = bench::run(&Compiler::new(), targets, rounds, 1)?;
            let two = bench::run(&Compiler::new(), targets, rounds, 2)?;
            ones.push(one.rate());
            twos.push(two.rate());
            ratios.push(two.rate() / one.rate());
            last = Some(two);
        }
        let Some(two) = last else { continue };
        let share = |part: fn(&Spent) -> std::time::Duration| two.share(part) * 1e2;
        let row = format!(
            "| {name} | {} a second | {} a second | {:.2} ({:.2}–{:.2}) | {:.0} % | {:.0} % | {:.0} % |",
            number(ones.median()),
            number(twos.median()),
            ratios.median(),
            ratios.least(),
            ratios.greatest(),
            share(|spent| spent.templates),
            share(|spent| spent.functions),
            share(|spent| spent.json),
        );
        eprintln!("{row}");
        let _ = writeln!(out, "{row}");
    }
    Ok(out)
}
