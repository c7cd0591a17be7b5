use std::borrow::Cow;

use crate::options::{Options, SweepPlan};
use crate::payload::Payload;
use crate::report::Sweep;
use crate::sweep;

/// Payloads that share their rows.
pub(super) struct Group<'a> {
    /// What the rows call them: the payload's name, or `*` for several.
    pub(super) label: String,
    /// The length of the array, in a sweep.
    pub(super) sweep: Option<Sweep>,
    payloads: Vec<Cow<'a, Payload>>,
}

impl Group<'_> {
    pub(super) fn payloads(&self) -> Vec<&Payload> {
        self.payloads.iter().map(Cow::as_ref).collect()
    }
}

/// All payloads together, each alone where that was asked for, or each length of a sweep.
pub(super) fn groups<'a>(
    payloads: &'a [Payload],
    options: &Options,
) -> Result<Vec<Group<'a>>, String> {
    if let Some(plan) = &options.sweep {
        return swept(payloads, plan);
    }
    let mut groups = Vec::new();
    if payloads.len() > 1 {
        let all = payloads.iter().map(Cow::Borrowed).collect();
        groups.push(Group { label: "*".to_owned(), sweep: None, payloads: all });
    }
    if payloads.len() == 1 || options.each {
        groups.extend(payloads.iter().map(|payload| Group {
            label: payload.name.clone(),
            sweep: None,
            payloads: vec![Cow::Borrowed(payload)],
        }));
    }
    Ok(groups)
}

fn swept<'a>(payloads: &'a [Payload], plan: &SweepPlan) -> Result<Vec<Group<'a>>, String> {
    let mut groups = Vec::new();
    for &length in &plan.lengths {
        let resized: Result<Vec<_>, String> = payloads
            .iter()
            .map(|payload| sweep::resize(payload, &plan.path, length).map(Cow::Owned))
            .collect();
        let label = if payloads.len() == 1 { payloads[0].name.clone() } else { "*".to_owned() };
        let sweep = Sweep { path: plan.path.clone(), length };
        groups.push(Group { label, sweep: Some(sweep), payloads: resized? });
    }
    Ok(groups)
}
