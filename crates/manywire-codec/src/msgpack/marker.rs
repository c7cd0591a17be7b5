//! The first byte of every value ("Formats" in the specification).

/// `nil`.
pub(super) const NIL: u8 = 0xc0;
/// The one byte that begins no value ("never used").
pub(super) const NEVER_USED: u8 = 0xc1;
/// `false`.
pub(super) const FALSE: u8 = 0xc2;
/// `true`.
pub(super) const TRUE: u8 = 0xc3;
/// `bin 8`: a length of one byte, then bytes.
pub(super) const BIN8: u8 = 0xc4;
/// `bin 16`.
pub(super) const BIN16: u8 = 0xc5;
/// `bin 32`.
pub(super) const BIN32: u8 = 0xc6;
/// `ext 8`: a length of one byte, a type, then bytes.
pub(super) const EXT8: u8 = 0xc7;
/// `ext 16`.
pub(super) const EXT16: u8 = 0xc8;
/// `ext 32`.
pub(super) const EXT32: u8 = 0xc9;
/// `float 32`.
pub(super) const F32: u8 = 0xca;
/// `float 64`.
pub(super) const F64: u8 = 0xcb;
/// `uint 8`.
pub(super) const U8: u8 = 0xcc;
/// `uint 16`.
pub(super) const U16: u8 = 0xcd;
/// `uint 32`.
pub(super) const U32: u8 = 0xce;
/// `uint 64`.
pub(super) const U64: u8 = 0xcf;
/// `int 8`.
pub(super) const I8: u8 = 0xd0;
/// `int 16`.
pub(super) const I16: u8 = 0xd1;
/// `int 32`.
pub(super) const I32: u8 = 0xd2;
/// `int 64`.
pub(super) const I64: u8 = 0xd3;
/// `fixext 1`: a type, then one byte.
pub(super) const FIXEXT1: u8 = 0xd4;
/// `fixext 2`.
pub(super) const FIXEXT2: u8 = 0xd5;
/// `fixext 4`.
pub(super) const FIXEXT4: u8 = 0xd6;
/// `fixext 8`.
pub(super) const FIXEXT8: u8 = 0xd7;
/// `fixext 16`.
pub(super) const FIXEXT16: u8 = 0xd8;
/// `str 8`: a length of one byte, then UTF-8.
pub(super) const STR8: u8 = 0xd9;
/// `str 16`.
pub(super) const STR16: u8 = 0xda;
/// `str 32`.
pub(super) const STR32: u8 = 0xdb;
/// `array 16`.
pub(super) const ARRAY16: u8 = 0xdc;
/// `array 32`.
pub(super) const ARRAY32: u8 = 0xdd;
/// `map 16`.
pub(super) const MAP16: u8 = 0xde;
/// `map 32`.
pub(super) const MAP32: u8 = 0xdf;

/// The last `positive fixint`; the first is 0.
pub(super) const FIXINT_MAX: u8 = 0x7f;
/// `fixmap`: the number of entries is in the low four bits.
pub(super) const FIXMAP: u8 = 0x80;
/// The last `fixmap`.
pub(super) const FIXMAP_MAX: u8 = 0x8f;
/// `fixarray`: the number of items is in the low four bits.
pub(super) const FIXARRAY: u8 = 0x90;
/// The last `fixarray`.
pub(super) const FIXARRAY_MAX: u8 = 0x9f;
/// `fixstr`: the length is in the low five bits.
pub(super) const FIXSTR: u8 = 0xa0;
/// The last `fixstr`.
pub(super) const FIXSTR_MAX: u8 = 0xbf;
/// The first `negative fixint`, -32; the last is 0xff, -1.
pub(super) const NEGATIVE_FIXINT: u8 = 0xe0;

/// Describes a value by its first byte, for error messages.
pub(super) fn describe(marker: u8) -> &'static str {
    match marker {
        0..=FIXINT_MAX | U8..=I64 | NEGATIVE_FIXINT.. => "an integer",
        FIXMAP..=FIXMAP_MAX | MAP16 | MAP32 => "a map",
        FIXARRAY..=FIXARRAY_MAX | ARRAY16 | ARRAY32 => "an array",
        FIXSTR..=FIXSTR_MAX | STR8..=STR32 => "a string",
        NIL => "nil",
        NEVER_USED => "the byte 0xc1, which begins no value",
        FALSE | TRUE => "a boolean",
        BIN8..=BIN32 => "bytes",
        EXT8..=EXT32 | FIXEXT1..=FIXEXT16 => "an extension",
        F32 | F64 => "a float",
    }
}
