//! Floats from one width to another, bit by bit: the processor's own conversions may change the
//! payload of a NaN.

/// What a half-precision float says (RFC 8949, appendix D), in single precision, which holds all
/// of them.
pub(super) fn f32_of_f16(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 0x1f);
    let mantissa = u32::from(half & 0x3ff);
    let magnitude = match (exponent, mantissa) {
        (0, 0) => 0,
        (0, _) => {
            // Subnormal: the highest bit that is set becomes the hidden one.
            let shift = mantissa.leading_zeros() - 21;
            (113 - shift) << 23 | (mantissa << shift & 0x3ff) << 13
        }
        (0x1f, _) => 0xff << 23 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The half-precision float that says the same, to the last bit of a NaN, if there is one.
pub(super) fn f16_of_f32(single: f32) -> Option<u16> {
    let bits = single.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = bits >> 23 & 0xff;
    let mantissa = bits & 0x7f_ffff;
    let magnitude = match exponent {
        0 if mantissa == 0 => 0,
        0xff => 0x1f << 10 | shifted(mantissa, 13)?,
        113..=142 => (exponent - 112) << 10 | shifted(mantissa, 13)?,
        // Subnormal in half precision: the hidden bit moves into the mantissa.
        103..=112 => shifted(mantissa | 0x80_0000, 126 - exponent)?,
        _ => return None,
    };
    Some(sign | magnitude as u16)
}

/// The single-precision float that says the same, to the last bit of a NaN, if there is one.
pub(super) fn f32_of_f64(double: f64) -> Option<f32> {
    if double.is_nan() {
        let bits = double.to_bits();
        let sign = (bits >> 32) as u32 & 0x8000_0000;
        let mantissa = bits & 0xf_ffff_ffff_ffff;
        let lost = mantissa & 0x1fff_ffff;
        return (lost == 0).then(|| f32::from_bits(sign | 0xff << 23 | (mantissa >> 29) as u32));
    }
    let single = double as f32;
    (f64::from(single).to_bits() == double.to_bits()).then_some(single)
}

/// The number without its low bits, if none of them is set.
fn shifted(mantissa: u32, bits: u32) -> Option<u32> {
    (mantissa.trailing_zeros() >= bits).then(|| mantissa >> bits)
}
