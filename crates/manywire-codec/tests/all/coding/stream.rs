//! Content codings of streams that arrive in pieces: flushed data is never held back at either end,
//! and an input without data yet is not at its end.

use std::collections::VecDeque;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::sync::{Arc, Mutex};

use manywire_codec::coding::stream::{Writer, reader, reader_within};
use manywire_codec::coding::{DecodeLimits, Decoder};
use manywire_format::Coding;

/// The bytes so far, and whether there will be more.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<(VecDeque<u8>, bool)>>);

impl Pipe {
    fn give(&self, bytes: &[u8]) {
        self.0.lock().expect("whole").0.extend(bytes);
    }

    fn end(&self) {
        self.0.lock().expect("whole").1 = true;
    }
}

/// The reading end of a pipe, which shows one byte at a time.
struct ByteByByte(Pipe, [u8; 1]);

impl BufRead for ByteByByte {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let inner = self.0.0.lock().expect("whole");
        match (inner.0.front(), inner.1) {
            (Some(byte), _) => self.1 = [*byte],
            (None, true) => return Ok(&[]),
            (None, false) => return Err(ErrorKind::WouldBlock.into()),
        }
        Ok(&self.1)
    }

    fn consume(&mut self, count: usize) {
        self.0.0.lock().expect("whole").0.drain(..count);
    }
}

impl Read for ByteByByte {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

/// Returns all bytes that can be read now in reads of `size`, and the last result.
fn available(reader: &mut dyn Read, size: usize) -> (Vec<u8>, io::Result<()>) {
    let (mut all, mut buffer) = (Vec::new(), vec![0; size]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (all, Ok(())),
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(error) => return (all, Err(error)),
        }
    }
}

fn texts() -> Vec<String> {
    let lengths = [0, 1, 10, 700, 6_000, 3, 30_000, 5];
    lengths.iter().map(|length| format!("<{}>", "row after row ".repeat(*length))).collect()
}

#[test]
fn flushed_data_is_readable_at_once() {
    for coding in Coding::ALL {
        for size in [7, 4_096, 1 << 16] {
            let pipe = Pipe::default();
            let source = ByteByByte(pipe.clone(), [0]);
            let mut reader = reader_within(8 << 20, coding, source).expect("compiled in");
            let mut writer =
                Writer::with_window(1 << 18, coding.into(), Vec::new()).expect("memory");
            for text in texts() {
                writer.write_all(text.as_bytes()).expect("coded");
                writer.flush().expect("coded");
                pipe.give(&std::mem::take(writer.get_mut()));
                let (read, end) = available(&mut *reader, size);
                assert!(read == text.as_bytes(), "{coding}: {} of {}", read.len(), text.len());
                assert_eq!(end.expect_err("no end").kind(), ErrorKind::WouldBlock, "{coding}");
            }
            pipe.give(&writer.finish().expect("coded"));
            pipe.end();
            let (read, end) = available(&mut *reader, size);
            assert!(read.is_empty() && end.is_ok(), "{coding}: {end:?}");
        }
    }
}

#[test]
fn a_stream_may_be_read_any_number_of_times_before_it_has_more() {
    let text: String = texts().concat();
    for coding in Coding::ALL {
        let mut writer = Writer::new(coding.into(), Vec::new()).expect("memory");
        writer.write_all(text.as_bytes()).expect("coded");
        let message = writer.finish().expect("coded");
        let pipe = Pipe::default();
        let mut reader = reader(coding, ByteByByte(pipe.clone(), [0])).expect("compiled in");
        let (mut all, piece_bytes) = (Vec::new(), message.len().div_ceil(5));
        for piece in message.chunks(piece_bytes) {
            for _ in 0..100 {
                let (read, end) = available(&mut *reader, 4_096);
                all.extend(read);
                let end = end.expect_err("no end");
                assert_eq!(end.kind(), ErrorKind::WouldBlock, "{coding}: {end}");
            }
            pipe.give(piece);
        }
        pipe.end();
        let (read, end) = available(&mut *reader, 4_096);
        all.extend(read);
        assert!(end.is_ok() && all == text.as_bytes(), "{coding}: {end:?}");
    }
}

#[test]
fn a_stream_with_a_window_is_one_message() {
    let text: String = texts().concat();
    for coding in Coding::ALL {
        for window_bytes in [0, 1 << 10, 1 << 18, 1 << 23, usize::MAX] {
            let mut writer = Writer::with_window(window_bytes, coding.into(), Vec::new());
            let writer = writer.as_mut().expect("memory");
            writer.write_all(text.as_bytes()).expect("coded");
            writer.flush().expect("coded");
            let mut message = std::mem::take(writer.get_mut());
            let limits = DecodeLimits::DEFAULT.with_ratio(usize::MAX, usize::MAX);
            let mut decoder = Decoder::new(coding, limits).expect("compiled in");
            decoder.decode(&message, &mut Vec::new()).expect_err("it has no end yet");
            let mut rest =
                Writer::with_window(window_bytes, coding.into(), Vec::new()).expect("memory");
            rest.write_all(text.as_bytes()).expect("coded");
            message = rest.finish().expect("coded");
            let mut out = Vec::new();
            decoder.decode(&message, &mut out).expect("whole");
            assert!(out == text.as_bytes(), "{coding} {window_bytes}");
        }
    }
}

#[test]
fn rejects_early_ends_and_bytes_after_the_end() {
    for coding in Coding::ALL {
        let mut writer = Writer::new(coding.into(), Vec::new()).expect("memory");
        writer.write_all(b"something to be coded").expect("coded");
        let message = writer.finish().expect("coded");
        for cut in 0..message.len() {
            let mut reader = reader(coding, &message[..cut]).expect("compiled in");
            let (_, end) = available(&mut *reader, 64);
            assert!(end.is_err(), "{coding}: cut at {cut} of {}", message.len());
        }
        let longer = [&message[..], b"\x01more"].concat();
        let (_, end) = available(&mut *reader(coding, &longer[..]).expect("compiled in"), 64);
        assert!(end.is_err(), "{coding}");
    }
}

#[test]
fn errors_of_the_input_pass_through() {
    struct Silent;
    impl Read for Silent {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(ErrorKind::TimedOut, "the server is silent"))
        }
    }
    for coding in Coding::ALL {
        let mut writer = Writer::new(coding.into(), Vec::new()).expect("memory");
        writer.write_all(b"something to be coded").expect("coded");
        let message = writer.finish().expect("coded");
        for sent in [0, message.len() / 2] {
            let input = io::BufReader::new(message[..sent].chain(Silent));
            let mut reader = reader(coding, input).expect("compiled in");
            let error = reader.read_to_end(&mut Vec::new()).expect_err("no end");
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{coding}: {error}");
            assert_eq!(error.to_string(), "the server is silent");
        }
    }
}

#[test]
fn bytes_that_come_late_are_invalid_data_as_well() {
    for coding in Coding::ALL {
        // The constructor of a decoder may already ask for bytes.
        let pipe = Pipe::default();
        let mut reader = reader(coding, ByteByByte(pipe.clone(), [0])).expect("compiled in");
        pipe.give(b"\x1f\x8b\xff\xff no coding begins with these bytes");
        let (_, end) = available(&mut *reader, 64);
        let error = end.expect_err("invalid");
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{coding}: {error}");
        assert!(error.to_string().starts_with(&format!("invalid {coding} data")), "{error}");
    }
}

#[test]
fn rejects_windows_beyond_the_limit() {
    let mut writer = Writer::with_window(1 << 23, Coding::Zstd.into(), Vec::new()).expect("memory");
    let text = vec![b'x'; 9 << 20];
    writer.write_all(&text).expect("coded");
    let message = writer.finish().expect("coded");
    let read = |window_bytes| {
        let reader = reader_within(window_bytes, Coding::Zstd, &message[..]);
        available(&mut *reader.expect("compiled in"), 1 << 16)
    };
    let (decoded, end) = read(8 << 20);
    assert!(end.is_ok() && decoded == text, "{end:?}");
    let (_, end) = read(1 << 20);
    end.expect_err("it asks for eight mebibytes");
}
