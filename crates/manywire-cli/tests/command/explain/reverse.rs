//! `--reverse`: restores the bytes from the output of `explain`.

use crate::run::{Folder, example, manywire, manywire_bytes};

#[test]
fn reverse_restores_the_bytes() {
    let folder = Folder::new();
    let user = std::fs::read(example("user.json")).expect("an example");
    let packed = b"\x82\xa1a\xc4\x14aaaaaaaaaaaaaaaaaaaa\xa1b\xc0".to_vec();
    for (name, bytes) in [("user.json", user), ("packed.msgpack", packed)] {
        let file = folder.file(name, &bytes);
        for form in [&["--uncut"][..], &["--json"], &["--uncut", "--color", "always"]] {
            let text = manywire(&[&["explain", &file][..], form].concat()).stdout;
            let run = manywire_bytes(&["explain", "--reverse", "-"], text.as_bytes());
            assert_eq!(run.code, Some(0), "{}", run.stderr);
            assert_eq!(run.stdout, bytes, "{name} {form:?}");
        }
    }
}

#[test]
fn reverse_refuses_shortened_or_missing_rows() {
    let bytes = "82 a1 61 a9 61 62 63 64 65 66 67 68 69 a1 62 c0";
    for (form, message) in [
        (&[][..], "line 4: the bytes are cut short: print the rows with `explain --uncut`"),
        (&["--uncut", "--path", "$.b"], "line 2: this row stands at byte 13, but 0 bytes come"),
        (&["--uncut", "--depth", "0"], "line 3: this row"),
    ] {
        let text = manywire(&[&["explain", bytes][..], form].concat()).stdout;
        let run = manywire_bytes(&["explain", "--reverse", "-"], text.as_bytes());
        if form.contains(&"--depth") {
            // The first row alone is complete.
            assert_eq!(run.stdout, [0x82]);
            continue;
        }
        assert!(run.stderr.contains(message), "{form:?}: {}", run.stderr);
        assert_eq!(run.code, Some(1), "{form:?}");
    }
    let run = manywire_bytes(&["explain", "--reverse", "-"], b"no rows\n");
    assert!(run.stderr.contains("no rows"), "{}", run.stderr);
    let run = manywire_bytes(&["explain", "--reverse", "-"], b"     0  8g  what\n");
    assert!(run.stderr.contains("found \"8g\""), "{}", run.stderr);
    assert_eq!(run.code, Some(1));
}
