//! Checks that shapes agree with serde's derives: serialized values must fit the shape, in the same
//! order and with the same names.

mod admits;
mod derived;
mod reads;
mod standard;
mod written;

use manywire_shape::{Node, Shape, Shaped};
use serde::{Deserialize, Serialize};

/// Checks that the shapes of a type admit the serialized form of each value.
#[track_caller]
pub(crate) fn agree<T: Shaped + Serialize>(values: &[T]) {
    for value in values {
        for human_readable in [false, true] {
            let shape = if human_readable { Shape::of_readable::<T>() } else { Shape::of::<T>() };
            let written = written::written(value, human_readable);
            if let Err(why) = admits::admits(&shape, shape.root(), &written) {
                panic!("{why}\nwritten: {written:?}\nshape:\n{shape}");
            }
        }
    }
}

/// Checks that a struct or an enum is read under the names in its shape, and no others.
#[track_caller]
pub(crate) fn agree_on_names<T: Shaped + for<'de> Deserialize<'de>>(only_written: &[&str]) {
    let shape = Shape::of::<T>();
    let names = match shape.node(shape.root()) {
        Node::Record(record) => {
            record.fields.iter().map(|field| (&field.name, &field.aliases)).collect::<Vec<_>>()
        }
        Node::Enum(sum) => {
            sum.variants.iter().map(|variant| (&variant.name, &variant.aliases)).collect()
        }
        node => panic!("{node:?} has no names"),
    };
    let mut shaped: Vec<&str> = names
        .into_iter()
        .flat_map(|(name, aliases)| std::iter::once(name).chain(aliases))
        .map(|name| name.as_ref())
        .filter(|name| !only_written.contains(name))
        .collect();
    let mut read = reads::names_read::<T>();
    shaped.sort_unstable();
    read.sort_unstable();
    assert_eq!(shaped, read, "\n{shape}");
}

#[test]
fn the_check_detects_a_wrong_shape() {
    #[derive(Serialize)]
    struct Pair {
        a: u8,
        b: u8,
    }
    #[derive(Shaped)]
    struct Turned {
        b: u8,
        a: u8,
    }
    let written = written::written(&Pair { a: 1, b: 2 }, false);
    for shape in [Shape::of::<Turned>(), Shape::of::<(u8, u8)>(), Shape::of::<Option<Pairs>>()] {
        assert!(admits::admits(&shape, shape.root(), &written).is_err(), "{shape}");
    }
    #[derive(Shaped)]
    struct Pairs {
        a: u8,
        b: i8,
    }
}
