//! `manywire shape`: infers the shape of samples or reads it from a schema, and writes it as a schema
//! or as types, or answers a question about it.

mod check;
mod compat;
mod evidence;
mod input;
mod json;
mod misfits;
mod text;

use crate::arguments::Shape;
use crate::exit::{CommandError, Exit, usage};
use crate::output;

use input::ShapeInput;

/// Runs `shape`.
pub(crate) fn run(arguments: &Shape) -> Exit {
    Exit::of(shape(arguments))
}

fn shape(arguments: &Shape) -> Result<Exit, CommandError> {
    if let [old, new] = &arguments.compat[..] {
        return compat::run(old, new, arguments);
    }
    let is_question = arguments.evidence || arguments.hold_out || !arguments.check.is_empty();
    if arguments.json && !is_question {
        return Err(usage(
            "--json prints the answer of --evidence, --hold-out, --check or --compat; for the \
             shape as JSON, use --as jsonschema",
        ));
    }
    let shape_input = input::read(arguments)?;
    if arguments.evidence || arguments.hold_out {
        let ShapeInput::Samples(samples, errors) = shape_input else {
            let option = if arguments.evidence { "--evidence" } else { "--hold-out" };
            return Err(usage(format!("{option} needs samples, and this is a schema")));
        };
        return if arguments.evidence {
            evidence::run(&samples, errors, arguments.json)
        } else {
            check::run_hold_out(&samples, errors, arguments.misfits, arguments.json)
        };
    }
    let (resolved, exit) = text::resolve(shape_input, arguments)?;
    if !arguments.check.is_empty() {
        return Ok(exit.and(check::run(&resolved, arguments)));
    }
    Ok(exit.and(output::print(&text::write(&resolved, arguments)?)))
}
