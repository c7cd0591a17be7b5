//! `manywire completions` and `manywire man`, both generated from the declaration of the arguments.

use std::io;

use clap::CommandFactory;

use crate::arguments::{Arguments, Completions};
use crate::exit::Exit;
use crate::output;

/// Writes the completions for a shell.
pub(crate) fn completions(arguments: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "manywire", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Writes the man page of the command, followed by those of its subcommands.
pub(crate) fn man() -> Exit {
    let mut page = Vec::new();
    let mut command = Arguments::command();
    command.build();
    let render = |command: clap::Command, page: &mut Vec<u8>| -> io::Result<()> {
        clap_mangen::Man::new(command).render(page)
    };
    let visible = command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).cloned();
    let all: Vec<clap::Command> = std::iter::once(command.clone()).chain(visible).collect();
    match all.into_iter().try_for_each(|command| render(command, &mut page)) {
        Ok(()) => output::print(&String::from_utf8_lossy(&page)),
        Err(error) => {
            eprintln!("{error}");
            Exit::Failed
        }
    }
}
