//! `manywire shape`: from samples or a schema to what they look like, in words or in code.

mod check;
mod compat;
mod evidence;
mod input;
mod json;
mod misfits;
mod text;

use crate::arguments::Shape;
use crate::exit::{Exit, Refusal};
use crate::output;

use input::Given;
use text::Known;

/// Says what the inputs look like.
pub(crate) fn run(arguments: &Shape) -> Exit {
    Exit::of(answer(arguments))
}

fn answer(arguments: &Shape) -> Result<Exit, Refusal> {
    if let [old, new] = &arguments.compat[..] {
        return compat::run(old, new, arguments);
    }
    let given = input::read(arguments)?;
    if arguments.evidence || arguments.hold_out {
        let Given::Samples(samples, complaints) = given else {
            let option = if arguments.evidence { "--evidence" } else { "--hold-out" };
            return Err((Exit::Usage, format!("{option} needs samples, and this is a schema")));
        };
        return if arguments.evidence {
            evidence::run(&samples, complaints, arguments.json)
        } else {
            check::run_held_out(&samples, complaints, arguments.misfits, arguments.json)
        };
    }
    let (known, exit) = Known::of(given, arguments)?;
    if !arguments.check.is_empty() {
        return Ok(exit.and(check::run(&known, arguments)));
    }
    Ok(exit.and(output::print(&text::write(&known, arguments)?)))
}
