//! Properties of inference over generated samples.

use crate::sample::{infer, samples};
use manywire_shape::fit::fits;
use manywire_shape::infer::{Evidence, Inference};
use manywire_shape::{Arena, Node, NodeId, OwnedValue, Presence, Shape, Value};
use proptest::prelude::*;

/// Returns a shape as a tree with sorted fields, without the parts that depend on the order of
/// samples: the names of records, numbers, and the cuts of recursive types.
fn canonical(shape: &Shape, id: NodeId, depth: usize) -> String {
    let below = |id: NodeId| canonical(shape, id, depth + 1);
    if depth > 12 {
        return "…".into();
    }
    match shape.node(id) {
        Node::Option(inner) => format!("{}?", below(*inner)),
        Node::Array(array) => format!("[{}; {}]", below(array.item), array.never_seen_empty),
        Node::Map { key, value } => format!("{{{}: {}}}", below(*key), below(*value)),
        Node::Union(branches) => {
            let mut branches: Vec<String> = branches.iter().map(|id| below(*id)).collect();
            branches.sort();
            format!("({})", branches.join(" | "))
        }
        Node::Record(record) => {
            let mut fields: Vec<String> = record
                .fields
                .iter()
                .map(|field| {
                    let mark = if field.presence == Presence::Optional { "?" } else { "" };
                    format!("{}{mark}: {}", field.name, below(field.node))
                })
                .collect();
            fields.sort();
            format!("({})", fields.join(", "))
        }
        other => format!("{other:?}"),
    }
}

fn outline(inference: &Inference) -> String {
    let shape = inference.shape();
    canonical(&shape, shape.root(), 0)
}

/// Returns the evidence line by line, without the order of fields and the first examples.
fn evidence(inference: &Inference) -> Vec<String> {
    let line = |mut evidence: Evidence| {
        evidence.examples.iter_mut().for_each(|example| example.text.clear());
        format!("{evidence:?}")
    };
    let mut lines: Vec<String> = inference.evidence().into_iter().map(line).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_sample_fits(samples in samples()) {
        let arena = Arena::new();
        let values: Vec<Value<'_>> = samples.iter().map(|it| it.borrowed(&arena)).collect();
        let shape = infer(&values).shape();
        for value in &values {
            prop_assert_eq!(fits(&shape, value), Ok(()), "{}", shape);
        }
    }

    #[test]
    fn the_order_of_samples_does_not_matter(
        (samples, shuffled) in samples().prop_flat_map(|samples| {
            (Just(samples.clone()), Just(samples).prop_shuffle())
        }),
    ) {
        let arena = Arena::new();
        let inferred = |samples: &[OwnedValue]| {
            let values: Vec<_> = samples.iter().map(|it| it.borrowed(&arena)).collect();
            outline(&infer(&values))
        };
        prop_assert_eq!(inferred(&samples), inferred(&shuffled));
    }

    #[test]
    fn merging_equals_adding_all_samples(samples in samples(), at in any::<prop::sample::Index>()) {
        let arena = Arena::new();
        let values: Vec<Value<'_>> = samples.iter().map(|it| it.borrowed(&arena)).collect();
        let (left, right) = values.split_at(at.index(values.len()));
        let mut merged = infer(left);
        merged.merge(infer(right));
        let all = infer(&values);
        prop_assert_eq!(merged.samples(), all.samples());
        prop_assert_eq!(outline(&merged), outline(&all));
        prop_assert_eq!(evidence(&merged), evidence(&all));
    }

    /// Samples added before a merge still count after it.
    #[test]
    fn samples_can_be_added_after_a_merge(samples in samples()) {
        let arena = Arena::new();
        let values: Vec<Value<'_>> = samples.iter().map(|it| it.borrowed(&arena)).collect();
        let (left, right) = values.split_at(values.len() / 2);
        let mut merged = infer(left);
        merged.merge(infer(right));
        values.iter().for_each(|value| merged.add(value));
        let twice: Vec<_> = values.iter().chain(&values).copied().collect();
        prop_assert_eq!(outline(&merged), outline(&infer(&twice)));
    }
}
