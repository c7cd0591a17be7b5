//! The `manywire` command: arguments become calls, results become output and an exit code.

mod arguments;
mod convert;
mod exit;
mod explain;
mod formats;
mod generate;
mod input;
mod lanes;
mod negotiate;
mod output;
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

/// Workers count what they allocate.
#[global_allocator]
static ALLOCATOR: manywire_meter::Counting = manywire_meter::Counting;

fn main() -> std::process::ExitCode {
    let arguments = Arguments::parse();
    let exit = match arguments.command {
        Command::Weigh(arguments) => weigh::run(&arguments),
        Command::Trial(arguments) => trial::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Lanes(arguments) => lanes::run(&arguments),
        Command::Negotiate(arguments) => negotiate::run(&arguments),
        Command::Shape(arguments) => shape::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Formats(arguments) => formats::run(&arguments),
        Command::Completions(arguments) => generate::completions(&arguments),
        Command::Man => generate::man(),
        Command::Worker => work(),
    };
    exit.into()
}

/// The hidden subcommand: the binary is its own measuring worker.
fn work() -> Exit {
    match manywire_tools::weigh::launch::work(
        &mut std::io::stdin().lock(),
        &mut std::io::stdout().lock(),
    ) {
        Ok(()) => Exit::Done,
        Err(reason) => {
            eprintln!("{reason}");
            Exit::Failed
        }
    }
}
