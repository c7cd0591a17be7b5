//! Compares figures with published claims: whether a finding stands, as far as the interval allows.

use super::evaluation::{Measurement, Published, Unit};
use super::record::{Measured, Record, Recorded, RecordedFigure};
use crate::weigh::report::number;
use crate::weigh::statistics::Interval;

/// The result of comparing a measured ratio with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    /// The whole interval agrees with the claim.
    Stands,
    /// The whole interval contradicts the claim.
    Reversed,
    /// The interval contains the limit.
    Undecided,
}

impl Finding {
    /// Compares an interval with a limit that the claimed ratio is below or above.
    fn of(ratio: &Ratio, limit: f64, is_below: bool) -> Finding {
        let (below, above) = (ratio.high <= limit, ratio.low >= limit);
        match (below, above) {
            (true, true) | (false, false) => Finding::Undecided,
            (below, _) if below == is_below => Finding::Stands,
            _ => Finding::Reversed,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Finding::Stands => "stands",
            Finding::Reversed => "does not stand",
            Finding::Undecided => "undecided",
        }
    }
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Ratio {
    /// Returns the ratio of two figures. Figures of the same launches are compared launch by launch,
    /// so that a slow launch does not widen the interval, if they have two launches in common;
    /// `None` if one of them has a single launch.
    pub(super) fn of(figure: &Measured, reference: &Measured) -> Option<Ratio> {
        let exact = |of: &Measured| of.low == Some(of.value) && of.high == Some(of.value);
        if exact(figure) && exact(reference) {
            let value = figure.value / reference.value;
            return Some(Ratio { value, low: value, high: value });
        }
        let logs = |of: &Measured| of.samples.iter().map(|each| each.ln()).collect::<Vec<f64>>();
        let is_same_run = figure.run == reference.run;
        let pairs = if is_same_run { figure.paired_with(reference) } else { Vec::new() };
        let ratios: Vec<f64> =
            pairs.into_iter().map(|(_, mine, theirs)| mine.ln() - theirs.ln()).collect();
        let paired = Interval::of(&ratios);
        let interval = paired.or_else(|| Interval::of_difference(&logs(figure), &logs(reference)));
        let (value, low, high) = interval?.exp();
        Some(Ratio { value, low, high })
    }

    /// Returns a figure that is a ratio.
    fn of_figure(figure: &Measured) -> Option<Ratio> {
        Some(Ratio { value: figure.value, low: figure.low?, high: figure.high? })
    }

    fn text(&self) -> String {
        let value = number::significant(self.value);
        match self.low == self.high {
            true => value,
            false => with_interval(&value, self.low, self.high, number::significant),
        }
    }
}

/// Adds an interval to a figure: `45.1 µs ±3 %`, or `45.1 µs (20.2–98.0 µs)`.
pub(super) fn with_interval(
    value: &str,
    low: f64,
    high: f64,
    show: impl Fn(f64) -> String,
) -> String {
    let interval = number::interval(low, high, show);
    match interval.starts_with('±') {
        true => format!("{value} {interval}"),
        false => format!("{value} ({interval})"),
    }
}

/// Describes how a figure compares with its reference or its limit: in the publication, with the
/// same versions, and today. Empty if there is nothing to compare.
pub(super) fn words(measurement: &Measurement, published: &Published, record: &Record) -> String {
    let Measurement { measured, unit, .. } = *measurement;
    let reference = measurement.reference();
    let is_reference = reference.is_some_and(|other| other.subject == published.subject);
    let figure = record.figure(measured, published.subject).filter(|_| !is_reference);
    let Some(figure) = figure else { return String::new() };
    let then = match reference {
        None => published.value,
        Some(other) => published.value.zip(other.value).map(|(value, other)| value / other),
    };
    let ratio = |column: fn(&RecordedFigure) -> &Recorded| {
        let Recorded::Measured(of) = column(figure) else { return None };
        let Some(other) = reference else { return Ratio::of_figure(of) };
        match column(record.figure(measured, other.subject)?) {
            Recorded::Measured(other) => Ratio::of(of, other),
            Recorded::Missing { .. } => None,
        }
    };
    let part = |when: &str, ratio: Option<Ratio>| {
        let ratio = ratio?;
        let text = format!("{when} {}", ratio.text());
        let finding = then.map(|then| match reference {
            None => Finding::of(&ratio, then, true),
            Some(_) => Finding::of(&ratio, 1.0, then < 1.0),
        });
        Some(match finding {
            Some(finding) => format!("{text}: {}", finding.word()),
            None => text,
        })
    };
    let at_most = if reference.is_none() { "at most " } else { "" };
    let parts = [
        then.map(|then| format!("then {at_most}{}", number::significant(then))),
        part("with the same versions", ratio(|figure| &figure.same)),
        part("today", ratio(|figure| &figure.today)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match reference {
        Some(other) if !parts.is_empty() => {
            let what = match unit {
                Unit::Time => "time",
                Unit::Size => "size",
                Unit::Allocated => "allocation",
                Unit::Ratio => "ratio",
            };
            format!("{what} as a multiple of {}: {}", other.subject, parts.join("; "))
        }
        _ => parts.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Measured, Ratio};

    fn measured(run: &str, samples: &[f64]) -> Measured {
        Measured::of("S 1".to_owned(), run.to_owned(), samples.to_vec()).expect("samples")
    }

    #[test]
    fn launches_of_one_run_are_compared_in_pairs() {
        let slow = [1.0, 3.0, 1.2, 2.5, 1.1];
        let times = |factor: f64| slow.map(|speed| speed * factor);
        let paired = Ratio::of(&measured("a", &times(20.0)), &measured("a", &times(10.0)));
        let paired = paired.expect("a ratio");
        assert!((paired.low - 2.0).abs() < 1e-9 && (paired.high - 2.0).abs() < 1e-9, "{paired:?}");
        let apart = Ratio::of(&measured("a", &times(20.0)), &measured("b", &times(10.0)));
        let apart = apart.expect("a ratio");
        assert!(apart.low < 1.0 && apart.high > 4.0, "{apart:?}");
    }

    /// Each figure is missing in one launch, and launches differ by an order of magnitude.
    #[test]
    fn launches_that_lack_a_figure_do_not_shift_the_others() {
        let figure = measured("a", &[2.0, 20.0, 200.0]).with_launches(vec![1, 2, 3]);
        let reference = measured("a", &[10.0, 100.0, 1000.0]).with_launches(vec![2, 3, 4]);
        let ratio = Ratio::of(&figure, &reference).expect("a ratio");
        assert!((ratio.low - 2.0).abs() < 1e-9 && (ratio.high - 2.0).abs() < 1e-9, "{ratio:?}");
        // Without two launches in common, they are compared as those of different runs are.
        let late = reference.with_launches(vec![3, 4, 5]);
        let ratio = Ratio::of(&figure, &late).expect("a ratio");
        assert!((ratio.value - 0.2).abs() < 1e-9 && ratio.high > 1.0, "{ratio:?}");
    }

    #[test]
    fn finding_stands_only_if_the_whole_interval_agrees() {
        let ratio = |low: f64, high: f64| Ratio { value: (low * high).sqrt(), low, high };
        for (low, high, is_below, expected) in [
            (0.2, 0.9, true, Finding::Stands),
            (0.2, 1.1, true, Finding::Undecided),
            (1.1, 1.3, true, Finding::Reversed),
            (1.1, 1.3, false, Finding::Stands),
            (0.2, 0.9, false, Finding::Reversed),
            (1.0, 1.0, true, Finding::Undecided),
        ] {
            let found = Finding::of(&ratio(low, high), 1.0, is_below);
            assert_eq!(found, expected, "{low} to {high}, claimed below: {is_below}");
        }
    }

    #[test]
    fn ratio_of_sizes_is_exact() {
        let ratio = Ratio::of(&measured("a", &[34.0; 5]), &measured("a", &[183.0; 5]));
        let ratio = ratio.expect("a ratio");
        assert_eq!((ratio.low, ratio.text().as_str()), (34.0 / 183.0, "0.19"));
    }
}
