//! Why the place of a shape is what it is, from what was counted there.

use manywire_shape::infer::{Evidence, Kind};

/// The type that the counts lead to and the reasons, in words.
pub(super) fn reasons(evidence: &Evidence) -> Vec<String> {
    let mut reasons = Vec::new();
    let count = |kind: Kind| {
        evidence.kinds.iter().find(|(seen, _)| *seen == kind).map_or(0, |(_, count)| *count)
    };
    let objects = evidence.seen + evidence.absent;
    if evidence.absent > 0 {
        reasons.push(format!("may be absent: {} of {objects} objects lack it", evidence.absent));
    }
    if count(Kind::Null) > 0 && evidence.kinds.len() > 1 {
        reasons.push(format!("may be null: {} of {} are", count(Kind::Null), evidence.seen));
    }
    if evidence.kinds.iter().all(|(kind, _)| *kind == Kind::Null) {
        let seen = if evidence.seen == 0 { "nothing was seen here" } else { "only null was seen" };
        reasons.push(format!("null: {seen}"));
    }
    if evidence.truncated {
        reasons.push("anything: too deep or too much to be looked into".to_owned());
    }
    for kind in [Kind::Number, Kind::Ext] {
        if count(kind) > 0 {
            reasons.push(format!("anything: {} {}", count(kind), plural(kind, count(kind))));
        }
    }
    numbers(evidence, &count, &mut reasons);
    if let Some(why) = evidence.objects.and_then(|objects| objects.map) {
        reasons.push(format!("a map: {why}"));
    }
    let kinds: Vec<&str> = branches(evidence);
    if kinds.len() > 1 && !evidence.truncated {
        reasons.push(format!("a union of {}", kinds.join(" and ")));
    }
    if evidence.repeats > 0 {
        reasons.push(format!("{} objects have the key twice: the last counts", evidence.repeats));
    }
    reasons
}

fn numbers(evidence: &Evidence, count: &dyn Fn(Kind) -> u64, reasons: &mut Vec<String>) {
    let floats = count(Kind::F32) + count(Kind::F64);
    let ints = count(Kind::Int);
    if let Some((min, max)) = evidence.integers {
        match (floats > 0, evidence.inexact) {
            (true, 0) => {
                reasons.push(format!(
                    "f64: {ints} {} among {floats} {}, all exact as one",
                    plural(Kind::Int, ints),
                    plural(Kind::F64, floats)
                ));
                return;
            }
            (true, inexact) => {
                reasons.push(format!("integers apart from floats: {inexact} would be rounded"));
            }
            (false, _) => {}
        }
        match (min < 0, max > i64::MAX.into()) {
            (true, true) => reasons.push("i128: negative ones, and some beyond 2^63".to_owned()),
            (false, true) => reasons.push("u64: some are beyond 2^63".to_owned()),
            (true, false) => {
                reasons.push("zigzag in Protocol Buffers: some are negative".to_owned())
            }
            (false, false) => {}
        }
    } else if count(Kind::F32) > 0 && count(Kind::F64) == 0 {
        reasons.push("f32: no float has more than 32 bits".to_owned());
    }
}

/// The kinds that stay apart in the shape.
fn branches(evidence: &Evidence) -> Vec<&'static str> {
    let has = |wanted: Kind| evidence.kinds.iter().any(|(kind, _)| *kind == wanted);
    let floats = has(Kind::F32) || has(Kind::F64);
    let kinds = evidence.kinds.iter().map(|(kind, _)| *kind).filter(|kind| match kind {
        Kind::Null | Kind::Number | Kind::Ext => false,
        Kind::F32 => !has(Kind::F64),
        Kind::Int => !floats || evidence.inexact > 0,
        _ => true,
    });
    kinds.map(Kind::word).collect()
}

/// The word for several of a kind.
pub(super) fn plural(kind: Kind, count: u64) -> String {
    let word = kind.word();
    match (count, kind) {
        (1, _) | (_, Kind::Null | Kind::Bytes) => word.to_owned(),
        (_, Kind::Number) => "numbers beyond 64 bits".to_owned(),
        _ => format!("{word}s"),
    }
}
