//! Generates corpora: similar values, like the payloads of an endpoint.

#![allow(dead_code, reason = "each test takes the part it needs")]

pub(crate) mod difference;

use proptest::prelude::*;

use crate::support::any_value::{
    above_i64, any_of, beyond_64_bits, beyond_128_bits, bytes, common, ext, keep_first_of_each_key,
    not_finite, single, text, timestamp, tree,
};
use manywire_shape::{OwnedValue, Space};

/// The common structure of a corpus's samples.
#[derive(Clone, Debug)]
enum SampleModel {
    Null,
    Bool,
    /// Integers of a few bits.
    Small,
    Common,
    /// A type that only some formats represent.
    Special(u8),
    Text,
    Nullable(Box<SampleModel>),
    Either(Vec<SampleModel>),
    Array(Box<SampleModel>),
    Map(Box<SampleModel>),
    /// Fields, and whether each is optional.
    Record(Vec<(String, bool, SampleModel)>),
}

/// The types of leaves in a corpus.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Types that every format represents, with text for keys.
    Common,
    /// Types that any format represents.
    All,
}

/// Generates corpora of a few samples: of one structure, or with only a few keys in common.
pub(crate) fn corpus(leaves: Leaves) -> BoxedStrategy<Vec<OwnedValue>> {
    let molded = model(leaves).prop_flat_map(|model| prop::collection::vec(samples(&model), 1..6));
    let (leaf, key) = match leaves {
        Leaves::Common => (common(), field_name()),
        Leaves::All => (any_of(vec![common(), common(), special()]), any_key()),
    };
    let wild = prop::collection::vec(tree(leaf, key), 1..6);
    prop_oneof![2 => molded, 1 => wild]
        .prop_map(move |mut samples| {
            if leaves == Leaves::Common {
                samples.iter_mut().for_each(keep_first_of_each_key);
            }
            samples
        })
        .boxed()
}

fn model(leaves: Leaves) -> BoxedStrategy<SampleModel> {
    let mut leaf = vec![
        Just(SampleModel::Null).boxed(),
        Just(SampleModel::Bool).boxed(),
        Just(SampleModel::Small).boxed(),
        Just(SampleModel::Common).boxed(),
        Just(SampleModel::Text).boxed(),
    ];
    if leaves == Leaves::All {
        leaf.push((0..SPECIALS.len() as u8).prop_map(SampleModel::Special).boxed());
    }
    proptest::strategy::Union::new(leaf)
        .prop_recursive(4, 24, 5, |inner| {
            let field = (field_name_text(), any::<bool>(), inner.clone());
            prop_oneof![
                2 => inner.clone().prop_map(|model| SampleModel::Nullable(Box::new(model))),
                1 => prop::collection::vec(inner.clone(), 2..4).prop_map(SampleModel::Either),
                2 => inner.clone().prop_map(|model| SampleModel::Array(Box::new(model))),
                1 => inner.prop_map(|model| SampleModel::Map(Box::new(model))),
                4 => prop::collection::vec(field, 0..6).prop_map(SampleModel::Record),
            ]
        })
        .boxed()
}

/// Generates few different names, so that records share fields, including names that are not
/// identifiers.
fn field_name_text() -> BoxedStrategy<String> {
    prop_oneof![
        6 => "[a-d]",
        1 => "[a-d][A-D]_?[a-d]",
        1 => prop::sample::select(vec!["", "0", "1", "value", "é☆", "a b", "type", "A", "a.b"])
            .prop_map(str::to_owned),
    ]
    .boxed()
}

fn field_name() -> BoxedStrategy<OwnedValue> {
    field_name_text().prop_map(OwnedValue::Str).boxed()
}

fn any_key() -> BoxedStrategy<OwnedValue> {
    proptest::strategy::Union::new_weighted(vec![(30, field_name()), (1, common()), (1, special())])
        .boxed()
}

const SPECIALS: [fn() -> BoxedStrategy<OwnedValue>; 11] = [
    above_i64,
    beyond_64_bits,
    beyond_128_bits,
    not_finite,
    single,
    bytes,
    || timestamp(-9_000_000_000..9_000_000_000, 1_000_000),
    || timestamp(i64::MIN..i64::MAX, 1),
    || ext(Space::MessagePack, 0..128_u64, bytes()),
    || ext(Space::CborTag, 1_002..2_000_u64, common()),
    || ext(Space::Bson, Just(0x0D), text()),
];

fn special() -> BoxedStrategy<OwnedValue> {
    any_of(SPECIALS.iter().map(|strategy| strategy()).collect())
}

/// Generates the samples of a structure.
fn samples(model: &SampleModel) -> BoxedStrategy<OwnedValue> {
    match model {
        SampleModel::Null => Just(OwnedValue::Null).boxed(),
        SampleModel::Bool => any::<bool>().prop_map(OwnedValue::Bool).boxed(),
        SampleModel::Small => (-3..300).prop_map(OwnedValue::I32).boxed(),
        SampleModel::Common => common(),
        SampleModel::Special(index) => SPECIALS[usize::from(*index)](),
        SampleModel::Text => text(),
        SampleModel::Nullable(inner) => prop_oneof![Just(OwnedValue::Null), samples(inner)].boxed(),
        SampleModel::Either(models) => any_of(models.iter().map(samples).collect()),
        SampleModel::Array(inner) => {
            prop::collection::vec(samples(inner), 0..5).prop_map(OwnedValue::Array).boxed()
        }
        SampleModel::Map(inner) => {
            let entry = ("[a-z]{1,3}[0-9]{1,2}".prop_map(OwnedValue::Str), samples(inner));
            prop::collection::vec(entry, 0..9).prop_map(OwnedValue::Map).boxed()
        }
        SampleModel::Record(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, optional, model)| {
                    let field = (Just(OwnedValue::Str(name.clone())), samples(model));
                    let absent = u32::from(*optional);
                    prop_oneof![2 => field.prop_map(Some), absent => Just(None)]
                })
                .collect();
            fields
                .prop_map(|fields| OwnedValue::Map(fields.into_iter().flatten().collect()))
                .boxed()
        }
    }
}
