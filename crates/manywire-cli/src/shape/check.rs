//! `--check`: whether payloads fit, and where not.

use manywire_inspect::{Event, Options, Role, walk};
use manywire_shape::infer::{Misfit, fits};
use manywire_shape::{Arena, Shape};
use manywire_weigh::payload::{self, Corpus, InputError, Payload};
use serde_json::{Value as Json, json};

use super::{document, place};
use crate::arguments;
use crate::exit::Exit;
use crate::output;

/// Tries every payload against the shape.
pub(super) fn run(shape: &Shape, arguments: &arguments::Shape) -> Exit {
    let (payloads, mut unread) = payload::read(&arguments.check, arguments.from);
    let mut arena = Arena::new();
    let mut checked = 0;
    let mut misfits = Vec::new();
    for payload in &payloads {
        let (corpus, errors) = Corpus::load(std::slice::from_ref(payload), &arena);
        unread.extend(errors);
        for value in corpus.values() {
            checked += 1;
            if let Err(misfit) = fits(shape, &value) {
                misfits.push((located(payload, &misfit), misfit));
            }
        }
        arena.reset();
    }
    let fitting = checked - misfits.len();
    let all = checked > 0 && misfits.is_empty() && unread.is_empty();
    let exit = if all { Exit::Done } else { Exit::Failed };
    unread.iter().for_each(|error| eprintln!("error: {error}"));
    if arguments.json {
        return exit.and(output::print(&as_json(checked, fitting, &misfits, &unread)));
    }
    let mut text = String::new();
    for (error, _) in &misfits {
        text.push_str(&format!("{error}\n"));
    }
    let payloads = if checked == 1 { "payload fits" } else { "payloads fit" };
    text.push_str(&format!("{fitting} of {checked} {payloads}\n"));
    exit.and(output::print(&text))
}

/// The misfit at its place in the payload's own bytes.
pub(super) fn located(payload: &Payload, misfit: &Misfit) -> InputError {
    let message = format_args!("expected {}, found {}", misfit.expected, misfit.found);
    payload.fault(offset(payload, &misfit.path), &misfit.path, message)
}

/// Where the value at a path begins; of a key that stands there twice, the last, which counts.
fn offset(payload: &Payload, path: &str) -> Option<usize> {
    let mut found = None;
    let mut begun = false;
    walk(payload.format, &payload.bytes, Options::DEFAULT, &mut |event| match event {
        Event::Span(span) if span.path == path => {
            let opens = matches!(span.role, Role::Head | Role::Length | Role::Value | Role::Fixed);
            if opens && !begun {
                found = Some(span.range.start);
            }
            // The end of a container is of its path, too; its next key begins the value anew.
            begun = opens || (begun && span.role != Role::Key);
        }
        _ => {}
    });
    found
}

fn as_json(
    checked: usize,
    fitting: usize,
    misfits: &[(InputError, Misfit)],
    unread: &[InputError],
) -> String {
    let misfits = misfits.iter().map(|(error, misfit)| {
        let mut members = place(error);
        members.insert("expected".to_owned(), misfit.expected.as_str().into());
        members.insert("found".to_owned(), misfit.found.as_str().into());
        Json::Object(members)
    });
    let unread = unread.iter().map(|error| {
        let mut members = place(error);
        members.insert("message".to_owned(), error.message.as_str().into());
        Json::Object(members)
    });
    let answer = json!({
        "checked": checked,
        "fitting": fitting,
        "misfits": misfits.collect::<Vec<_>>(),
        "unreadable": unread.collect::<Vec<_>>(),
    });
    document("check", answer)
}
