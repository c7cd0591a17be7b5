//! Metrics as text: the format of Prometheus, version 0.0.4, and OpenMetrics 1.0.
//!
//! The two differ little: OpenMetrics names a counter without its suffix, states units, and ends
//! with a line that distinguishes a complete response from a truncated one.

use std::fmt::Write as _;

use super::tables::{BOUNDS_NS, Durations};

/// The syntax of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    /// The text format of Prometheus, version 0.0.4.
    Text,
    /// OpenMetrics 1.0.0.
    OpenMetrics,
}

/// The label names and values of a sample.
type Labels<'l> = &'l [(&'static str, &'l str)];

/// A writer of metrics.
#[derive(Debug)]
pub(super) struct Exposition {
    syntax: Syntax,
    text: String,
}

impl Exposition {
    pub(super) fn new(syntax: Syntax) -> Self {
        Exposition { syntax, text: String::with_capacity(4 << 10) }
    }

    /// Begins the samples of a counter. `name` is without `_total`.
    pub(super) fn counter(&mut self, name: &str, unit: &str, help: &str) {
        match self.syntax {
            Syntax::Text => self.family(&format!("{name}_total"), "counter", "", help),
            Syntax::OpenMetrics => self.family(name, "counter", unit, help),
        }
    }

    pub(super) fn gauge(&mut self, name: &str, help: &str) {
        self.family(name, "gauge", "", help);
    }

    pub(super) fn histogram(&mut self, name: &str, unit: &str, help: &str) {
        self.family(name, "histogram", unit, help);
    }

    fn family(&mut self, name: &str, kind: &str, unit: &str, help: &str) {
        self.line(format_args!("# TYPE {name} {kind}"));
        if self.syntax == Syntax::OpenMetrics && !unit.is_empty() {
            self.line(format_args!("# UNIT {name} {unit}"));
        }
        self.line(format_args!("# HELP {name} {help}"));
    }

    /// Writes a sample of a counter.
    pub(super) fn count(&mut self, name: &str, labels: Labels<'_>, value: u64) {
        self.sample(&format!("{name}_total"), labels, None, value);
    }

    /// Writes a sample with exactly this name.
    pub(super) fn value(&mut self, name: &str, labels: Labels<'_>, value: u64) {
        self.sample(name, labels, None, value);
    }

    /// Writes the samples of a histogram, in seconds.
    pub(super) fn durations(&mut self, name: &str, labels: Labels<'_>, durations: &Durations) {
        let bucket = format!("{name}_bucket");
        let bounds = BOUNDS_NS.iter().map(|ns| seconds(*ns)).chain(["+Inf".to_owned()]);
        for (bound, count) in bounds.zip(durations.up_to) {
            self.sample(&bucket, labels, Some(&bound), count);
        }
        let count = durations.up_to.last().copied().unwrap_or_default();
        self.sample(&format!("{name}_sum"), labels, None, seconds(durations.sum_ns));
        self.sample(&format!("{name}_count"), labels, None, count);
    }

    /// Returns the complete text.
    pub(super) fn end(mut self) -> String {
        if self.syntax == Syntax::OpenMetrics {
            self.line(format_args!("# EOF"));
        }
        self.text
    }

    fn sample(
        &mut self,
        name: &str,
        labels: Labels<'_>,
        bound: Option<&str>,
        value: impl std::fmt::Display,
    ) {
        self.text.push_str(name);
        let labels = labels.iter().copied().chain(bound.map(|bound| ("le", bound)));
        let mut open = '{';
        for (label, value) in labels {
            self.text.push(open);
            open = ',';
            self.text.push_str(label);
            self.text.push_str("=\"");
            self.quoted(value);
            self.text.push('"');
        }
        if open == ',' {
            self.text.push('}');
        }
        self.line(format_args!(" {value}"));
    }

    /// Writes a label's value. Backslashes, quotes and line feeds are escaped.
    fn quoted(&mut self, value: &str) {
        for character in value.chars() {
            match character {
                '\\' => self.text.push_str("\\\\"),
                '"' => self.text.push_str("\\\""),
                '\n' => self.text.push_str("\\n"),
                other => self.text.push(other),
            }
        }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing into a `String` does not fail.
        _ = self.text.write_fmt(text);
        self.text.push('\n');
    }
}

/// Formats nanoseconds as seconds with a decimal point, as OpenMetrics requires for bounds.
fn seconds(ns: u64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_written_as_decimals() {
        for (ns, text) in
            [(0, "0.0"), (100_000, "0.0001"), (2_500_000_000, "2.5"), (7, "0.000000007")]
        {
            assert_eq!(seconds(ns), text);
        }
    }

    #[test]
    fn writes_both_syntaxes() {
        let written = |syntax| {
            let mut text = Exposition::new(syntax);
            text.counter("sent_bytes", "bytes", "What was sent.");
            text.count("sent_bytes", &[("route", "/a\"\\\n")], 3);
            text.gauge("open", "What is open.");
            text.value("open", &[], 1);
            text.end()
        };
        assert_eq!(
            written(Syntax::Text),
            "# TYPE sent_bytes_total counter\n# HELP sent_bytes_total What was sent.\n\
             sent_bytes_total{route=\"/a\\\"\\\\\\n\"} 3\n# TYPE open gauge\n\
             # HELP open What is open.\nopen 1\n"
        );
        assert_eq!(
            written(Syntax::OpenMetrics),
            "# TYPE sent_bytes counter\n# UNIT sent_bytes bytes\n# HELP sent_bytes What was sent.\n\
             sent_bytes_total{route=\"/a\\\"\\\\\\n\"} 3\n# TYPE open gauge\n\
             # HELP open What is open.\nopen 1\n# EOF\n"
        );
    }
}
