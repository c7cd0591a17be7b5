//! `manywire formats`: prints the table of formats as text or JSON.

use std::fmt::Write;

use manywire_format::{FORMATS, FormRow, SchemaNeeds};

use crate::arguments::Formats;
use crate::exit::Exit;
use crate::output;

/// Prints the table of formats.
pub(crate) fn run(arguments: &Formats) -> Exit {
    output::print(&if arguments.json { json() } else { text() })
}

fn text() -> String {
    let mut text = String::new();
    for row in FORMATS {
        let schema = schema(row.schema);
        let kind = if row.text { "text" } else { "binary" };
        let aliases = if row.aliases.is_empty() {
            String::new()
        } else {
            format!(" (also {})", row.aliases.join(", "))
        };
        writeln!(text, "{}: {}, {kind}, {}", row.name, row.title, row.specification)
            .expect("writing to a string");
        writeln!(text, "  media type   {}{aliases}", row.media_type).expect("writing to a string");
        if !row.extensions.is_empty() {
            writeln!(text, "  extensions   {}", extensions(row.extensions))
                .expect("writing to a string");
        }
        for (index, form) in row.forms.iter().enumerate() {
            let head = if index == 0 { "as" } else { "" };
            let names = [&[form.name], form.aliases].concat().join(", ");
            write!(text, "  {head:11}  {names}: {}", form.about).expect("writing to a string");
            if !form.extensions.is_empty() {
                write!(text, " ({})", extensions(form.extensions)).expect("writing to a string");
            }
            text.push('\n');
        }
        writeln!(text, "  to read it   {schema}").expect("writing to a string");
        writeln!(text, "  cannot hold  {}", row.cannot_hold.join("; "))
            .expect("writing to a string");
    }
    text
}

/// Returns file extensions as text: `.ndjson, .jsonl`.
fn extensions(extensions: &[&str]) -> String {
    let dotted: Vec<String> = extensions.iter().map(|name| format!(".{name}")).collect();
    dotted.join(", ")
}

fn schema(schema: SchemaNeeds) -> &'static str {
    match schema {
        SchemaNeeds::InBand => "nothing but the bytes",
        SchemaNeeds::FieldOrder => "the order of the fields",
        SchemaNeeds::Shape => "the whole shape",
    }
}

fn json() -> String {
    let rows: Vec<serde_json::Value> = FORMATS
        .iter()
        .map(|row| {
            serde_json::json!({
                "name": row.name,
                "title": row.title,
                "media_type": row.media_type,
                "aliases": row.aliases,
                "extensions": row.extensions,
                "text": row.text,
                "reader_needs": schema(row.schema),
                "forms": row.forms.iter().map(form).collect::<Vec<_>>(),
                "cannot_hold": row.cannot_hold,
                "specification": row.specification,
            })
        })
        .collect();
    format!("{:#}\n", serde_json::Value::from(rows))
}

fn form(row: &FormRow) -> serde_json::Value {
    serde_json::json!({
        "name": row.name,
        "aliases": row.aliases,
        "extensions": row.extensions,
        "about": row.about,
    })
}
