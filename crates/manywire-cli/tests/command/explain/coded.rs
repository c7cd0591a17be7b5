//! Compressed inputs, which are explained by offsets in the decompressed bytes.

use crate::run::{Folder, Run, bytes_of, example, manywire, manywire_bytes, manywire_reading};

/// Returns the example user in MessagePack, compressed.
fn packed(coding: &str) -> Vec<u8> {
    bytes_of(&["convert", &example("user.json"), "--to", "msgpack", "--coding", coding])
}

/// Returns the output of `explain` for the same input without a coding.
fn plain(options: &[&str]) -> Run {
    let bytes = packed("none");
    manywire_reading(&[&["explain", "-"], options].concat(), &bytes)
}

#[test]
fn compressed_input_is_explained_after_decompression() {
    let folder = Folder::new();
    let cases = [("gzip", "gz", true), ("zstd", "zst", true), ("br", "br", false)];
    for (coding, extension, is_marked) in cases {
        let bytes = packed(coding);
        let plain = plain(&[]);
        let expected = |run: Run| {
            assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{coding}");
            let rows = run.stdout.strip_prefix(plain.stdout.as_str());
            let last = rows.unwrap_or_else(|| panic!("{coding}: {}", run.stdout));
            let start = format!("unpacked from {} bytes of {coding} (ratio ", bytes.len());
            assert!(last.starts_with(&start), "{last}");
            assert!(last.ends_with("offsets are of the 38 unpacked bytes\n"), "{last}");
        };
        let file = folder.file(&format!("user.msgpack.{extension}"), &bytes);
        expected(manywire(&["explain", &file]));
        // The coding is recognised by content or given as an option.
        let unnamed = folder.file(extension, &bytes);
        expected(manywire(&["explain", &unnamed, "--coding", coding]));
        expected(manywire_reading(&["explain", "-", "--coding", coding], &bytes));
        if is_marked {
            expected(manywire(&["explain", &unnamed]));
            expected(manywire_reading(&["explain", "-"], &bytes));
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            expected(manywire(&["explain", &hex]));
        }
    }
}

#[test]
fn coding_none_explains_the_compressed_bytes() {
    let folder = Folder::new();
    let bytes = packed("gzip");
    let file = folder.file("user.msgpack.gz", &bytes);
    let run = manywire(&["explain", &file, "--coding", "none", "--json"]);
    let lines = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let shown = lines.map(|line: serde_json::Value| line["length"].as_u64().expect("a length"));
    assert_eq!(shown.sum::<u64>(), bytes.len() as u64, "{}", run.stdout);
}

#[test]
fn other_views_decompress_too() {
    let folder = Folder::new();
    let file = folder.file("user.msgpack.gz", packed("gzip"));
    let json = manywire(&["explain", &file, "--json"]);
    assert_eq!(json.stdout, plain(&["--json"]).stdout);
    let top = manywire(&["explain", "--top", &file]);
    assert!(top.stdout.ends_with("38 bytes; 1 value in 1 input\n"), "{}", top.stdout);
    let other = example("user.json");
    let diff = manywire(&["explain", "--diff", &file, &other]);
    assert_eq!(diff.code, Some(0), "{}", diff.stderr);
    let check = manywire(&["explain", "--check", &file]);
    assert!(check.stdout.starts_with("MessagePack (map): 0 faults, 0 remarks\nunpacked from "));
    assert_eq!(check.code, Some(0));
}

#[test]
fn rows_before_truncated_compressed_bytes_are_shown() {
    let folder = Folder::new();
    let bytes = packed("gzip");
    let file = folder.file("user.msgpack.gz", &bytes[..bytes.len() - 9]);
    let run = manywire(&["explain", &file]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("2-byte string \"id\""), "{}", run.stdout);
    let expected = format!("error: {file}: truncated gzip data\n");
    assert_eq!(run.stderr, expected);

    let run = manywire_reading(&["explain", "-", "--coding", "zstd"], &bytes);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.starts_with("error: standard input: invalid zstd data"));
}

/// Streams may have any compression ratio. A buffered value with a ratio above 200:1 is refused.
#[test]
fn decompression_bombs_are_refused_and_streams_are_not() {
    let length = 4_u32 << 20;
    let bomb = [&[0xc6][..], &length.to_be_bytes(), &vec![0; length as usize]].concat();
    let count = length as usize >> 16;
    let stream = [&[0xc5, 0xff, 0xff][..], &[0; 0xffff]].concat().repeat(count);
    let pack = |bytes: &[u8], form: &str| {
        let arguments = ["convert", "--from", form, "--to", form, "--coding", "gzip"];
        let run = manywire_bytes(&arguments, bytes);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    let bomb = manywire_bytes(&["explain", "-", "--from", "msgpack"], &pack(&bomb, "msgpack"));
    assert_eq!(bomb.code, Some(1));
    assert!(bomb.stderr.contains("more than 200 to one"), "{}", bomb.stderr);
    let packed = pack(&stream, "msgpack-seq");
    assert!(packed.len() * 200 < stream.len(), "{}", packed.len());
    let stream = manywire_reading(&["explain", "-", "--from", "msgpack-seq", "--check"], &packed);
    let expected = format!("MessagePack (map): {count} values, 0 faults, 0 remarks");
    assert!(stream.stdout.starts_with(&expected), "{} {}", stream.stdout, stream.stderr);
}
