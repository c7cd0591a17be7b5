//! Integers and floats.

use manywire_codec::cbor::{Options, Serializer};
use manywire_codec::{Category, cbor};

use super::{hex, reads, rejects, round_trips};

#[test]
fn writes_integers_in_the_shortest_form() {
    round_trips(23u8, "17");
    round_trips(24u64, "1818");
    round_trips(255i64, "18ff");
    round_trips(256u16, "190100");
    round_trips(65_536u32, "1a00010000");
    round_trips(u64::from(u32::MAX) + 1, "1b0000000100000000");
    round_trips(u64::MAX, "1bffffffffffffffff");
    round_trips(-1i8, "20");
    round_trips(-24i64, "37");
    round_trips(-25i64, "3818");
    round_trips(i64::MIN, "3b7fffffffffffffff");
    round_trips(i128::from(i64::MIN) - 1, "3b8000000000000000");
    round_trips(-(1i128 << 64), "3bffffffffffffffff");
    round_trips(-(1i128 << 64) - 1, "c349010000000000000000");
    round_trips(1u128 << 64, "c249010000000000000000");
    round_trips(u128::MAX, "c250ffffffffffffffffffffffffffffffff");
    round_trips(i128::MIN, "c3507fffffffffffffffffffffffffffffff");
}

#[test]
fn reads_integers_in_any_form() {
    reads("1b0000000000000005", 5u8);
    reads("c24105", 5u8);
    reads("c243000005", 5u8);
    reads("c25f4101420203ff", 0x01_02_03_u32);
    reads("c34104", -5i8);
    reads("d9d9f7 05", 5u8);
    rejects::<u8>("190100", Category::Data, "invalid value: integer `256`, expected u8 (byte 0)");
    rejects::<u8>("20", Category::Data, "invalid value: integer `-1`, expected u8 (byte 0)");
    rejects::<u64>(
        "c249010000000000000000",
        Category::Data,
        "invalid type: integer `18446744073709551616` as i128, expected u64 (byte 0)",
    );
    rejects::<i128>(
        "c25100ffffffffffffffffffffffffffffffff",
        Category::Data,
        "invalid value: u128, expected i128 (byte 0)",
    );
    rejects::<u128>(
        "c25101ffffffffffffffffffffffffffffffff",
        Category::Data,
        "invalid value: integer `680564733841876926926749214863536422911`, expected u128 (byte 0)",
    );
    rejects::<u8>(
        "c482 20 0f",
        Category::Data,
        "invalid type: decimal fraction `1.5`, expected u8 (byte 0)",
    );
    rejects::<u8>("6161", Category::Data, "invalid type: string \"a\", expected u8 (byte 0)");
}

#[test]
fn floats_keep_their_width_by_default() {
    round_trips(1.5f32, "fa3fc00000");
    round_trips(1.5f64, "fb3ff8000000000000");
    let shortest = |value: f64| {
        let mut out = Vec::new();
        let options = Options::default().with_shortest_floats(true);
        Serializer::new(&mut out).with_options(options).write(&value).unwrap();
        hex(&out)
    };
    assert_eq!(shortest(1.5), "f93e00");
    assert_eq!(shortest(65_504.0), "f97bff");
    assert_eq!(shortest(65_520.0), "fa477ff000");
    assert_eq!(shortest(2f64.powi(-24)), "f90001");
    assert_eq!(shortest(2f64.powi(-25)), "fa33000000");
    assert_eq!(shortest(-0.0), "f98000");
    assert_eq!(shortest(0.1), "fb3fb999999999999a");
    assert_eq!(shortest(f64::from_bits(0x7ff8_0000_0000_0001)), "fb7ff8000000000001");
    assert_eq!(shortest(f64::from_bits(0x7ff0_0000_2000_0000)), "fa7f800001");
    assert_eq!(shortest(f64::NEG_INFINITY), "f9fc00");
}

#[test]
fn round_trips_every_half_float() {
    for bits in 0..=u16::MAX {
        let [high, low] = bits.to_be_bytes();
        let input = [0xf9, high, low];
        let single: f32 = cbor::from_slice(&input).unwrap();
        // Appendix D of RFC 8949.
        let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
        let magnitude = match exponent {
            0 => mantissa * 2f64.powi(-24),
            31 if mantissa == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (mantissa + 1024.0) * 2f64.powi(exponent - 25),
        };
        let expected = if bits >> 15 == 1 { -magnitude } else { magnitude };
        assert!(
            f64::from(single) == expected || single.is_nan() && expected.is_nan(),
            "{bits:04x}"
        );
        assert_eq!(single.is_sign_negative(), bits >> 15 == 1, "{bits:04x}");
        let mut out = Vec::new();
        let options = Options::default().with_shortest_floats(true);
        Serializer::new(&mut out).with_options(options).write(&single).unwrap();
        assert_eq!(out, input);
    }
}

#[test]
fn reads_numbers_as_floats() {
    reads("05", 5.0f64);
    reads("24", -5.0f32);
    reads("f93e00", 1.5f64);
    reads("fa3fc00000", 1.5f64);
    reads("fb3ff8000000000000", 1.5f32);
    reads("3bffffffffffffffff", -18_446_744_073_709_551_616.0f64);
    reads("c249010000000000000000", 18_446_744_073_709_551_616.0f64);
    reads("c48221196ab3", 273.15f64);
    rejects::<f64>(
        "c482 19018f 01",
        Category::Data,
        "invalid value: number `1e399`, expected f64 (byte 0)",
    );
    rejects::<f64>("f5", Category::Data, "invalid type: boolean `true`, expected f64 (byte 0)");
}
