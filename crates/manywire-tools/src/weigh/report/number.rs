//! Formats numbers for people.

/// Formats a count with separated thousands: `38,592`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a mean count: as an integer if it is one, otherwise with one decimal.
pub fn mean(number: f64) -> String {
    let tenths = (number * 10.0).round() as u64;
    if tenths.is_multiple_of(10) {
        count(tenths / 10)
    } else {
        format!("{}.{}", count(tenths / 10), tenths % 10)
    }
}

/// Formats a time with three significant digits and its unit: `45.1 µs`.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        ns if ns < 999.5 => (ns, "ns"),
        ns if ns < 999_500.0 => (ns / 1e3, "µs"),
        ns if ns < 999_500_000.0 => (ns / 1e6, "ms"),
        ns => (ns / 1e9, "s"),
    };
    format!("{} {unit}", significant(value))
}

/// Formats bytes with three significant digits and a binary unit: `64.0 K`.
pub fn size(bytes: f64) -> String {
    match bytes {
        bytes if bytes < 1_023.5 => format!("{bytes:.0}"),
        bytes if bytes < 1_023.5 * 1_024.0 => format!("{} K", significant(bytes / 1_024.0)),
        bytes if bytes < 1_023.5 * 1_048_576.0 => format!("{} M", significant(bytes / 1_048_576.0)),
        bytes => format!("{} G", significant(bytes / 1_073_741_824.0)),
    }
}

/// Formats three significant digits, or all digits of a larger integer part; numbers below 1 have
/// two decimals.
pub fn significant(value: f64) -> String {
    match value {
        value if value < 9.995 => format!("{value:.2}"),
        value if value < 99.95 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    }
}

/// Formats bits per second with a unit: `310 Mbit/s`.
pub fn bandwidth(bits_per_second: f64) -> String {
    match bits_per_second {
        bits if bits < 999.5e3 => format!("{} kbit/s", significant(bits / 1e3)),
        bits if bits < 999.5e6 => format!("{} Mbit/s", significant(bits / 1e6)),
        bits => format!("{} Gbit/s", significant(bits / 1e9)),
    }
}

/// Formats a share in per cent, with one decimal below one per cent: `28 %`, `0.4 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// The minimum half-width on the logarithmic scale at which an interval is visibly asymmetric: the
/// distances of its ends from the figure then differ by more than a fifth of the half-width.
const SYMMETRIC: f64 = 0.2;

/// Formats the interval of a positive figure: `±3 %` if both ends are about equally far from the
/// figure, and otherwise both ends, `1.20–3.40 ms`.
pub fn interval(low: f64, high: f64, show: impl Fn(f64) -> String) -> String {
    if low == high {
        return "±0 %".to_owned();
    }
    let half = (high / low).ln() / 2.0;
    if half < SYMMETRIC {
        // At least 0.1 %, because only an interval without width is shown as 0 %.
        return format!("±{}", percent(half.sinh().max(0.001)));
    }
    let (low, high) = (show(low), show(high));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number}–{high}"),
        _ => format!("{low}–{high}"),
    }
}
