//! Links between client and server that are slower and longer than loopback, as profiles or
//! figures.

mod relay;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::trial::origin::Origin;
pub use crate::weigh::http::{SEGMENT_BYTES, SEGMENT_OVERHEAD_BYTES, wire_bytes};

pub use relay::Relay;

/// A link with the same bandwidth in both directions, and its round trip.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The profile's name, or the figures as written.
    pub name: String,
    /// Bits a second in each direction.
    pub bits_per_s: f64,
    /// The round trip; each direction has half of it.
    pub round_trip: Duration,
}

/// A common kind of link.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// The name of the profile.
    pub name: &'static str,
    /// The bandwidth and the round trip, in the syntax that [`Link`] parses.
    pub figures: &'static str,
    /// The source of the bandwidth.
    pub bandwidth: Origin,
    /// The source of the round trip.
    pub round_trip: Origin,
}

const THROTTLING: &str = "WebPageTest's profile 3GFast and Lighthouse's mobile throttling";

/// Common links, fastest first.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "lan",
        figures: "1gbit/200us",
        bandwidth: Origin::published("1000BASE-T (IEEE 802.3)"),
        round_trip: Origin::assumed("a ping through one switch"),
    },
    Profile {
        name: "cross-zone",
        figures: "5gbit/1ms",
        bandwidth: Origin::published(
            "Amazon EC2's limit of a single flow outside of a cluster placement group",
        ),
        round_trip: Origin::assumed("about that between zones of a region"),
    },
    Profile {
        name: "4g",
        figures: "20mbit/50ms",
        bandwidth: Origin::assumed(
            "LTE of good reception; WebPageTest's profile LTE has 12 Mbit/s, its 4G 9",
        ),
        round_trip: Origin::assumed(
            "LTE of good reception; WebPageTest's profile LTE has 70 ms, its 4G 170",
        ),
    },
    Profile {
        name: "3g",
        figures: "1.6mbit/150ms",
        bandwidth: Origin::derived(THROTTLING, "as much upwards; theirs is 0.75 Mbit/s"),
        round_trip: Origin::published(THROTTLING),
    },
    Profile {
        name: "satellite",
        figures: "10mbit/600ms",
        bandwidth: Origin::assumed("as providers sell such lines"),
        round_trip: Origin::derived(
            "geostationary: four times 35,786 km at the speed of light are 477 ms",
            "the ground adds the rest",
        ),
    },
];

impl Link {
    /// Returns the time that a request and its response spend on a warm connection.
    pub fn time(&self, request_bytes: u64, answer_bytes: u64) -> Duration {
        let bits = 8.0 * (wire_bytes(request_bytes) + wire_bytes(answer_bytes)) as f64;
        self.round_trip + Duration::from_secs_f64(bits / self.bits_per_s)
    }
}

/// The error for an invalid link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidLink(String);

impl fmt::Display for InvalidLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        write!(
            f,
            "invalid link {:?}: expected bandwidth and round trip, such as 20mbit/50ms, or one of {}",
            self.0,
            names.join(", ")
        )
    }
}

impl std::error::Error for InvalidLink {}

impl FromStr for Link {
    type Err = InvalidLink;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let profile = PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(text));
        let figures = profile.map_or(text, |profile| profile.figures);
        let invalid = || InvalidLink(text.to_owned());
        let (bandwidth, delay) = figures.split_once('/').ok_or_else(invalid)?;
        let rates = [("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9)];
        let times = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
        let bits_per_s = quantity(bandwidth, &rates).ok_or_else(invalid)?;
        let round_trip_s = quantity(delay, &times).ok_or_else(invalid)?;
        // Limits catch typing errors: slower than a telephone line, or farther than the moon.
        if !(1e3..=1e12).contains(&bits_per_s) || !(0.0..=10.0).contains(&round_trip_s) {
            return Err(invalid());
        }
        let round_trip = Duration::from_secs_f64(round_trip_s);
        Ok(Link { name: text.to_ascii_lowercase(), bits_per_s, round_trip })
    }
}

/// Parses a number with its unit.
fn quantity(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let (number, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some(number * factor)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Link, PROFILES};

    #[test]
    fn parses_links_by_name_and_by_figures() {
        for profile in PROFILES {
            let named: Link = profile.name.parse().expect(profile.name);
            let spelled: Link = profile.figures.parse().expect(profile.figures);
            assert_eq!(
                (named.bits_per_s, named.round_trip),
                (spelled.bits_per_s, spelled.round_trip)
            );
        }
        let link: Link = "1.5Mbit/ 20 ms".parse().expect("a link");
        assert_eq!((link.bits_per_s, link.round_trip), (1.5e6, Duration::from_millis(20)));
        for text in [
            "",
            "5g",
            "20mbit",
            "20/50",
            "mbit/ms",
            "-1mbit/5ms",
            "nanmbit/1ms",
            "1mbit/1h",
            "0mbit/1ms",
            "1mbit/60s",
        ] {
            let error = text.parse::<Link>().expect_err(text).to_string();
            assert!(
                error.contains("20mbit/50ms, or one of lan, cross-zone, 4g, 3g, satellite"),
                "{error}"
            );
        }
    }

    #[test]
    fn every_segment_carries_headers() {
        let link: Link = "1mbit/10ms".parse().expect("a link");
        // One segment of 1,500 bytes out; 3,000 bytes back.
        let time = link.time(1_448, 1_448 + 1_396);
        assert_eq!(time, Duration::from_millis(10) + Duration::from_micros(8 * (1_500 + 2_948)));
    }
}
