//! `bunraku completions`: what a shell completes, and the man pages: both made from the arguments themselves, so that they
//! can't say anything else than `--help` does.

use crate::render::{ColorChoice, MessageFormat, Renderer};
use crate::{FAILED, output};
use clap::{Arg, ArgGroup, Args, Command, Id, ValueEnum};
use clap_complete::Shell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Print what a shell completes, or write the man pages.
#[derive(Args)]
pub struct Arguments {
    /// Whose completions are printed; `man`: the manual is written.
    #[arg(value_name = "SHELL")]
    what: What,
    /// Folder that gets the manual: a page for the command and one for each subcommand.
    #[arg(short, long, value_name = "DIR", required_if_eq("what", "man"))]
    output: Option<PathBuf>,
    #[command(flatten)]
    color: ColorChoice,
}

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// For `/usr/share/bash-completion/completions/bunraku`.
    Bash,
    /// For `_bunraku` in a folder of `$fpath`.
    Zsh,
    /// For `~/.config/fish/completions/bunraku.fish`.
    Fish,
    /// Pages of section 1.
    Man,
}

/// Runs the subcommand; `command` is the whole of the arguments.
pub fn run(arguments: &Arguments, mut command: Command) -> ExitCode {
    let mut renderer = Renderer::stderr(arguments.color.color, MessageFormat::Text);
    if arguments.what == What::Man {
        return manual(command, arguments.output.as_deref().unwrap_or(Path::new(".")), &mut renderer);
    }
    // The arguments of subcommands are put together by this.
    command.build();
    let mut command = without_hidden(&command);
    command.build();
    let shell = match arguments.what {
        What::Bash => Shell::Bash,
        What::Zsh => Shell::Zsh,
        What::Fish | What::Man => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "bunraku", &mut script);
    output::finish(&mut renderer, &String::from_utf8_lossy(&script), "the completions", ExitCode::SUCCESS)
}

/// Writes a page for each command, those below others included, into a folder that is made if it is not there.
fn manual(command: Command, folder: &Path, renderer: &mut Renderer) -> ExitCode {
    let mut command = without_help(command);
    command.build();
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let folder = folder.display();
            renderer.failure(&format!("Could not write the manual into {folder}: {error}"), FAILED)
        }
    }
}

/// The same commands, which have been built, without the arguments that help does not show: shells would offer what is refused.
fn without_hidden(command: &Command) -> Command {
    let shown = |argument: &&Arg| !argument.is_hide_set();
    let hidden: Vec<&Id> = command.get_arguments().filter(|one| !shown(one)).map(Arg::get_id).collect();
    let groups = command.get_groups().map(|group| {
        let members = group.get_args().filter(|member| !hidden.contains(member)).cloned();
        ArgGroup::new(group.get_id().clone()).args(members).multiple(true)
    });
    // Help and version are among the arguments by now, and the command `help` among the subcommands.
    // Names live as long as the process, which ends behind this.
    let name: &'static str = command.get_name().to_owned().leak();
    let bare = Command::new(name).version(env!("CARGO_PKG_VERSION"));
    let mut bare = bare.disable_help_flag(true).disable_version_flag(true).disable_help_subcommand(true);
    if let Some(about) = command.get_about() {
        bare = bare.about(about.clone());
    }
    bare.args(command.get_arguments().filter(shown).cloned())
        .groups(groups)
        .subcommands(command.get_subcommands().map(without_hidden))
}

/// The same commands without `help`, which would have a page for each of them once more.
fn without_help(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = command.disable_help_subcommand(true);
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_help))
}
