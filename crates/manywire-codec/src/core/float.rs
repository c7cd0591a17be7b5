//! Floats from one width to the other.

/// A 64-bit float as one of 32 bits that stands for the same number: exactly, or because both have
/// the same shortest decimal digits. `0.1` in a text is the nearest 64-bit float to whoever reads
/// it without knowing better, and means the nearest 32-bit float where the schema has one.
#[inline]
pub(crate) fn narrowed(wide: f64) -> Option<f32> {
    let narrow = wide as f32;
    if f64::from(narrow) == wide || wide.is_nan() { Some(narrow) } else { by_digits(wide, narrow) }
}

#[inline(never)]
fn by_digits(wide: f64, narrow: f32) -> Option<f32> {
    let (mut of_wide, mut of_narrow) = (zmij::Buffer::new(), zmij::Buffer::new());
    (narrow.is_finite() && of_wide.format(wide) == of_narrow.format(narrow)).then_some(narrow)
}
