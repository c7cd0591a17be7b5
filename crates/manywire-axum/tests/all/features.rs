//! The features of the adapter, read from its manifest: the tests are compiled with the default
//! features of the library, so every format works in them, even without a feature of the adapter.

use manywire::{Coding, Format};

const MANIFEST: &str = include_str!("../../Cargo.toml");

#[test]
fn each_format_and_coding_has_a_feature() {
    let formats = Format::ALL.into_iter().filter_map(|format| match format {
        // JSON is always compiled in, and both layouts of MessagePack are one codec.
        Format::Json | Format::MsgPackArray => None,
        format => Some(format.name()),
    });
    // gzip and deflate are one library.
    let codings = Coding::ALL.into_iter().filter(|coding| *coding != Coding::Deflate);
    let line = |start: &str| {
        let line = MANIFEST.lines().find_map(|line| line.strip_prefix(start)?.strip_prefix(" = "));
        line.unwrap_or_else(|| panic!("no feature {start}"))
    };
    let default = line("default");
    for feature in formats.chain(codings.map(Coding::name)) {
        assert_eq!(line(feature), format!("[\"manywire/{feature}\"]"));
        assert!(default.contains(&format!("\"{feature}\"")), "{feature} is not in {default}");
    }
}
