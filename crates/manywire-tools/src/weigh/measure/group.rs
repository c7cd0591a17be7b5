use std::borrow::Cow;
use std::collections::HashMap;

use crate::weigh::options::Options;
use crate::weigh::payload::Payload;
use crate::weigh::report::Sweep;
use crate::weigh::sweep::SweepPlan;

/// Payloads that share their rows.
pub(super) struct Group<'a> {
    /// What the rows call them: the payload's name, its endpoint, or `*` for several.
    pub(super) label: String,
    /// The length of the array, in a sweep.
    pub(super) sweep: Option<Sweep>,
    payloads: Vec<Cow<'a, Payload>>,
}

impl<'a> Group<'a> {
    pub(super) fn payloads(&self) -> Vec<&Payload> {
        self.payloads.iter().map(Cow::as_ref).collect()
    }

    /// Each of them alone.
    fn each(&self) -> impl Iterator<Item = Group<'a>> {
        self.payloads.iter().map(|payload| Group {
            label: payload.name.clone(),
            sweep: None,
            payloads: vec![payload.clone()],
        })
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
    if payloads.iter().any(|payload| payload.endpoint.is_some()) {
        groups = by_endpoint(payloads);
        if options.each {
            let shared = groups.iter().filter(|group| group.payloads.len() > 1);
            let alone: Vec<Group<'_>> = shared.flat_map(|group| group.each()).collect();
            groups.extend(alone);
        }
        return Ok(groups);
    }
    let all = payloads.iter().map(Cow::Borrowed).collect();
    let all = Group { label: "*".to_owned(), sweep: None, payloads: all };
    if payloads.len() == 1 || options.each {
        groups.extend(all.each());
    }
    if payloads.len() > 1 {
        groups.insert(0, all);
    }
    Ok(groups)
}

/// Payloads of one endpoint together, in the order of the first of each; a payload without one has
/// rows of its own.
fn by_endpoint(payloads: &[Payload]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for payload in payloads {
        let known = payload.endpoint.as_deref().and_then(|endpoint| places.get(endpoint));
        if let Some(&place) = known {
            groups[place].payloads.push(Cow::Borrowed(payload));
            continue;
        }
        if let Some(endpoint) = &payload.endpoint {
            places.insert(endpoint, groups.len());
        }
        let label = payload.endpoint.as_ref().unwrap_or(&payload.name).clone();
        groups.push(Group { label, sweep: None, payloads: vec![Cow::Borrowed(payload)] });
    }
    groups
}

fn swept<'a>(payloads: &'a [Payload], plan: &SweepPlan) -> Result<Vec<Group<'a>>, String> {
    let mut groups = Vec::new();
    for &length in &plan.lengths {
        let resized: Result<Vec<_>, String> =
            payloads.iter().map(|payload| plan.resized(payload, length).map(Cow::Owned)).collect();
        let label = if payloads.len() == 1 { payloads[0].name.clone() } else { "*".to_owned() };
        let sweep = Sweep { path: plan.path.clone(), length };
        groups.push(Group { label, sweep: Some(sweep), payloads: resized? });
    }
    Ok(groups)
}
