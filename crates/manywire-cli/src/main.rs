//! The `manywire` command.
//!
//! clap parses the arguments (`arguments`), one module per subcommand turns them into calls of the
//! other crates, and `output` and `exit` turn the results into text and an exit code.

mod arguments;
mod convert;
mod detect;
mod exit;
mod explain;
mod formats;
mod generate;
mod input;
mod lanes;
mod listen;
mod negotiate;
mod new;
mod output;
mod output_file;
mod play;
mod replay;
mod report;
mod serve;
mod shape;
mod signals;
#[cfg(test)]
mod suite_tests;
mod trial;
mod weigh;

use clap::Parser;

use arguments::{Arguments, Command};
use exit::Exit;

/// Counts allocations, which the built-in lane reports.
#[global_allocator]
static ALLOCATOR: manywire_meter::Counting = manywire_meter::Counting;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let exit = match arguments.command {
        Command::Weigh(arguments) => weigh::run(&arguments),
        Command::Trial(arguments) => trial::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Lanes(arguments) => lanes::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Negotiate(arguments) => negotiate::run(&arguments),
        Command::Shape(arguments) => shape::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Formats(arguments) => formats::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments),
        Command::Man => generate::man(),
        Command::Worker => work(),
    };
    exit.into()
}

/// Runs the hidden subcommand `worker`: the built-in lane of the `weigh` that launched it.
fn work() -> Exit {
    match manywire_tools::weigh::worker::work(
        &mut std::io::stdin().lock(),
        &mut std::io::stdout().lock(),
    ) {
        Ok(()) => Exit::Done,
        Err(error) => {
            eprintln!("{error}");
            Exit::Failed
        }
    }
}
