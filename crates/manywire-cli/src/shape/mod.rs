//! `manywire shape`: from samples or a schema to what they look like, in words or in code.

mod input;
mod text;

use crate::arguments::Shape;
use crate::exit::Exit;
use crate::output;

use input::Known;

/// What ends the command: how, and why in words.
type Refusal = (Exit, String);

/// Says what the inputs look like.
pub(crate) fn run(arguments: &Shape) -> Exit {
    match answer(arguments) {
        Ok(exit) => exit,
        Err((exit, message)) => {
            eprintln!("error: {message}");
            exit
        }
    }
}

fn answer(arguments: &Shape) -> Result<Exit, Refusal> {
    let given = input::read(arguments)?;
    let (known, exit) = Known::of(given, arguments)?;
    Ok(exit.and(output::print(&text::write(&known, arguments)?)))
}
