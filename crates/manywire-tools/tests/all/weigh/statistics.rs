//! Compares the statistics with figures from other software.

use manywire_tools::weigh::statistics::{
    Fit, Interval, Moments, Verdict, holm, judge, median, modes, speed_range, two_speeds,
};

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-6 * right.abs().max(1e-9)
}

#[test]
fn median_of_odd_even_and_empty() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(&[]), None);
}

#[test]
fn interval_is_students_at_97_per_cent() {
    // t(0.985, 9) = 2.573804 by R's qt; the standard deviation of 1..=10 is 3.027650.
    let interval = Interval::of(&(1..=10).map(f64::from).collect::<Vec<_>>()).unwrap();
    assert!(close(interval.mean, 5.5));
    assert!(close(interval.standard_error, 3.027650 / 10.0_f64.sqrt()));
    assert!(
        (interval.half_width - 2.573804 * 3.027650 / 10.0_f64.sqrt()).abs() < 1e-4,
        "{interval:?}"
    );
    assert_eq!(Interval::of(&[1.0]), None);
    assert_eq!(Interval::of(&[1.0, f64::NAN]), None);
}

#[test]
fn holm_matches_hand_computation() {
    // 0.01·4, max(0.04, 0.02·3), max(0.06, 0.03·2), max(…, 0.5·1)
    let adjusted = holm(&[0.03, 0.01, 0.5, 0.02]);
    for (adjusted, expected) in adjusted.into_iter().zip([0.06, 0.04, 0.5, 0.06]) {
        assert!(close(adjusted, expected), "{adjusted} {expected}");
    }
    assert_eq!(holm(&[]), Vec::<f64>::new());
    assert_eq!(holm(&[0.9, 0.8]), vec![1.0, 1.0]);
}

#[test]
fn fit_of_a_line_and_of_noise() {
    let line: Vec<(f64, f64)> = (1..=5).map(|x| (f64::from(x), 3.0 * f64::from(x) + 2.0)).collect();
    let fit = Fit::of(&line).unwrap();
    assert!(close(fit.slope, 3.0) && close(fit.intercept, 2.0) && close(fit.r_squared, 1.0));
    // A flat cloud explains nothing: R² is 0, not the 0.5 of a total that counts the residual
    // twice.
    let cloud = [(1.0, 1.0), (1.0, 3.0), (2.0, 1.0), (2.0, 3.0)];
    assert!(Fit::of(&cloud).unwrap().r_squared.abs() < 1e-12);
    assert_eq!(Fit::of(&[(1.0, 1.0), (1.0, 2.0)]), None);
}

#[test]
fn moments_use_n_minus_one() {
    let moments = Moments::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
    assert!(close(moments.mean, 5.0) && close(moments.standard_deviation, (32.0_f64 / 7.0).sqrt()));
}

#[test]
fn detects_two_modes_only() {
    let two: Vec<f64> =
        (0..20).map(|i| if i % 3 == 0 { 6.0 } else { 3.6 } + f64::from(i) * 0.001).collect();
    let found = modes(&two).expect("two modes");
    assert!((found.low - 3.6).abs() < 0.05 && (found.high - 6.0).abs() < 0.05, "{found:?}");
    assert_eq!(found.low_count, 13);
    let one: Vec<f64> = (0..20).map(|i| 3.6 + f64::from(i) * 0.01).collect();
    assert_eq!(modes(&one), None);
    // One outlier is not a mode.
    let straggler: Vec<f64> = one.iter().copied().chain([9.0]).collect();
    assert_eq!(modes(&straggler), None);
}

fn around(ratio: f64, spread: f64) -> Interval {
    let logs: Vec<f64> =
        (0..10).map(|i| ratio.ln() + spread * (f64::from(i) - 4.5) / 4.5).collect();
    Interval::of(&logs).unwrap()
}

#[test]
fn verdicts_are_faster_slower_or_same() {
    let judged = judge(
        &[around(0.5, 0.01), around(1.3, 0.01), around(1.001, 0.005), around(1.02, 0.05)],
        0.02,
    );
    let verdicts: Vec<Verdict> = judged.iter().map(|comparison| comparison.verdict).collect();
    assert_eq!(verdicts[..3], [Verdict::Faster, Verdict::Slower, Verdict::Same]);
    assert!(
        matches!(verdicts[3], Verdict::Inconclusive { more_launches } if more_launches > 0),
        "{verdicts:?}"
    );
}

#[test]
fn adjustment_can_reject_a_single_verdict() {
    let marginal = around(1.035, 0.018);
    assert_eq!(judge(&[marginal], 0.02)[0].verdict, Verdict::Slower);
    let crowd = vec![marginal; 40];
    assert!(matches!(judge(&crowd, 0.02)[0].verdict, Verdict::Inconclusive { .. }));
}

#[test]
fn more_launches_shrink_the_interval_as_estimated() {
    let interval = around(1.0, 0.05);
    let needed = interval.launches_for(0.01);
    assert!(needed > 10);
    let spread = interval.standard_error * 10.0_f64.sqrt();
    let width =
        |n: usize| interval.half_width / interval.standard_error * spread / (n as f64).sqrt();
    // Student's t falls with n, so the width with the t of ten launches is an upper bound.
    assert!(width(needed) <= 0.0125, "{}", width(needed));
}

#[test]
fn slope_is_fitted_within_launches() {
    // Two launches with equal batch lengths, one on a slower machine: slopes of 2 and 4.
    let launch = |slope: f64, from: f64| -> Vec<(f64, f64)> {
        (0..5).map(|i| from + f64::from(i)).map(|x| (x, slope * x)).collect()
    };
    let launches = [launch(2.0, 200.0), launch(4.0, 100.0)];
    assert!(close(Fit::within(&launches).unwrap().slope, 3.0));
    assert!(Fit::of(&launches.concat()).unwrap().slope < 0.5, "all batches together are flat");
    assert!(close(Fit::within(&launches[..1]).unwrap().r_squared, 1.0));
    assert_eq!(Fit::within(&[]), None);
}

/// Returns rows with little noise, each with one logarithm per launch, to which `slower` adds.
fn rows(rows: usize, launches: usize, slower: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let mut random = fastrand::Rng::with_seed(7);
    let mut row = |row: usize| -> Vec<f64> {
        let time = |launch| row as f64 + 0.01 * random.f64() + slower(row, launch);
        (0..launches).map(time).collect()
    };
    (0..rows).map(&mut row).collect()
}

/// The expected figures come from another implementation of the same formula.
#[test]
fn separate_launches_are_compared_by_welch() {
    let left =
        [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4];
    let right =
        [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 22.7];
    let found = Interval::of_difference(&left, &right).expect("an interval");
    assert!((found.mean - (20.82 - 23.54)).abs() < 1e-9, "{found:?}");
    assert!((found.mean / found.standard_error + 2.737_788).abs() < 1e-5, "{found:?}");
    // 27.89 degrees of freedom, rounded down.
    assert_eq!(found.launches, 28);
    let unequal = Interval::of_difference(&left, &[0.0, 0.0]).expect("an interval");
    assert_eq!(unequal.launches, 15);
    assert_eq!(
        Interval::of_difference(&[1.0, 1.0], &[1.0, 1.0]).map(|it| it.half_width),
        Some(0.0)
    );
    assert_eq!(Interval::of_difference(&[1.0], &left), None);
}

#[test]
fn rows_that_slow_down_together_show_two_speeds() {
    let slow = |launch: usize| if launch % 4 == 1 { 1.2_f64.ln() } else { 0.0 };
    let together = rows(16, 28, |_, launch| slow(launch));
    let speeds = two_speeds(std::slice::from_ref(&together), 0.05).expect("two speeds");
    assert_eq!((speeds.slow, speeds.launches), (7, 28));
    assert!((speeds.ratio - 1.2).abs() < 0.01, "{speeds:?}");
    // The difference is within δ.
    assert_eq!(two_speeds(&[together], 0.25), None);
    // Most launches of one group are slow, and few of the other.
    let groups = [
        rows(3, 10, |_, launch| if launch < 7 { 0.3 } else { 0.0 }),
        rows(3, 10, |_, launch| if launch < 2 { 0.3 } else { 0.0 }),
    ];
    let speeds = two_speeds(&groups, 0.05).expect("two speeds");
    assert_eq!((speeds.slow, speeds.launches), (9, 20));
}

#[test]
fn rows_that_change_together_show_a_range_of_speeds() {
    // Launches from the highest to the lowest speed, without a gap between them.
    let slower = |_, launch: usize| 0.3 * launch as f64 / 29.0;
    let together = rows(8, 30, slower);
    assert_eq!(two_speeds(std::slice::from_ref(&together), 0.05), None);
    let range = speed_range(std::slice::from_ref(&together), 0.05).expect("a range");
    assert_eq!(range.launches, 30);
    assert!((1.28..1.35).contains(&range.ratio), "{range:?}");
    // The difference is within δ.
    assert_eq!(speed_range(&[together], 0.5), None);
    // The rows are slow in different launches.
    let own = |row: usize, launch: usize| if (launch + row).is_multiple_of(4) { 0.3 } else { 0.0 };
    assert_eq!(speed_range(&[rows(16, 28, own)], 0.05), None);
    assert_eq!(speed_range(&[rows(1, 28, slower)], 0.05), None);
    assert_eq!(speed_range(&[], 0.05), None);
}

#[test]
fn rows_that_slow_down_alone_show_no_two_speeds() {
    let own = |row: usize, launch: usize| if (launch + row) % 4 == 1 { 0.2 } else { 0.0 };
    assert_eq!(two_speeds(&[rows(16, 28, own)], 0.05), None);
    let one_row = |row: usize, launch: usize| if row == 0 && launch % 4 == 1 { 0.2 } else { 0.0 };
    assert_eq!(two_speeds(&[rows(16, 28, one_row)], 0.05), None);
    assert_eq!(two_speeds(&[rows(16, 28, |_, _| 0.0)], 0.05), None);
    assert_eq!(two_speeds(&[rows(1, 28, |_, launch| (launch % 2) as f64)], 0.05), None);
    assert_eq!(two_speeds(&[], 0.05), None);
}
