//! What a walk came to.

/// What a walk found, in all. Keys, heads, values and unread bytes add up to the length of the
/// input, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What the keys of maps take, with their heads.
    pub keys: usize,
    /// What says kinds, lengths and ends: heads, lengths, quotes and separators.
    pub heads: usize,
    /// What the values themselves take.
    pub values: usize,
    /// What could not be read.
    pub unread: usize,
    /// What the same keys would take as integers, counted from 0 in each map, in MessagePack or
    /// CBOR.
    pub numbered_keys: usize,
    /// What the same value takes as JSON without white space: bytes as base64, times as in RFC
    /// 3339, keys that are not text as the text of their value, values of one format's own as what
    /// they carry; of a stream, what its values take without what stands between them. `None` where
    /// the bytes do not tell, or the walk met a fault.
    pub minified_json: Option<usize>,
    /// The same with a space behind every colon and comma, as many writers have it.
    pub spaced_json: Option<usize>,
    /// How many faults there are.
    pub faults: usize,
    /// How many remarks there are.
    pub remarks: usize,
    /// How many entries and items the values have in all.
    pub entries: usize,
    /// How many values there are: 1, or those of the stream.
    pub value_count: u64,
}

impl Summary {
    /// That of nothing: what others are added to.
    pub(crate) const EMPTY: Summary = Summary {
        keys: 0,
        heads: 0,
        values: 0,
        unread: 0,
        numbered_keys: 0,
        minified_json: Some(0),
        spaced_json: Some(0),
        faults: 0,
        remarks: 0,
        entries: 0,
        value_count: 0,
    };

    /// Adds what a part of the same input came to, apart from how many values it has.
    pub(crate) fn add(&mut self, part: &Summary) {
        let both = |one: Option<usize>, other: Option<usize>| Some(one? + other?);
        self.keys += part.keys;
        self.heads += part.heads;
        self.values += part.values;
        self.unread += part.unread;
        self.numbered_keys += part.numbered_keys;
        self.minified_json = both(self.minified_json, part.minified_json);
        self.spaced_json = both(self.spaced_json, part.spaced_json);
        self.faults += part.faults;
        self.remarks += part.remarks;
        self.entries += part.entries;
    }

    /// Says that what was walked is none of the values.
    pub(crate) fn is_no_value(&mut self) {
        (self.minified_json, self.spaced_json) = (Some(0), Some(0));
        (self.entries, self.numbered_keys) = (0, 0);
    }

    /// Says that how long the values are as JSON is not known.
    pub(crate) fn forget_json(&mut self) {
        (self.minified_json, self.spaced_json) = (None, None);
    }
}
