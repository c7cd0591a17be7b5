use std::collections::BTreeMap;
use std::fmt;

/// What was in an archive and is no payload, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Without a body: none was sent, or none was kept.
    pub without_body: u64,
    /// Binary that was recorded as characters.
    pub garbled: u64,
    statuses: BTreeMap<i64, u64>,
    types: BTreeMap<String, u64>,
}

/// Media types named one by one; an archive of a page has about ten.
const TYPES_NAMED: usize = 8;

/// The archive's own words are not to fill the memory with counters.
const TYPES_MAX: usize = 1_000;

impl LeftOut {
    /// How many bodies, or entries without one.
    pub fn count(&self) -> u64 {
        let counted = |counts: &mut dyn Iterator<Item = &u64>| counts.sum::<u64>();
        self.without_body
            + self.garbled
            + counted(&mut self.statuses.values())
            + counted(&mut self.types.values())
    }

    pub(super) fn status(&mut self, status: i64) {
        // Real ones have three digits; browsers write 0 for a request that never was answered.
        *self.statuses.entry(status.clamp(0, 1_000)).or_default() += 1;
    }

    pub(super) fn other_type(&mut self, media_type: &str) {
        let known = self.types.len() < TYPES_MAX || self.types.contains_key(media_type);
        let name = if known { media_type } else { "others" };
        *self.types.entry(name.to_owned()).or_default() += 1;
    }
}

impl fmt::Display for LeftOut {
    /// `5 left out: 2 without a body, 3 of other types (image/png 2, text/html 1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.without_body > 0 {
            parts.push(format!("{} without a body", self.without_body));
        }
        if !self.statuses.is_empty() {
            let all: u64 = self.statuses.values().sum();
            let each = self.statuses.iter().map(|(status, count)| format!("{status}: {count}"));
            let each: Vec<String> = each.collect();
            parts.push(format!("{all} with a status other than 2xx ({})", each.join(", ")));
        }
        if !self.types.is_empty() {
            let all: u64 = self.types.values().sum();
            let mut types: Vec<(&String, &u64)> = self.types.iter().collect();
            types.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
            let mut each: Vec<String> = types
                .iter()
                .take(TYPES_NAMED)
                .map(|(name, count)| format!("{name}: {count}"))
                .collect();
            if types.len() > TYPES_NAMED {
                each.push("…".to_owned());
            }
            parts.push(format!("{all} of other types ({})", each.join(", ")));
        }
        if self.garbled > 0 {
            parts.push(format!("{} of binary recorded as characters", self.garbled));
        }
        write!(f, "{} left out: {}", self.count(), parts.join(", "))
    }
}
