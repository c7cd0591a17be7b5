//! What tags cannot say: keys that no tag may hold, keys beyond the fields, and arrays of places.

use std::fmt::Write;

use super::quoted;

/// The keys of a struct.
#[derive(Debug, Default)]
pub(super) struct Keys {
    named: Vec<String>,
    /// Keys that encoding/json takes from no tag, the field of each, and whether it may be absent.
    odd: Vec<(String, String, bool)>,
    /// The field of all other keys, and the type of their values.
    pub(super) rest: Option<(String, String)>,
}

impl Keys {
    pub(super) fn add(&mut self, key: &str, field: &str, optional: bool) {
        self.named.push(key.to_owned());
        if !is_tag(key) {
            self.odd.push((key.to_owned(), field.to_owned(), optional));
        }
    }

    pub(super) fn need_methods(&self) -> bool {
        !self.odd.is_empty() || self.rest.is_some()
    }
}

/// Whether encoding/json takes this name from a tag (its `isValidTag`, for the letters that every
/// version of Unicode has).
pub(super) fn is_tag(key: &str) -> bool {
    let fine = |c: char| {
        c.is_ascii_alphanumeric()
            || "!#$%&()*+-./:;<=>?@[]^_{|}~ ".contains(c)
            || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ɏ' | 'Ѐ'..='ҁ' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='鿋' | '가'..='힣')
    };
    !key.is_empty() && key.chars().all(fine)
}

/// A key within a struct tag: a Go string within a raw one, which cannot hold its own quote.
pub(super) fn tag_text(key: &str) -> String {
    let text = quoted(key).replace('`', "\\x60");
    text[1..text.len() - 1].to_owned()
}

/// The name in a tag of vmihailenco/msgpack, whose grammar has quotes of its own. None for a key
/// that it takes for no name, or trims.
pub(super) fn msgpack_name(key: &str) -> Option<String> {
    let inner = key.replace('\'', "\\'");
    if key.is_empty() || key == "-" || key.trim() != key || key.contains("\\'") {
        None
    } else if key.contains([',', ':', '\'']) {
        Some(tag_text(&format!("'{inner}'")))
    } else {
        Some(tag_text(key))
    }
}

/// How a struct with keys that no tag names is read from JSON and written.
pub(super) fn record(out: &mut String, name: &str, keys: &Keys) {
    let _ = writeln!(out, "\n// UnmarshalJSON reads the keys that no tag can name, too.");
    let _ = writeln!(out, "func (v *{name}) UnmarshalJSON(data []byte) error {{");
    out.push_str("\ttype plain ");
    out.push_str(name);
    out.push_str(
        "\n\tif err := json.Unmarshal(data, (*plain)(v)); err != nil {\n\t\treturn err\n\t}\n\
         \tvar entries map[string]json.RawMessage\n\
         \tif err := json.Unmarshal(data, &entries); err != nil {\n\t\treturn err\n\t}\n",
    );
    for (key, field, _) in &keys.odd {
        let _ = writeln!(
            out,
            "\tif entry, ok := entries[{}]; ok {{\n\t\tif err := json.Unmarshal(entry, &v.{field}); err != nil {{\n\t\t\treturn err\n\t\t}}\n\t}}",
            quoted(key)
        );
    }
    if let Some((rest, ty)) = &keys.rest {
        let known: Vec<String> = keys.named.iter().map(|key| quoted(key)).collect();
        let _ = write!(
            out,
            "\tfor _, key := range []string{{{}}} {{\n\t\tdelete(entries, key)\n\t}}\n\
             \tv.{rest} = make(map[string]{ty}, len(entries))\n\
             \tfor key, entry := range entries {{\n\t\tvar value {ty}\n\
             \t\tif err := json.Unmarshal(entry, &value); err != nil {{\n\t\t\treturn err\n\t\t}}\n\
             \t\tv.{rest}[key] = value\n\t}}\n",
            known.join(", ")
        );
    }
    out.push_str("\treturn nil\n}\n");

    let _ = writeln!(out, "\n// MarshalJSON writes the keys that no tag can name, too.");
    let _ = writeln!(out, "func (v {name}) MarshalJSON() ([]byte, error) {{");
    let _ = write!(
        out,
        "\ttype plain {name}\n\ttext, err := json.Marshal(plain(v))\n\tif err != nil {{\n\t\treturn nil, err\n\t}}\n\
         \tentries := make(map[string]any)\n\
         \tvar raw map[string]json.RawMessage\n\
         \tif err := json.Unmarshal(text, &raw); err != nil {{\n\t\treturn nil, err\n\t}}\n\
         \tfor key, entry := range raw {{\n\t\tentries[key] = entry\n\t}}\n"
    );
    for (key, field, optional) in &keys.odd {
        let set = format!("entries[{}] = v.{field}", quoted(key));
        if *optional {
            let _ = writeln!(out, "\tif v.{field} != nil {{\n\t\t{set}\n\t}}");
        } else {
            let _ = writeln!(out, "\t{set}");
        }
    }
    if let Some((rest, _)) = &keys.rest {
        let _ =
            writeln!(out, "\tfor key, entry := range v.{rest} {{\n\t\tentries[key] = entry\n\t}}");
    }
    out.push_str("\treturn json.Marshal(entries)\n}\n");
}

/// A struct that is written as an array.
pub(super) fn tuple(out: &mut String, name: &str, types: &[String]) {
    let _ = writeln!(out, "type {name} struct {{");
    let marker = |name: &str, tag: &str| {
        (String::new(), [name.to_owned(), "struct{}".to_owned(), format!("`{tag}`")])
    };
    let mut rows =
        vec![marker("_msgpack", "msgpack:\",as_array\""), marker("_", "cbor:\",toarray\"")];
    let places = types.iter().enumerate();
    rows.extend(
        places.map(|(at, ty)| (String::new(), [format!("F{at}"), ty.clone(), String::new()])),
    );
    super::go::align(out, &rows);
    let places = |before: &str| {
        let all: Vec<String> = (0..types.len()).map(|at| format!("{before}v.F{at}")).collect();
        all.join(", ")
    };
    let _ = write!(
        out,
        "}}\n\n// UnmarshalJSON reads an array.\nfunc (v *{name}) UnmarshalJSON(data []byte) error {{\n\
         \tplaces := []any{{{}}}\n\treturn json.Unmarshal(data, &places)\n}}\n",
        places("&")
    );
    let _ = write!(
        out,
        "\n// MarshalJSON writes an array.\nfunc (v {name}) MarshalJSON() ([]byte, error) {{\n\
         \treturn json.Marshal([]any{{{}}})\n}}\n",
        places("")
    );
}
