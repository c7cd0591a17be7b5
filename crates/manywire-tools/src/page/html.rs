//! Text in HTML: escaping, data for the script, and hashes for the Content-Security-Policy.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Appends formatted text to a `String`.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($text)*).expect("a String takes everything");
    }};
}
pub(super) use put;

/// A text, escaped for the content of an element and for a quoted attribute.
///
/// Control characters and the marks that reorder text (U+202A–U+202E, U+2066–U+2069) are shown as
/// their code points, so that a key of a payload cannot disguise itself.
pub(super) struct Text<'a>(pub(super) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\n' => f.write_str(" ")?,
                '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(f, "U+{:04X}", u32::from(character))?;
                }
                character if character.is_control() => {
                    write!(f, "U+{:04X}", u32::from(character))?;
                }
                character => fmt::Write::write_char(f, character)?,
            }
        }
        Ok(())
    }
}

/// Returns a script element that carries a value as JSON under an id. No text in the value can end
/// the element.
pub(super) fn data(id: &str, value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let json = json.replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n")
}

/// Returns the hash of an inline script or style, as a Content-Security-Policy names it (CSP level
/// 3, section 2.3.1).
pub(super) fn source_hash(source: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(source)))
}

#[cfg(test)]
mod tests {
    use super::{Text, data};

    #[test]
    fn texts_cannot_leave_their_element_or_attribute() {
        let text = Text("</script><b a=\"x\" b='y'>&\u{202e}\u{7}").to_string();
        assert_eq!(text, "&lt;/script&gt;&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;U+202EU+0007");
        assert!(!data("d", &"</script><!--").contains("</script><!--"));
    }
}
