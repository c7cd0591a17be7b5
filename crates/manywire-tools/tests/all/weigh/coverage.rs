//! Checks that intervals contain the true value as often as declared, under realistic noise.
//!
//! Each model generates rounds of two subjects with a known ratio, and the launches differ by a
//! known spread. The complete rule is applied: the median of log ratios within a launch, tests at
//! 10, 15, 20 and 30 launches, and a stop by width.

use manywire_tools::weigh::statistics::{Interval, median, stopped};

/// The number of measurements of each model, enough to distinguish 95 % from 93 %.
const MEASUREMENTS: usize = 1_500;

/// The minimum coverage. Above 97 %, intervals are wider than necessary, which is harmless.
const COVERAGE_MIN: f64 = 0.93;

const ROUNDS: usize = 30;
const TRUTH: f64 = 0.8;
const TARGET: f64 = 0.01;

struct Noise {
    random: fastrand::Rng,
}

impl Noise {
    fn normal(&mut self) -> f64 {
        // The Box-Muller transform (1958).
        let (u, v) = (1.0 - self.random.f64(), self.random.f64());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// A function that returns the logarithms of the two times of a round.
type Model = fn(&mut Noise, &mut f64) -> (f64, f64);

/// Plain noise of one per cent.
fn white(noise: &mut Noise, _: &mut f64) -> (f64, f64) {
    (0.01 * noise.normal(), 0.01 * noise.normal())
}

/// A machine that slows down and recovers: a random walk that both subjects share.
fn drift(noise: &mut Noise, state: &mut f64) -> (f64, f64) {
    *state += 0.02 * noise.normal();
    (*state + 0.005 * noise.normal(), *state + 0.005 * noise.normal())
}

/// One batch in a hundred is interrupted and takes twenty times as long.
fn spikes(noise: &mut Noise, _: &mut f64) -> (f64, f64) {
    let mut batch = || {
        let spike = if noise.random.f64() < 0.01 { 20.0_f64.ln() } else { 0.0 };
        spike + 0.01 * noise.normal()
    };
    (batch(), batch())
}

/// A clock with a resolution of half a per cent of a batch.
fn quantised(noise: &mut Noise, _: &mut f64) -> (f64, f64) {
    let tick = |log: f64| ((log.exp() * 200.0).round() / 200.0).ln();
    (tick(0.01 * noise.normal()), tick(0.01 * noise.normal()))
}

/// Noise that grows and shrinks from round to round.
fn heteroscedastic(noise: &mut Noise, state: &mut f64) -> (f64, f64) {
    *state += 1.0;
    let spread = 0.002 + 0.02 * (*state / 5.0).sin().abs();
    (spread * noise.normal(), spread * noise.normal())
}

/// Returns the median of the log ratios of a launch, around the true ratio of that launch.
fn launch(model: Model, between: f64, noise: &mut Noise) -> f64 {
    let own = TRUTH.ln() + between;
    let mut state = 0.0;
    let rounds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (mine, theirs) = model(noise, &mut state);
            own + mine - theirs
        })
        .collect();
    median(&rounds).expect("thirty rounds")
}

fn coverage(name: &str, model: Model, mut between: impl FnMut(&mut Noise) -> f64) -> f64 {
    let mut noise = Noise { random: fastrand::Rng::with_seed(20_161_121) };
    let mut covered = 0;
    for _ in 0..MEASUREMENTS {
        let launches: Vec<f64> = (0..30)
            .map(|_| {
                let own = between(&mut noise);
                launch(model, own, &mut noise)
            })
            .collect();
        let interval: Interval = stopped(launches, TARGET).expect("thirty launches");
        covered += usize::from((interval.low()..=interval.high()).contains(&TRUTH.ln()));
    }
    let coverage = covered as f64 / MEASUREMENTS as f64;
    println!("{name}: {:.1} %", coverage * 100.0);
    coverage
}

#[test]
fn intervals_cover_the_truth_under_every_noise() {
    let models: [(&str, Model); 5] = [
        ("white", white),
        ("drift", drift),
        ("spikes", spikes),
        ("quantised clock", quantised),
        ("heteroscedastic", heteroscedastic),
    ];
    for (name, model) in models {
        let coverage = coverage(name, model, |noise| 0.015 * noise.normal());
        assert!(coverage >= COVERAGE_MIN, "{name}: {coverage}");
    }
}

#[test]
fn intervals_cover_the_mean_of_two_modes() {
    // A third of the launches is four per cent slower. The true value is the mean over launches.
    let coverage = coverage("two modes", white, |noise| {
        let mode = if noise.random.f64() < 1.0 / 3.0 { 0.04 } else { 0.0 };
        mode - 0.04 / 3.0 + 0.003 * noise.normal()
    });
    assert!(coverage >= COVERAGE_MIN, "two modes: {coverage}");
}
