//! Warm compiles, by turns with real Puppet's: a process each that has read the code before.

use crate::cases::Case;
use crate::puppet::Puppet;
use crate::results::{Figures, number};
use crate::target::{compile, frozen};
use bunraku::bench::Target;
use bunraku::{Compiler, Spent};
use bunraku_tests::control_repo;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Compiles a target until nothing is new to the compiler any more; the bytes of its catalog.
///
/// # Errors
/// When it can't be compiled.
pub fn warmed(compiler: &Compiler, target: &Target) -> Result<usize, String> {
    let (mut bytes, started) = (0, Instant::now());
    while bytes == 0 || started.elapsed().as_millis() < 400 {
        bytes = compile(compiler, target).result.map_err(|diagnostic| diagnostic.message)?.to_json().len();
    }
    Ok(bytes)
}

/// The same job on both sides, by turns.
pub struct Pair<'a> {
    /// Resources of the catalog.
    pub resources: u64,
    /// Bytes of ours.
    pub bytes: usize,
    compiler: &'a Compiler,
    target: &'a Target,
    times: usize,
}

/// One turn: milliseconds.
struct Turn {
    puppet: f64,
    puppet_templates: f64,
    ours: f64,
    spent: Spent,
}

impl<'a> Pair<'a> {
    /// Both compile some times, until nothing is new to them any more.
    ///
    /// # Errors
    /// When one of them can't.
    pub fn new(
        puppet: &mut Puppet,
        compiler: &'a Compiler,
        case: &Case,
        target: &'a Target,
    ) -> Result<Self, String> {
        puppet.add(&case.name, &case.job)?;
        puppet.run(&case.name)?;
        let resources = puppet.run(&case.name)?.resources;
        let bytes = warmed(compiler, target)?;
        let mut pair = Pair { resources, bytes, compiler, target, times: 1 };
        // As often as the clock needs, and as it takes to forget the other process's turn.
        pair.times = (200.0 / pair.ours()?.0).clamp(1.0, 200.0) as usize;
        Ok(pair)
    }

    fn ours(&self) -> Result<(f64, Spent), String> {
        let (started, mut spent) = (Instant::now(), Spent::default());
        for _ in 0..self.times {
            let outcome = compile(self.compiler, self.target);
            black_box(outcome.result.map_err(|diagnostic| diagnostic.message)?);
            spent += outcome.spent;
        }
        Ok((started.elapsed().as_secs_f64() * 1e3 / self.times as f64, spent))
    }

    fn turn(&self, puppet: &mut Puppet, name: &str) -> Result<Turn, String> {
        let theirs = puppet.run(name)?;
        let (ours, spent) = self.ours()?;
        Ok(Turn { puppet: theirs.milliseconds, puppet_templates: theirs.templates, ours, spent })
    }

    /// What a part of our compile took, in milliseconds.
    fn part(&self, part: std::time::Duration) -> f64 {
        part.as_secs_f64() * 1e3 / self.times as f64
    }
}

fn ratio(figures: &Figures) -> String {
    let digits = usize::from(figures.median() < 10.0);
    format!("{:.digits$} ({:.digits$}–{:.digits$})", figures.median(), figures.least(), figures.greatest())
}

/// The small programs.
///
/// # Errors
/// When a side can't compile one.
pub fn programs(
    title: &str,
    cases: &[&Case],
    work: &Path,
    puppet: &mut Puppet,
    rounds: usize,
) -> Result<String, String> {
    let compiler = Compiler::new();
    let mut out = format!(
        "### {title}\n\nIn one process each, run by turns ({rounds} rounds): from the node to the JSON an agent is \
         sent. Environments are opened once, ours from a frozen archive. The ratio is the median of the rounds' own, \
         with the least and the greatest.\n\n| program | resources | Puppet 7.23 | Bunraku | ratio |\n\
         | --- | ---: | ---: | ---: | ---: |\n"
    );
    for (number_of_case, case) in cases.iter().enumerate() {
        let failed = |error: String| format!("{}: {error}", case.name);
        let target = frozen(&case.job, work, &format!("{}{number_of_case}", title.len())).map_err(failed)?;
        let pair = Pair::new(puppet, &compiler, case, &target).map_err(failed)?;
        let (mut theirs, mut ours, mut ratios) = (Figures::new(), Figures::new(), Figures::new());
        for _ in 0..rounds {
            let turn = pair.turn(puppet, &case.name).map_err(failed)?;
            theirs.push(turn.puppet);
            ours.push(turn.ours);
            ratios.push(turn.puppet / turn.ours);
        }
        let row = format!(
            "| {} | {} | {} ms | {} ms | {} |",
            case.name,
            pair.resources,
            number(theirs.median()),
            number(ours.median()),
            ratio(&ratios)
        );
        eprintln!("{row}");
        let _ = writeln!(out, "{row}");
    }
    Ok(out)
}

/// The five machines of the control repo.
///
/// # Errors
/// When a side can't compile one.
pub fn nodes(work: &Path, puppet: &mut Puppet, rounds: usize) -> Result<String, String> {
    let compiler = Compiler::new();
    let mut out = format!(
        "### The control repo's machines, warm\n\nAs above ({rounds} rounds). ERB is counted apart: what \
         Ruby renders in Puppet is mostly rendered natively here, and *without ERB* is the time that is left of each. *Ruby functions* is what remains in our worker after \
         that. *Writing JSON* is the time our own serialiser took within the compile.\n\n\
         | machine | resources | Puppet 7.23 | Bunraku | ratio | Puppet without ERB | ours without ERB | ratio | \
         Ruby functions | ratio without them, too | writing JSON | all but Ruby in such times |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    );
    let mut all = [Figures::new(), Figures::new(), Figures::new()];
    for node in control_repo::NODES {
        let failed = |error: String| format!("{node}: {error}");
        let case = Case { name: node.to_owned(), job: control_repo::job(node) };
        let target = frozen(&case.job, work, "control-repo").map_err(failed)?;
        let pair = Pair::new(puppet, &compiler, &case, &target).map_err(failed)?;
        let mut columns: [Figures; 9] = Default::default();
        for _ in 0..rounds {
            let turn = pair.turn(puppet, node).map_err(failed)?;
            let bare = turn.puppet - turn.puppet_templates;
            let ours = turn.ours - pair.part(turn.spent.templates + turn.spent.native_templates);
            let functions = pair.part(turn.spent.functions);
            let json = pair.part(turn.spent.json);
            let alone = ours - functions;
            let figures = [
                turn.puppet,
                turn.ours,
                turn.puppet / turn.ours,
                bare,
                ours,
                bare / ours,
                functions,
                bare / alone,
                json,
            ];
            columns.iter_mut().zip(figures).for_each(|(column, figure)| column.push(figure));
        }
        let [theirs, ours, whole, bare, alone, without, functions, neither, json] = &columns;
        let ms = |figures: &Figures| format!("{} ms", number(figures.median()));
        let row = format!(
            "| {node} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} |",
            pair.resources,
            ms(theirs),
            ms(ours),
            ratio(whole),
            ms(bare),
            ms(alone),
            ratio(without),
            ms(functions),
            ratio(neither),
            ms(json),
            (alone.median() - functions.median()) / json.median()
        );
        eprintln!("{row}");
        let _ = writeln!(out, "{row}");
        all.iter_mut().zip([whole, without, neither]).for_each(|(all, one)| all.push(one.median()));
    }
    let _ = writeln!(
        out,
        "\nThe median over the machines: {:.0} times, {:.0} without ERB, {:.0} with neither ERB nor functions in Ruby.",
        all[0].median(),
        all[1].median(),
        all[2].median()
    );
    Ok(out)
}
