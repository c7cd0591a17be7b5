//! Prices of CPU time, bytes and energy, and how a user changes them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The prices of the cost model. A user's TOML file has the same names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Prices {
    /// The currency.
    pub currency: String,
    /// Money for an hour of one virtual core.
    pub vcpu_hour: f64,
    /// The share of the core's time that is used.
    pub utilisation: f64,
    /// Money for 10^9 outgoing bytes.
    pub gigabyte: f64,
    /// Millijoules for a thousand bytes, by radio.
    pub radio_mj_per_kb: BTreeMap<String, f64>,
    /// Millijoules for a millisecond of the client's CPU, which equals its power in watts.
    pub cpu_mj_per_ms: f64,
}

impl Default for Prices {
    /// List prices of large clouds, and measurements that are published; see `docs/trial.md`.
    fn default() -> Self {
        let radios = [("wifi", 1.15), ("lte", 0.93), ("3g", 5.07), ("ble", 0.21)];
        Prices {
            currency: "USD".to_owned(),
            vcpu_hour: 0.04,
            utilisation: 0.5,
            gigabyte: 0.09,
            radio_mj_per_kb: radios.map(|(name, mj)| (name.to_owned(), mj)).into(),
            cpu_mj_per_ms: 1.0,
        }
    }
}

/// The error for an invalid price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPrice(String);

impl fmt::Display for InvalidPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPrice {}

impl Prices {
    /// Reads prices; missing ones have their defaults.
    ///
    /// # Errors
    ///
    /// Returns an error with line and column if the TOML is invalid or a name is unknown, or an
    /// error if a price is negative or not finite.
    pub fn read(text: &str) -> Result<Prices, InvalidPrice> {
        let prices: Prices =
            toml::from_str(text).map_err(|error| InvalidPrice(error.to_string()))?;
        prices.check()?;
        Ok(prices)
    }

    /// Sets one price: `gigabyte=0.02`, `radio_mj_per_kb.lte=2`.
    ///
    /// # Errors
    ///
    /// Returns an error if the text has another form, the name is unknown, or the number is
    /// invalid.
    pub fn set(&mut self, text: &str) -> Result<(), InvalidPrice> {
        let malformed = || {
            InvalidPrice(format!(
                "invalid price {text:?}: write NAME=NUMBER, such as gigabyte=0.02; the names are \
                 vcpu_hour, utilisation, gigabyte, cpu_mj_per_ms and radio_mj_per_kb.RADIO, such \
                 as radio_mj_per_kb.lte; currency=TEXT sets the currency"
            ))
        };
        let (name, value) = text.split_once('=').ok_or_else(malformed)?;
        let number = || value.trim().parse::<f64>().map_err(|_| malformed());
        match name.trim() {
            "currency" => self.currency = value.trim().to_owned(),
            "vcpu_hour" => self.vcpu_hour = number()?,
            "utilisation" => self.utilisation = number()?,
            "gigabyte" => self.gigabyte = number()?,
            "cpu_mj_per_ms" => self.cpu_mj_per_ms = number()?,
            other => {
                let radio = other.strip_prefix("radio_mj_per_kb.").ok_or_else(malformed)?;
                self.radio_mj_per_kb.insert(radio.to_owned(), number()?);
            }
        }
        self.check()
    }

    /// Returns the money for `cpu_ns` nanoseconds of a server's core, including the matching idle
    /// time.
    pub(crate) fn core_money(&self, cpu_ns: f64) -> f64 {
        cpu_ns / 1e9 / self.utilisation * self.vcpu_hour / 3_600.0
    }

    fn check(&self) -> Result<(), InvalidPrice> {
        let plain = [
            ("vcpu_hour", self.vcpu_hour),
            ("gigabyte", self.gigabyte),
            ("cpu_mj_per_ms", self.cpu_mj_per_ms),
        ];
        let radios = self.radio_mj_per_kb.iter().map(|(name, &mj)| (name.as_str(), mj));
        for (name, price) in plain.into_iter().chain(radios) {
            if !(price.is_finite() && price >= 0.0) {
                return Err(InvalidPrice(format!("{name} = {price}: expected a number from 0")));
            }
        }
        match self.utilisation {
            share if share > 0.0 && share <= 1.0 => Ok(()),
            share => Err(InvalidPrice(format!(
                "utilisation = {share}: expected a share above 0, at most 1"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Prices;

    #[test]
    fn reads_sets_and_rejects_prices() {
        let read =
            Prices::read("vcpu_hour = 0.1\n[radio_mj_per_kb]\nlora = 900\n").expect("prices");
        assert_eq!((read.vcpu_hour, read.gigabyte), (0.1, 0.09));
        assert_eq!(read.radio_mj_per_kb.len(), 1, "a table replaces the table");
        let mut set = Prices::default();
        set.set("gigabyte = 0.02").expect("a price");
        set.set("radio_mj_per_kb.lora=900").expect("a price");
        assert_eq!((set.gigabyte, set.radio_mj_per_kb.len()), (0.02, 5));
        for (text, words) in [
            ("vcpu = 1", "unknown field `vcpu`"),
            ("vcpu_hour = 'dear'", "TOML parse error at line 1, column"),
            ("gigabyte = -1", "gigabyte = -1: expected a number from 0"),
            ("gigabyte = nan", "expected a number from 0"),
            ("utilisation = 0.0", "expected a share above 0"),
        ] {
            let error = Prices::read(text).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        for text in ["gigabyte", "gigabyte=", "hour=1", "gigabyte=-1", "radio.lte=1"] {
            set.set(text).expect_err(text);
        }
    }
}
