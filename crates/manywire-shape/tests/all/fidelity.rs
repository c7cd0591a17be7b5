//! Losses are described once per path and kind.

use manywire_shape::fidelity::{Loss, Losses, Tolerance, losses, losses_beyond, merge};
use manywire_shape::path::{KeyStep, Path, Step, fold_indexes};
use manywire_shape::{Arena, Value};

use Value::{Array, Bool, F32, F64, I64, Map, Null, Number, Str, U64};

fn loss(path: &str, lost: &str, places: u64) -> Loss {
    Loss { path: path.to_owned(), lost: lost.to_owned(), places }
}

#[test]
fn describes_each_kind_of_loss() {
    for (before, after, words) in [
        (I64(1), I64(2), "an integer came back changed"),
        (I64(1), F64(1.0), "an integer came back as a float"),
        (I64(1), Str("1"), "an integer came back as a string"),
        (F64(0.1), F64(0.2), "a float came back changed"),
        (F32(0.1), F64(f64::from(0.1_f32)), "a 32-bit float came back as 64-bit"),
        (F32(0.1), F64(0.1), "a float came back as a float"),
        (
            Number("1e400"),
            F64(f64::INFINITY),
            "a number that no double represents exactly came back as a float",
        ),
        (
            Number("0.1234567890123456789"),
            F64(0.123_456_789_012_345_68),
            "a number that no double represents exactly came back as a float",
        ),
        (
            Number("18446744073709551616"),
            F64(18_446_744_073_709_551_616.0),
            "an integer beyond 64 bits came back as a float",
        ),
        (Str("a"), Str("b"), "a string came back changed"),
        (Bool(true), Null, "a boolean came back as null"),
        (Array(&[I64(1), I64(2)]), Array(&[I64(1)]), "2 items came back as 1"),
        (Map(&[]), Array(&[]), "a map came back as an array"),
    ] {
        let found = losses(&before, &after);
        if words == "a float came back as a float" {
            // Both the width and the digits changed.
            assert_eq!(found.len(), 1, "{found:?}");
        } else {
            assert_eq!(found, [loss("$", words, 1)]);
        }
    }
    for same in [F64(-0.0), F64(f64::NAN), Null, Array(&[Map(&[(Str("a"), Null)])])] {
        assert_eq!(losses(&same, &same), []);
    }
    assert_eq!(losses(&F64(0.0), &F64(-0.0)).len(), 1, "the sign of zero is a bit like any other");
}

#[test]
fn ignores_the_order_of_entries_and_reports_missing_ones() {
    let before = Map(&[(Str("a"), I64(1)), (Str("b"), Null), (Str("c"), I64(3))]);
    assert_eq!(
        losses(&before, &Map(&[(Str("c"), I64(3)), (Str("a"), I64(1)), (Str("b"), Null)])),
        []
    );
    let after = Map(&[(Str("d"), Bool(true)), (Str("a"), I64(1))]);
    assert_eq!(
        losses(&before, &after),
        [
            loss("$.b", "null came back as absent", 1),
            loss("$.c", "an integer did not come back", 1),
            loss("$.d", "absent came back as a boolean", 1),
        ]
    );
}

#[test]
fn merges_losses_at_different_indices_but_not_under_different_keys() {
    let lost = "an integer came back as a float";
    let mut all = vec![loss("$.a[0]", lost, 1), loss("$[\"b[0]\"]", lost, 1)];
    merge(&mut all, vec![loss("$.a[7]", lost, 2), loss("$[\"b[7]\"]", lost, 1)]);
    assert_eq!(
        all,
        [loss("$.a[0]", lost, 3), loss("$[\"b[0]\"]", lost, 1), loss("$[\"b[7]\"]", lost, 1)]
    );
}

#[test]
fn counts_equal_losses_at_different_indices() {
    let arena = Arena::new();
    let items = |value: Value<'static>| {
        let item = Map(arena.alloc_slice_copy(&[(Str("x y"), value), (Str("n"), I64(0))]));
        Array(arena.alloc_slice_copy(&[item; 3]))
    };
    let found = losses(&items(I64(1)), &items(F64(1.0)));
    assert_eq!(found, [loss("$[0][\"x y\"]", "an integer came back as a float", 3)]);
}

#[test]
fn distinguishes_non_string_keys_from_indices() {
    let found = losses(&Map(&[(I64(7), I64(1))]), &Map(&[(I64(7), I64(2))]));
    assert_eq!(found, [loss("${7}", "an integer came back changed", 1)]);
    // A number and its text are different keys.
    let found = losses(&Map(&[(I64(7), Null)]), &Map(&[(Str("7"), Null)]));
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_key_may_come_back_typed_by_the_schema() {
    let before =
        Map(&[(Str("-7"), I64(1)), (Str("true"), Null), (Str("18446744073709551615"), Null)]);
    let after = Map(&[(U64(u64::MAX), Null), (Bool(true), Null), (I64(-7), I64(2))]);
    let changed = loss("$.-7", "an integer came back changed", 1);
    let mut found = Losses::default();
    let tolerance = Tolerance { keys: true, ..Tolerance::default() };
    losses_beyond(tolerance, &before, &after, &mut found);
    assert_eq!(found.into_vec(), std::slice::from_ref(&changed));
    let typed = |path, kind| loss(path, &format!("a key that is text came back as {kind}"), 1);
    assert_eq!(
        losses(&before, &after),
        [
            typed("$.-7", "an integer"),
            changed,
            typed("$.true", "a boolean"),
            typed("$.18446744073709551615", "an integer"),
        ]
    );
    // Another text of the same number is another key, and so is the text of a number.
    for (before, after) in [(Str("07"), I64(7)), (I64(7), Str("7"))] {
        let mut found = Losses::default();
        let (before, after) = (Map(&[(before, I64(1))]), Map(&[(after, I64(1))]));
        losses_beyond(tolerance, &before, &after, &mut found);
        assert_eq!(found.list().len(), 2, "{found:?}");
    }
}

fn losses_of_maps(
    tolerance: Tolerance,
    before: &[(Value<'_>, Value<'_>)],
    after: &[(Value<'_>, Value<'_>)],
) -> Vec<Loss> {
    let mut found = Losses::default();
    losses_beyond(tolerance, &Map(before), &Map(after), &mut found);
    found.into_vec()
}

#[test]
fn keys_that_become_equal_or_absent_are_losses() {
    let keys = Tolerance { keys: true, ..Tolerance::default() };
    let (text, number) = ((Str("7"), I64(1)), (I64(7), I64(2)));
    let found = losses_of_maps(keys, &[text, number], &[(I64(7), I64(1)), number]);
    assert_eq!(found, [loss("$.7", "a key that is text came back as another key", 1)]);
    // Fields may be absent if they are empty, and their names are text.
    let absence = Tolerance { absence: true, ..Tolerance::default() };
    assert!(losses_of_maps(absence, &[(Str("a"), Str(""))], &[]).is_empty());
    let found = losses_of_maps(absence, &[(I64(7), Str(""))], &[]);
    assert_eq!(found, [loss("${7}", "a string did not come back", 1)]);
}

#[test]
fn merging_adds_counts_of_equal_losses() {
    let mut all = vec![loss("$[0].a", "gone", 2)];
    merge(&mut all, vec![loss("$[5].a", "gone", 3), loss("$[5].a", "changed", 1)]);
    merge(&mut all, vec![loss("$[1].b", "gone", 1), loss("$[12].a", "changed", 1)]);
    assert_eq!(
        all,
        [loss("$[0].a", "gone", 5), loss("$[5].a", "changed", 2), loss("$[1].b", "gone", 1)]
    );
}

#[test]
fn lists_at_most_a_hundred_losses() {
    let arena = Arena::new();
    let names: Vec<String> = (0..500).map(|index| format!("k{index}")).collect();
    let entries: Vec<_> = names.iter().map(|name| (Str(name.as_str()), I64(1))).collect();
    let before = Map(arena.alloc_slice_copy(&entries));
    assert_eq!(losses(&before, &Map(&[])).len(), 100);
}

#[test]
fn compares_large_reordered_maps_in_linear_time() {
    let arena = Arena::new();
    let names: Vec<String> = (0..200_000).map(|index| format!("key-{index}")).collect();
    let entries: Vec<_> = names.iter().map(|name| (Str(name.as_str()), I64(1))).collect();
    let before = Map(arena.alloc_slice_copy(&entries));
    let after = Map(arena.alloc_slice_fill_iter(entries.iter().rev().copied()));
    let start = std::time::Instant::now();
    assert_eq!(losses(&before, &after), []);
    assert_eq!(losses(&before, &before), []);
    // Comparing all pairs would take minutes.
    assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn paths_quote_keys_that_are_not_plain() {
    let key = |key| KeyStep(key).to_string();
    for plain in ["name", "a-b", "$ref", "größe", "_1"] {
        assert_eq!(key(plain), format!(".{plain}"));
    }
    assert_eq!(key(""), r#"[""]"#);
    assert_eq!(key("a.b \"c\""), r#"["a.b \"c\""]"#);
    let mut path = Path::default();
    path.push(Step::Key(Value::Str("a-b")));
    path.push(Step::Index(3));
    path.push(Step::Key(Value::I64(7)));
    assert_eq!(path.text(), "$.a-b[3]{7}");
    assert_eq!(fold_indexes(&path.text()), "$.a-b[*]{7}");
}
