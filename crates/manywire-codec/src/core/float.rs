//! Conversion of floats to a narrower width.

/// Converts a 64-bit float to a 32-bit float if the conversion is exact or both floats have the
/// same shortest decimal digits. Returns `None` for any other number. A reader without a schema
/// reads the text `0.1` as the nearest 64-bit float; where the schema has a 32-bit float, the text
/// means the nearest 32-bit float.
#[inline]
pub(crate) fn narrow_to_f32(wide: f64) -> Option<f32> {
    let narrow = wide as f32;
    if f64::from(narrow) == wide || wide.is_nan() {
        Some(narrow)
    } else {
        narrow_by_digits(wide, narrow)
    }
}

#[inline(never)]
fn narrow_by_digits(wide: f64, narrow: f32) -> Option<f32> {
    let (mut wide_text, mut narrow_text) = (zmij::Buffer::new(), zmij::Buffer::new());
    (narrow.is_finite() && wide_text.format(wide) == narrow_text.format(narrow)).then_some(narrow)
}
