//! The progress of sizes of a stream.

use std::sync::atomic::AtomicBool;

use manywire_format::{Form, Format};
use manywire_tools::payload::Source;
use manywire_tools::weigh::payload::PayloadSource;
use manywire_tools::weigh::{Options, Progress, stream};

#[derive(Default)]
struct Lines(Vec<String>);

impl Progress for Lines {
    fn say(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }

    fn note(&mut self, line: &str) {
        self.say(line);
    }
}

#[test]
fn progress_has_a_total_if_the_size_is_known() {
    let text = "{\"a\":\"some text\"}\n".repeat(120_000);
    let source = Source::of_bytes("a.json", text.into_bytes());
    let sources = [PayloadSource::new(source, Form::of(Format::Json))];
    let options = Options { sizes_only: true, formats: vec![Format::Json], ..Options::default() };
    let mut lines = Lines::default();
    stream::sizes(&sources, &options, &mut lines, &AtomicBool::new(false)).expect("sizes");
    let last = lines.0.last().expect("a line");
    assert!(lines.0.iter().all(|line| line.ends_with(" of 2 MB")), "{:?}", lines.0);
    assert_eq!(last, "taking sizes: 2 of 2 MB");
}
