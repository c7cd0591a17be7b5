//! The canonical digest of a value, as `lanes/CONTRACT.md` defines it.

use std::fmt;

use manywire_shape::{Space, Value};
use sha2::{Digest, Sha256};

/// The error for a value that has no digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DigestError {
    /// An extension of a space and code, which only some formats have.
    Extension(Space, u64),
    /// A key of this kind, which is not text, an integer or a Boolean.
    Key(&'static str),
    /// A number whose text is not a number.
    Number(String),
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DigestError::Extension(space, code) => {
                write!(f, "an extension ({space:?} {code}) has no digest")
            }
            DigestError::Key(kind) => write!(f, "{kind} as a key has no digest"),
            DigestError::Number(text) => write!(f, "{text:?} is not a number"),
        }
    }
}

impl std::error::Error for DigestError {}

/// Returns the SHA-256 of the canonical form of a value, in hexadecimal.
///
/// # Errors
///
/// Fails if the value contains an extension, a number whose text is not a number, or a key other
/// than text, an integer or a Boolean.
pub fn digest(value: &Value<'_>) -> Result<String, DigestError> {
    let mut form = Vec::new();
    canonical(value, &mut form)?;
    Ok(format!("{:x}", Sha256::digest(&form)))
}

/// Appends the canonical form. The recursion is as deep as the value, which the codec's depth limit
/// bounds.
fn canonical(value: &Value<'_>, out: &mut Vec<u8>) -> Result<(), DigestError> {
    match *value {
        Value::Null => out.push(b'n'),
        Value::Bool(truth) => out.push(if truth { b't' } else { b'f' }),
        Value::I64(number) | Value::Long(number) => whole(i128::from(number), out),
        Value::U64(number) => whole(i128::from(number), out),
        Value::Number(text) => {
            let nearest = text.parse().map_err(|_| DigestError::Number(text.to_owned()))?;
            float(nearest, out);
        }
        Value::F32(number) => float(f64::from(number), out),
        Value::F64(number) => float(number, out),
        Value::Str(text) => sized(b's', text.as_bytes(), out),
        Value::Bytes(bytes) => sized(b'b', bytes, out),
        Value::Array(items) => {
            head(b'a', items.len(), out);
            items.iter().try_for_each(|item| canonical(item, out))?;
        }
        Value::Map(entries) => map(entries, out)?,
        Value::Timestamp(time) => {
            out.extend_from_slice(format!("T{}.{};", time.seconds, time.nanoseconds).as_bytes());
        }
        Value::Ext(ext) => return Err(DigestError::Extension(ext.space, ext.code)),
    }
    Ok(())
}

fn map(entries: &[(Value<'_>, Value<'_>)], out: &mut Vec<u8>) -> Result<(), DigestError> {
    let mut forms = std::collections::BTreeMap::new();
    for (key, value) in entries {
        let text = key.key_text().ok_or_else(|| DigestError::Key(key.kind()))?;
        let mut name = Vec::new();
        sized(b's', text.as_bytes(), &mut name);
        if matches!(value, Value::Null) {
            forms.remove(&name);
            continue;
        }
        let mut form = Vec::new();
        canonical(value, &mut form)?;
        forms.insert(name, form);
    }
    head(b'm', forms.len(), out);
    for (name, form) in forms {
        out.extend(name);
        out.extend(form);
    }
    Ok(())
}

/// 2^64: the first integer beyond `u64`.
const WHOLE_END: f64 = 18_446_744_073_709_551_616.0;

/// -2^63: the least integer of `i64`.
const WHOLE_START: f64 = -9_223_372_036_854_775_808.0;

fn float(number: f64, out: &mut Vec<u8>) {
    if number.fract() == 0.0 && (WHOLE_START..WHOLE_END).contains(&number) {
        return whole(number as i128, out);
    }
    let bits = if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() };
    out.push(b'd');
    out.extend(bits.to_be_bytes());
}

fn whole(number: i128, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("i{number};").as_bytes());
}

fn sized(kind: u8, bytes: &[u8], out: &mut Vec<u8>) {
    head(kind, bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn head(kind: u8, count: usize, out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(format!("{count}:").as_bytes());
}

#[cfg(test)]
mod tests {
    use manywire_shape::{Arena, Value};

    use super::{canonical, digest};

    fn form(value: Value<'_>) -> String {
        let mut out = Vec::new();
        canonical(&value, &mut out).expect("a value with a digest");
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn canonical_form_matches_the_contract() {
        let items = [Value::Bool(true), Value::Null, Value::I64(-1)];
        let entries = [
            (Value::Str("b"), Value::Array(&items)),
            (Value::Str("absent"), Value::Null),
            (Value::Str("a"), Value::F64(2.0)),
        ];
        assert_eq!(form(Value::Map(&entries)), "m2:s1:ai2;s1:ba3:tni-1;");
        // Computed by another program from the same form.
        let expected = "753eddbe36da30a04f154a5ed778ff5998296c28ca51dddde331745cdb105fea";
        assert_eq!(digest(&Value::Map(&entries)).as_deref(), Ok(expected));
    }

    #[test]
    fn integers_have_one_form() {
        for two in [Value::I64(2), Value::Long(2), Value::F64(2.0), Value::F32(2.0)] {
            assert_eq!(form(two), "i2;");
        }
        assert_eq!(form(Value::F64(-0.0)), "i0;");
        assert_eq!(form(Value::U64(u64::MAX)), "i18446744073709551615;");
        assert_eq!(form(Value::F64(-9_223_372_036_854_775_808.0)), "i-9223372036854775808;");
        assert_eq!(
            digest(&Value::F64(1.5)).as_deref(),
            Ok("3e230c337144fa90267e8cb99b440c8b1f28f6b38db35fa4bdae13862a67e947")
        );
        // A number beyond 64 bits has the digest of its nearest double.
        let beyond = 18_446_744_073_709_551_616.0;
        assert_eq!(form(Value::Number("18446744073709551616")), form(Value::F64(beyond)));
        assert!(form(Value::F64(beyond)).starts_with('d'));
    }

    #[test]
    fn keys_are_text_and_the_last_duplicate_counts() {
        let arena = Arena::new();
        let map = |entries: &[(Value<'static>, i64)]| {
            let entries = entries.iter().map(|&(key, value)| (key, Value::I64(value)));
            form(Value::Map(arena.alloc_slice_fill_iter(entries.collect::<Vec<_>>())))
        };
        assert_eq!(map(&[(Value::I64(5), 1)]), map(&[(Value::Str("5"), 1)]));
        assert_eq!(map(&[(Value::Bool(true), 1)]), map(&[(Value::Str("true"), 1)]));
        assert_eq!(
            map(&[(Value::Str("k"), 1), (Value::Str("k"), 2)]),
            map(&[(Value::Str("k"), 2)])
        );
        let array = [(Value::Array(&[]), Value::Null)];
        assert!(digest(&Value::Map(&array)).unwrap_err().to_string().contains("key"));
    }
}
