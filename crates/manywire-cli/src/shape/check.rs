//! `--check`: whether payloads fit, and where not.

use manywire_payload::{InputError, Schema};
use serde_json::{Value as Json, json};

use super::input::Known;
use super::misfits::Found;
use super::samples::{Complaints, Samples};
use super::{document, place};
use crate::arguments;
use crate::exit::Exit;
use crate::output;

/// Tries every payload against the shape.
pub(super) fn run(known: &Known, arguments: &arguments::Shape) -> Exit {
    let mut complaints = Complaints::default();
    // What the bytes do not say is read by the schema that they are checked against.
    let schema = Schema { shape: known.shape.clone(), language: known.language.clone() };
    let how = super::input::how(arguments);
    let payloads = Samples::of(&arguments.check, how, Some(schema), &mut complaints);
    let mut found = Found::new(arguments.misfits);
    payloads.each(&mut complaints, &mut |form, file, item| {
        let index = found.checked;
        found.check(&known.shape, form, file, item, index);
    });
    let all = found.checked > 0 && found.fitting == found.checked;
    let exit = complaints.tell().and(if all { Exit::Done } else { Exit::Failed });
    if arguments.json {
        return exit.and(output::print(&as_json(&found, &complaints)));
    }
    let payloads = if found.checked == 1 { "payload fits" } else { "payloads fit" };
    let (text, fitting, checked) = (found.text(), found.fitting, found.checked);
    exit.and(output::print(&format!("{text}{fitting} of {checked} {payloads}\n")))
}

fn as_json(found: &Found, complaints: &Complaints) -> String {
    let unread = complaints.named.iter().map(|error: &InputError| {
        let mut members = place(error);
        members.insert("message".to_owned(), error.message.as_str().into());
        Json::Object(members)
    });
    let answer = json!({
        "checked": found.checked,
        "fitting": found.fitting,
        "misfits": found.json(|_, _| {}),
        "more_misfits": found.more,
        "unreadable": unread.collect::<Vec<_>>(),
        "more_unreadable": complaints.more,
    });
    document("check", answer)
}
