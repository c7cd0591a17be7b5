//! Compares figures with published claims: whether a finding stands, as far as the interval allows.

use super::evaluation::{Claim, Evaluation, Published, Unit};
use super::record::{Measured, Record, Recorded};
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
    /// so that a slow launch does not widen the interval; `None` if one of them has a single
    /// launch.
    pub(super) fn of(figure: &Measured, reference: &Measured) -> Option<Ratio> {
        let exact = |of: &Measured| of.low == Some(of.value) && of.high == Some(of.value);
        if exact(figure) && exact(reference) {
            let value = figure.value / reference.value;
            return Some(Ratio { value, low: value, high: value });
        }
        let logs = |of: &Measured| of.samples.iter().map(|each| each.ln()).collect::<Vec<f64>>();
        let (mine, theirs) = (logs(figure), logs(reference));
        let is_paired = figure.run == reference.run && mine.len() == theirs.len();
        let interval = match is_paired {
            true => {
                let ratios = mine.iter().zip(&theirs).map(|(mine, theirs)| mine - theirs);
                Interval::of(&ratios.collect::<Vec<f64>>())
            }
            false => Interval::of_difference(&mine, &theirs),
        };
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
pub(super) fn words(evaluation: &Evaluation, published: &Published, record: &Record) -> String {
    let Some(figure) = record.figure(published.measured, published.subject) else {
        return String::new();
    };
    let reference = evaluation.reference(published);
    let recorded_reference =
        reference.and_then(|other| record.figure(other.measured, other.subject));
    let ratio = |of: &Recorded, reference: Option<&Recorded>| match (published.claim, of, reference)
    {
        (Claim::Against(_), Recorded::Measured(of), Some(Recorded::Measured(reference))) => {
            Ratio::of(of, reference)
        }
        (Claim::AtMost(_) | Claim::AtLeast(_), Recorded::Measured(of), _) => Ratio::of_figure(of),
        _ => None,
    };
    let then = match published.claim {
        Claim::Against(_) => {
            let values = published.value.zip(reference.and_then(|other| other.value));
            values.map(|(value, reference)| value / reference)
        }
        Claim::AtMost(limit) | Claim::AtLeast(limit) => Some(limit),
        Claim::Reference => None,
    };
    let finding = |ratio: &Ratio| match published.claim {
        Claim::Against(_) => then.map(|then| Finding::of(ratio, 1.0, then < 1.0)),
        Claim::AtMost(limit) => Some(Finding::of(ratio, limit, true)),
        Claim::AtLeast(limit) => Some(Finding::of(ratio, limit, false)),
        Claim::Reference => None,
    };
    let part = |ratio: Option<Ratio>, when: &str| {
        let ratio = ratio?;
        let text = ratio.text();
        Some(match finding(&ratio) {
            Some(finding) => format!("{when} {text}: {}", finding.word()),
            None => format!("{when} {text}"),
        })
    };
    let parts = [
        then.map(|then| format!("then {}", then_text(published.claim, then))),
        part(
            ratio(&figure.same, recorded_reference.map(|other| &other.same)),
            "with the same versions",
        ),
        part(ratio(&figure.today, recorded_reference.map(|other| &other.today)), "today"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match (published.claim, parts.is_empty()) {
        (_, true) | (Claim::Reference, _) => String::new(),
        (Claim::Against(subject), false) => {
            format!("{} {subject}: {}", comparison(published.unit), parts.join("; "))
        }
        _ => parts.join("; "),
    }
}

fn then_text(claim: Claim, then: f64) -> String {
    let then = number::significant(then);
    match claim {
        Claim::AtMost(_) => format!("at most {then}"),
        Claim::AtLeast(_) => format!("at least {then}"),
        Claim::Against(_) | Claim::Reference => then,
    }
}

/// Returns the words before a ratio's reference.
fn comparison(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "time as a multiple of",
        Unit::Size => "size as a multiple of",
        Unit::Allocated => "allocation as a multiple of",
        Unit::Ratio => "as a multiple of",
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
