//! `manywire formats`: prints the table of formats as text or JSON.

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
        text += &format!("{}: {}, {kind}, {}\n", row.name, row.title, row.specification);
        text += &format!("  media type   {}{aliases}\n", row.media_type);
        if !row.extensions.is_empty() {
            text += &format!("  extensions   {}\n", extensions(row.extensions));
        }
        for (index, form) in row.forms.iter().enumerate() {
            let head = if index == 0 { "as" } else { "" };
            let names = [&[form.name], form.aliases].concat().join(", ");
            text += &format!("  {head:11}  {names}: {}", form.about);
            if !form.extensions.is_empty() {
                text += &format!(" ({})", extensions(form.extensions));
            }
            text.push('\n');
        }
        text += &format!("  to read it   {schema}\n");
        text += &format!("  cannot hold  {}\n", row.cannot_hold.join("; "));
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
