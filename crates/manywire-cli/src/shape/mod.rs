//! `manywire shape`: from samples or a schema to what they look like, in words or in code.

mod check;
mod compat;
mod evidence;
mod hold_out;
mod input;
mod lock;
mod misfits;
mod samples;
mod text;
mod whereabouts;
mod why;

use manywire_payload::{InputError, Place};
use serde_json::{Map, Value as Json};

use crate::arguments::Shape;
use crate::exit::{Exit, Refusal};
use crate::output;

use input::{Given, Known};

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
            hold_out::run(&samples, complaints, arguments.misfits, arguments.json)
        };
    }
    let (known, exit) = Known::of(given, arguments)?;
    if !arguments.check.is_empty() {
        return Ok(exit.and(check::run(&known, arguments)));
    }
    Ok(exit.and(output::print(&text::write(&known, arguments)?)))
}

/// The JSON document of an answer.
fn document(question: &str, answer: Json) -> String {
    let mut members = Map::new();
    members.insert("schema".to_owned(), "manywire.shape/1".into());
    members.insert(question.to_owned(), answer);
    format!("{:#}\n", Json::Object(members))
}

/// A place of an input as JSON, as far as it is known.
fn place(error: &InputError) -> Map<String, Json> {
    let mut members = Map::new();
    members.insert("file".to_owned(), (*error.file).into());
    match &error.place {
        Place::Text { line, column, .. } => {
            members.insert("line".to_owned(), (*line).into());
            members.insert("column".to_owned(), (*column).into());
        }
        Place::Byte(offset) => _ = members.insert("offset".to_owned(), (*offset).into()),
        Place::Whole => {}
    }
    members.insert("path".to_owned(), (*error.path).into());
    members
}
