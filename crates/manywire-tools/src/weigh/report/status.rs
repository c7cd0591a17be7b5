//! The words of reports that have a fixed set of meanings: the status and the verdict of a row.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::weigh::statistics::Verdict;

/// The text `ok` if there are figures, otherwise the reason that there are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Status {
    /// There are figures.
    Ok,
    /// There are no figures, for this reason.
    Failed(String),
}

impl Status {
    /// Returns whether there are figures.
    pub fn is_ok(&self) -> bool {
        self.reason().is_none()
    }

    /// Returns the reason that there are no figures.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Status::Ok => None,
            Status::Failed(reason) => Some(reason),
        }
    }

    /// Returns the first line of the reason that there are no figures. The output of a compiler or
    /// of a process that died may follow it.
    pub(crate) fn short_reason(&self) -> Option<&str> {
        self.reason().map(|reason| reason.lines().next().unwrap_or_default())
    }
}

impl From<String> for Status {
    fn from(text: String) -> Status {
        if text == "ok" { Status::Ok } else { Status::Failed(text) }
    }
}

impl From<Status> for String {
    fn from(status: Status) -> String {
        status.to_string()
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason().unwrap_or("ok"))
    }
}

/// The verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowVerdict {
    /// The row that the others are compared with.
    Reference,
    /// Faster than the reference by more than δ.
    Faster,
    /// Slower than the reference by more than δ.
    Slower,
    /// As fast as the reference, within δ.
    Same,
    /// The launches do not decide whether the row is faster, slower or as fast.
    Inconclusive,
}

impl RowVerdict {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RowVerdict::Reference => "reference",
            RowVerdict::Faster => "faster",
            RowVerdict::Slower => "slower",
            RowVerdict::Same => "same",
            RowVerdict::Inconclusive => "inconclusive",
        }
    }
}

impl From<Verdict> for RowVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => RowVerdict::Faster,
            Verdict::Slower => RowVerdict::Slower,
            Verdict::Same => RowVerdict::Same,
            Verdict::Inconclusive { .. } => RowVerdict::Inconclusive,
        }
    }
}

impl fmt::Display for RowVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{RowVerdict, Status};

    #[test]
    fn statuses_and_verdicts_keep_their_names() {
        for (status, text) in
            [(Status::Ok, "\"ok\""), (Status::Failed("no gzip".to_owned()), "\"no gzip\"")]
        {
            assert_eq!(serde_json::to_string(&status).expect("JSON"), text);
            assert_eq!(serde_json::from_str::<Status>(text).expect("a status"), status);
        }
        let all = [
            RowVerdict::Reference,
            RowVerdict::Faster,
            RowVerdict::Slower,
            RowVerdict::Same,
            RowVerdict::Inconclusive,
        ];
        assert_eq!(
            serde_json::to_string(&all).expect("JSON"),
            r#"["reference","faster","slower","same","inconclusive"]"#
        );
        assert_eq!(
            all.map(RowVerdict::name).join(" "),
            "reference faster slower same inconclusive"
        );
    }
}
