use std::fmt;
use std::str::FromStr;

use super::{Gate, Limit, Metric, Operator};

/// Why a text is no gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidGate {
    text: String,
    reason: String,
}

impl fmt::Display for InvalidGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "gate {:?}: {}; write FORMAT.METRIC OP LIMIT, such as 'msgpack.bytes<=json*0.8' or 'protobuf.decode<=0.7'",
            self.text, self.reason
        )
    }
}

impl std::error::Error for InvalidGate {}

/// Longest first, so that `<=` is not taken for `<`.
const OPERATORS: [(&str, Operator); 5] = [
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("==", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl FromStr for Gate {
    type Err = InvalidGate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = |reason: String| InvalidGate { text: text.to_owned(), reason };
        let (at, sign, operator) = OPERATORS
            .iter()
            .filter_map(|&(sign, operator)| Some((text.find(sign)?, sign, operator)))
            .min_by_key(|&(at, sign, _)| (at, usize::MAX - sign.len()))
            .ok_or_else(|| invalid("there is no <=, <, >=, > or == in it".to_owned()))?;
        let (figure, limit) = (text[..at].trim(), text[at + sign.len()..].trim());
        let (format, metric) =
            figure.split_once('.').ok_or_else(|| invalid(format!("{figure:?} names no metric")))?;
        let format = format
            .parse()
            .map_err(|error: manywire_format::UnknownFormat| invalid(error.to_string()))?;
        let metric = parse_metric(metric).map_err(&invalid)?;
        let limit = parse_limit(limit).map_err(&invalid)?;
        if metric.is_time() && operator == Operator::Equal {
            return Err(invalid("a time is never exactly equal; use <= or >=".to_owned()));
        }
        if metric.is_time() && matches!(limit, Limit::Format(..)) {
            return Err(invalid(
                "times are ratios to the reference already; write a number".to_owned(),
            ));
        }
        Ok(Gate { text: text.to_owned(), format, metric, operator, limit })
    }
}

fn parse_metric(name: &str) -> Result<Metric, String> {
    Ok(match name {
        "bytes" => Metric::Bytes,
        "allocs" => Metric::Allocs,
        "encode" => Metric::Encode,
        "decode" => Metric::Decode,
        coding => Metric::Coded(coding.parse().map_err(|_| {
            format!("there is no metric {coding:?}; there are bytes, encode, decode, allocs and codings such as gzip:6")
        })?),
    })
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    if let Some(number) = number(text) {
        return Ok(Limit::Number(number));
    }
    let (name, factor) = match text.split_once('*') {
        None => (text, 1.0),
        Some((name, factor)) => {
            let factor = number(factor.trim()).ok_or_else(|| format!("{factor:?} is no factor"))?;
            (name.trim(), factor)
        }
    };
    match name {
        "baseline" => Ok(Limit::Baseline(factor)),
        name => {
            let unknown = || format!("{name:?} is no number, no format and not \"baseline\"");
            name.parse().map(|format| Limit::Format(format, factor)).map_err(|_| unknown())
        }
    }
}

/// A finite number that is not negative.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}
