//! Tests content codings of whole messages: round trips with other libraries or other interfaces of
//! the same library, truncated, changed and extended input, and decompression bombs.

use std::io::{Read, Write};
use std::time::Duration;

use manywire_codec::coding::{DecodeLimits, Decoder, Encoder};
use manywire_codec::{Category, Error, Result};
use manywire_format::{Coding, CodingLevel};

fn coded(coding: Coding, level: u8, bytes: &[u8]) -> Vec<u8> {
    let level = CodingLevel::new(coding, level).expect("a level of the coding");
    let mut out = Vec::new();
    Encoder::new(level).expect("compiled in").encode(bytes, &mut out).expect("memory");
    out
}

fn decoded_with(coding: Coding, bytes: &[u8], limits: DecodeLimits) -> Result<Vec<u8>> {
    let mut out = b"before".to_vec();
    let result = Decoder::new(coding, limits).expect("compiled in").decode(bytes, &mut out);
    assert!(out.starts_with(b"before"));
    let decoded = out.split_off(6);
    assert!(result.is_ok() || decoded.is_empty(), "an error leaves the output as it was");
    result.map(|()| decoded)
}

fn decoded(coding: Coding, bytes: &[u8]) -> Result<Vec<u8>> {
    decoded_with(coding, bytes, DecodeLimits::DEFAULT)
}

/// Returns a deterministic text with near and distant repetition and some random parts.
fn document(length: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut out = Vec::with_capacity(length + 64);
    while out.len() < length {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = write!(out, "{{\"id\":{},\"name\":\"guest {}\"}},", state >> 40, state >> 60);
    }
    out.truncate(length);
    out
}

/// Decodes with an implementation other than ours.
fn decoded_by_other_library(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        Coding::Gzip => {
            // The frame has ten bytes before and eight after the data that miniz_oxide reads.
            let data = &bytes[10..bytes.len() - 8];
            out = miniz_oxide::inflate::decompress_to_vec(data).expect("deflate");
            let mut again = Vec::new();
            flate2::read::GzDecoder::new(bytes).read_to_end(&mut again).expect("gzip");
            assert_eq!(again, out);
        }
        Coding::Deflate => {
            out = miniz_oxide::inflate::decompress_to_vec_zlib(bytes).expect("zlib");
        }
        Coding::Zstd => {
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes).expect("zstd");
            decoder.read_to_end(&mut out).expect("zstd");
        }
        Coding::Brotli => {
            brotli::BrotliDecompress(&mut &*bytes, &mut out).expect("brotli");
        }
    }
    out
}

fn coded_elsewhere(coding: Coding, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        Coding::Gzip => {
            out.extend([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]);
            out.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
            let mut crc = flate2::Crc::new();
            crc.update(bytes);
            out.extend(crc.sum().to_le_bytes());
            out.extend((bytes.len() as u32).to_le_bytes());
        }
        Coding::Deflate => out = miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6),
        Coding::Zstd => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            out = ruzstd::encoding::compress_to_vec(bytes, level);
        }
        Coding::Brotli => {
            let parameters = brotli::enc::BrotliEncoderParams::default();
            brotli::BrotliCompress(&mut &*bytes, &mut out, &parameters).expect("brotli");
        }
    }
    out
}

#[test]
fn every_level_is_decoded_by_us_and_by_other_libraries() {
    for coding in Coding::ALL {
        for level in coding.levels() {
            // Brotli's highest levels are slow on long input.
            for length in [0, 1, 100, 3_000, if level > 9 { 20_000 } else { 60_000 }] {
                let bytes = document(length);
                let coded = coded(coding, level, &bytes);
                let name = format!("{coding}:{level}, {length} bytes");
                assert!(length < 3_000 || coded.len() < length, "{name}");
                assert_eq!(decoded_by_other_library(coding, &coded), bytes, "{name}");
                assert_eq!(decoded(coding, &coded).expect(&name), bytes, "{name}");
            }
        }
    }
}

#[test]
fn decodes_messages_of_other_encoders() {
    for coding in Coding::ALL {
        for length in [0, 1, 100, 3_000, 200_000] {
            let bytes = document(length);
            let coded = coded_elsewhere(coding, &bytes);
            assert_eq!(decoded(coding, &coded).expect("what others wrote"), bytes, "{coding}");
        }
    }
}

#[test]
fn encoders_and_decoders_are_reusable() {
    for coding in Coding::ALL {
        let mut encoder = Encoder::new(coding.into()).expect("compiled in");
        let mut decoder = Decoder::new(coding, DecodeLimits::DEFAULT).expect("compiled in");
        for length in [5_000, 0, 70_000, 10, 5_000] {
            let bytes = document(length);
            let (mut message, mut back) = (b"x".to_vec(), b"y".to_vec());
            encoder.encode(&bytes, &mut message).expect("memory");
            // The output equals that of a new encoder: no state of one message is left for the
            // next.
            let level = coding.default_level();
            assert_eq!(message[1..], coded(coding, level, &bytes), "{coding}");
            decoder.decode(&message[1..], &mut back).expect("what was coded");
            assert_eq!(back[1..], bytes, "{coding}");
            // An error does not affect the next message, either.
            assert!(decoder.decode(&message[1..message.len() - 1], &mut back).is_err());
            assert!(decoder.decode(b"\xFF\xFF\xFF\xFF\xFF", &mut back).is_err());
            assert_eq!(back.len(), 1 + length);
        }
    }
}

#[test]
fn truncation_is_an_early_end() {
    for coding in Coding::ALL {
        let bytes = document(3_000);
        let coded = coded(coding, coding.default_level(), &bytes);
        for end in 0..coded.len() {
            let error = decoded(coding, &coded[..end]).expect_err("cut");
            assert_eq!(error.category(), Category::Eof, "{coding} cut at {end}: {error}");
            assert_eq!(error.offset(), Some(end), "{coding} cut at {end}: {error}");
        }
    }
}

#[test]
fn rejects_bytes_after_the_end() {
    for coding in Coding::ALL {
        let coded = coded(coding, coding.default_level(), &document(3_000));
        for garbage in [&b"\0"[..], b"\0\0\0\0\0\0\0\0\0\0\0\0", b"garbage of some length"] {
            let error = decoded(coding, &[&coded, garbage].concat()).expect_err("garbage");
            // One byte may be the start of another zstd frame.
            let early = error.category() == Category::Eof && coding == Coding::Zstd;
            assert!(error.category() == Category::Syntax || early, "{coding}: {error}");
            assert!(error.offset() >= Some(coded.len()), "{coding}: {error}");
        }
    }
}

#[test]
fn changed_bytes_fail_the_checksum() {
    for coding in Coding::ALL {
        let bytes = document(600);
        let message = coded(coding, coding.default_level(), &bytes);
        for index in 0..message.len() {
            for change in [1, 0x80, 0xFF] {
                let mut changed = message.clone();
                changed[index] ^= change;
                let result = decoded(coding, &changed);
                // gzip and zlib have a checksum over all data. Undetected changes are in the time
                // in gzip's header and in bits that nothing reads.
                if matches!(coding, Coding::Gzip | Coding::Deflate) {
                    assert!(result.is_err() || result.is_ok_and(|read| read == bytes));
                }
            }
        }
    }
}

#[test]
fn decodes_gzip_members_and_headers() {
    let (first, second) = (document(2_000), document(50));
    let members = [coded(Coding::Gzip, 6, &first), coded(Coding::Gzip, 1, &second)].concat();
    let read = decoded(Coding::Gzip, &members).expect("two members");
    assert_eq!(read, [first, second].concat());

    let data = miniz_oxide::deflate::compress_to_vec(b"hello", 6);
    let trailer = {
        let mut crc = flate2::Crc::new();
        crc.update(b"hello");
        [crc.sum().to_le_bytes(), 5u32.to_le_bytes()].concat()
    };
    let header = |flags: u8, rest: &[u8]| {
        let mut header = vec![0x1F, 0x8B, 8, flags, 1, 2, 3, 4, 0, 3];
        header.extend(rest);
        if flags & 2 != 0 {
            let mut crc = flate2::Crc::new();
            crc.update(&header);
            header.extend((crc.sum() as u16).to_le_bytes());
        }
        header
    };
    let table: &[(u8, &[u8])] = &[
        (0x01, b""),
        (0x02, b""),
        (0x04, b"\x03\x00abc"),
        (0x08, b"name\0"),
        (0x10, b"comment\0"),
        (0x1F, b"\x00\x00name\0comment\0"),
    ];
    for (flags, rest) in table {
        let message = [header(*flags, rest), data.clone(), trailer.clone()].concat();
        assert_eq!(decoded(Coding::Gzip, &message).expect("a header"), b"hello", "{flags:#x}");
        for end in 0..message.len() {
            let error = decoded(Coding::Gzip, &message[..end]).expect_err("cut");
            assert_eq!(error.category(), Category::Eof, "{flags:#x} cut at {end}: {error}");
        }
    }

    let whole = [header(0, b""), data, trailer].concat();
    let wrong = |index: usize, byte: u8| {
        let mut message = whole.clone();
        message[index] = byte;
        decoded(Coding::Gzip, &message).expect_err("a wrong byte").to_string()
    };
    let end = whole.len();
    assert_eq!(wrong(0, 0), "invalid gzip data: missing the magic number 1f 8b (byte 0)");
    assert_eq!(wrong(2, 7), "invalid gzip data: unknown compression method (byte 2)");
    assert_eq!(wrong(3, 0x20), "invalid gzip data: reserved flags in the header (byte 3)");
    assert_eq!(
        wrong(end - 8, 0),
        format!("invalid gzip data: checksum mismatch (byte {})", end - 8)
    );
    assert_eq!(
        wrong(end - 4, 6),
        format!("invalid gzip data: length mismatch in the trailer (byte {})", end - 4)
    );
}

#[test]
fn decodes_raw_deflate() {
    for level in 0..=9 {
        for length in [0, 1, 100, 3_000, 100_000] {
            let bytes = document(length);
            let bare = miniz_oxide::deflate::compress_to_vec(&bytes, level);
            assert_eq!(decoded(Coding::Deflate, &bare).expect("bare"), bytes);
            let zlib = miniz_oxide::deflate::compress_to_vec_zlib(&bytes, level);
            assert_eq!(decoded(Coding::Deflate, &zlib).expect("zlib"), bytes);
        }
    }
}

#[test]
fn decodes_consecutive_and_skippable_zstd_frames() {
    let skipped = [&0x184D_2A53u32.to_le_bytes()[..], &4u32.to_le_bytes(), b"skip"].concat();
    let (first, second) = (document(2_000), document(50));
    let message = [
        skipped.clone(),
        coded(Coding::Zstd, 3, &first),
        skipped,
        coded(Coding::Zstd, 19, &second),
    ];
    let read = decoded(Coding::Zstd, &message.concat()).expect("two frames");
    assert_eq!(read, [first, second].concat());
}

/// RFC 9659: a window of at most 8 MiB, written at any level and read.
#[test]
fn zstd_windows_are_at_most_8_mib() {
    let bytes = document(64 << 10).repeat(9 << 4);
    let limits = DecodeLimits::UNLIMITED.with_window_bytes(8 << 20);
    for level in [1, 20, 22] {
        let coded = coded(Coding::Zstd, level, &bytes);
        assert_eq!(decoded_with(Coding::Zstd, &coded, limits).expect("a frame").len(), bytes.len());
    }

    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    encoder.window_log(24).expect("a window");
    encoder.write_all(&bytes).expect("a vector");
    let wide = encoder.finish().expect("a vector");
    let error = decoded_with(Coding::Zstd, &wide, limits).expect_err("16 MiB");
    assert_eq!(error.category(), Category::Limit);
    assert_eq!(error.message(), "the zstd frame requires a window larger than 8388608 bytes");
    let limits = limits.with_window_bytes(16 << 20);
    assert_eq!(decoded_with(Coding::Zstd, &wide, limits).expect("allowed").len(), bytes.len());
}

/// Returns at least a kibibyte of zeros, compressed by each coding.
fn bomb(coding: Coding, length: usize) -> Vec<u8> {
    coded(coding, 1, &vec![0; length])
}

fn assert_limit(error: &Error, message: &str) {
    assert_eq!(error.category(), Category::Limit, "{error}");
    assert_eq!(error.message(), message);
}

#[test]
fn rejects_bombs_with_little_memory() {
    for coding in Coding::ALL {
        let length = 20 << 20;
        let coded = bomb(coding, length);
        // The ratio is the limit that applies, unless the message is large enough for the size to
        // apply.
        let ratio_allows = (1 << 20) + 200 * coded.len();
        let message = if ratio_allows < 8 << 20 {
            "the decoded bytes go beyond 200 for each coded byte, after the first 1048576"
        } else {
            "the decoded bytes go beyond the limit of 8388608"
        };
        let mut out = Vec::new();
        let mut decoder = Decoder::new(coding, DecodeLimits::DEFAULT).expect("compiled in");
        let error = decoder.decode(&coded, &mut out).expect_err("a bomb");
        assert_limit(&error, message);
        assert!(out.is_empty());
        assert!(out.capacity() <= (8 << 20) + 1, "{coding}: {} bytes", out.capacity());

        let all = decoded_with(coding, &coded, DecodeLimits::UNLIMITED).expect("unlimited");
        assert_eq!(all.len(), length);
    }
}

#[test]
fn limits_are_exact_to_the_byte() {
    for coding in Coding::ALL {
        let length = 300_000;
        let message = bomb(coding, length);
        let by_size =
            |bytes| decoded_with(coding, &message, DecodeLimits::DEFAULT.with_bytes(bytes));
        assert_eq!(by_size(length).expect("just allowed").len(), length, "{coding}");
        let error = by_size(length - 1).expect_err("just refused");
        assert_limit(&error, "the decoded bytes go beyond the limit of 299999");
        assert_limit(
            &by_size(0).expect_err("nothing"),
            "the decoded bytes go beyond the limit of 0",
        );

        let ratio = 10;
        let free = length - ratio * message.len();
        let by_ratio =
            |free| decoded_with(coding, &message, DecodeLimits::DEFAULT.with_ratio(ratio, free));
        assert_eq!(by_ratio(free).expect("just allowed").len(), length, "{coding}");
        assert_limit(
            &by_ratio(free - 1).expect_err("just refused"),
            &format!(
                "the decoded bytes go beyond 10 for each coded byte, after the first {}",
                free - 1
            ),
        );
    }
    // An empty message is within any limit.
    for coding in Coding::ALL {
        let empty = coded(coding, 1, b"");
        let limits = DecodeLimits::DEFAULT.with_bytes(0).with_ratio(0, 0);
        assert_eq!(decoded_with(coding, &empty, limits).expect("nothing"), b"");
    }
}

/// No decoder writes 20 MiB in 100 µs, whether the output has room for them or must grow.
#[test]
fn limits_the_time_with_and_without_capacity() {
    let length = 20 << 20;
    let time = Duration::from_micros(100);
    for coding in Coding::ALL {
        let coded = bomb(coding, length);
        for capacity in [0, length + 1] {
            let mut out = Vec::with_capacity(capacity);
            let mut decode = |limits| {
                Decoder::new(coding, limits).expect("compiled in").decode(&coded, &mut out)
            };
            let error = decode(DecodeLimits::UNLIMITED.with_time(time)).expect_err("too slow");
            assert_limit(&error, "decoding took longer than the limit of 100µs");
            decode(DecodeLimits::UNLIMITED.with_time(Duration::from_secs(3_600))).expect("in time");
            assert!(out == vec![0; length], "{coding}, {capacity} bytes of capacity");
        }
    }
}

#[test]
fn a_time_beyond_the_clock_is_no_limit() {
    for coding in Coding::ALL {
        let limits = DecodeLimits::DEFAULT.with_time(Duration::MAX);
        let decoded = decoded_with(coding, &coded(coding, 1, b"hotel"), limits);
        assert_eq!(decoded.expect("in time"), b"hotel", "{coding}");
    }
}

/// A document of repeated records is not a bomb, although it compresses better than 100:1.
#[test]
fn repeated_records_are_within_the_default_limits() {
    let hotels = include_bytes!("../../../../../examples/hotels.json");
    for coding in Coding::ALL {
        for level in [*coding.levels().start(), *coding.levels().end()] {
            let coded = coded(coding, level, hotels);
            assert_eq!(decoded(coding, &coded).expect("hotels"), hotels);
        }
    }
}
