use manywire_tools::weigh::report::number::{
    bandwidth, count, interval, mean, significant, size, time,
};

#[test]
fn counts_separate_thousands() {
    for (number, text) in [
        (0, "0"),
        (999, "999"),
        (1_000, "1,000"),
        (38_592, "38,592"),
        (1_234_567, "1,234,567"),
        (u64::MAX, "18,446,744,073,709,551,615"),
    ] {
        assert_eq!(count(number), text);
    }
}

#[test]
fn means_have_at_most_one_decimal() {
    for (number, text) in [
        (0.0, "0"),
        (3.0, "3"),
        (9.46, "9.5"),
        (4_316.0, "4,316"),
        (4_316.25, "4,316.3"),
        (7.98, "8"),
    ] {
        assert_eq!(mean(number), text);
    }
}

#[test]
fn units_change_if_rounding_overflows() {
    for (ns, text) in [
        (0.5, "0.50 ns"),
        (45.14, "45.1 ns"),
        (999.4, "999 ns"),
        (999.6, "1.00 µs"),
        (45_140.0, "45.1 µs"),
        (999_600.0, "1.00 ms"),
        (2_500_000_000.0, "2.50 s"),
    ] {
        assert_eq!(time(ns), text);
    }
    for (bytes, text) in [
        (0.0, "0"),
        (1_023.4, "1023"),
        (1_023.6, "1.00 K"),
        (65_536.0, "64.0 K"),
        (1_048_575.0, "1.00 M"),
        (1_073_741_824.0, "1.00 G"),
    ] {
        assert_eq!(size(bytes), text);
    }
    for (bits, text) in [
        (5e3, "5.00 kbit/s"),
        (999_900.0, "1.00 Mbit/s"),
        (310e6, "310 Mbit/s"),
        (8.11e9, "8.11 Gbit/s"),
    ] {
        assert_eq!(bandwidth(bits), text);
    }
}

#[test]
fn three_digits_or_the_whole_integer_part() {
    for (value, text) in [
        (0.0, "0.00"),
        (1.234, "1.23"),
        (9.996, "10.0"),
        (12.28, "12.3"),
        (99.96, "100"),
        (4_317.0, "4317"),
    ] {
        assert_eq!(significant(value), text);
    }
}

#[test]
fn wide_intervals_show_both_ends() {
    for (low, high, text) in [
        (970e3, 1_030e3, "±3 %"),
        (997e3, 1_003e3, "±0.3 %"),
        (1e6, 1.000_001e6, "±0.1 %"),
        (0.996e6, 1.0149e6, "±0.9 %"),
        (1e6, 1e6, "±0 %"),
        (1.2e6, 3.4e6, "1.20–3.40 ms"),
        (0.4e3, 3.4e6, "400 ns–3.40 ms"),
        (0.0, 3.4e6, "0.00 ns–3.40 ms"),
    ] {
        assert_eq!(interval(low, high, time), text);
    }
    assert_eq!(interval(500.0, 1_500.0, |it| count(it as u64)), "500–1,500");
}
