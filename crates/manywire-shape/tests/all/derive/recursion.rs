//! Types that contain themselves.

use std::collections::BTreeMap;

use manywire_shape::{Node, Shape, Shaped};
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn types_may_contain_themselves() {
    #[derive(Serialize, Deserialize, Shaped)]
    struct Tree {
        children: Vec<Tree>,
        parent: Option<Box<Tree>>,
        leaf: Leaf,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    enum Leaf {
        End,
        Back(Box<Tree>),
        Next(Box<Leaf>),
    }
    check::<Tree>(
        "
        Tree {
          children: [Tree]
          parent: Tree?
          leaf: Leaf
        }

        Leaf = {
          End
          Back(Tree)
          Next(Leaf)
        }
        ",
    );
    #[derive(Serialize, Deserialize, Shaped)]
    struct Nested(Vec<Nested>);
    let shape = Shape::of::<Nested>();
    assert_eq!(shape.nodes().len(), 1, "{shape:?}");
    check::<Nested>("[…]");

    #[derive(Serialize, Deserialize, Shaped)]
    struct Filter {
        op: String,
        arguments: Vec<Expression>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Expression {
        Literal(i64),
        Filter(Box<Filter>),
    }
    check::<Filter>(
        "
        Filter {
          op: str
          arguments: [i64 | Filter]
        }
        ",
    );

    // The union of two infinite lists is an infinite list.
    #[derive(Serialize, Deserialize, Shaped)]
    struct A {
        a: u8,
        next: Option<Box<A>>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct B {
        b: u8,
        next: Option<Box<B>>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Either {
        A(A),
        B(B),
    }
    check::<Either>(
        "
        A {
          a?: u8
          next?: A?
          b?: u8
        }
        ",
    );
}

#[derive(Serialize, Deserialize, Shaped)]
struct Plain {
    p: u8,
}

#[test]
fn newtypes_that_contain_themselves_are_maps_if_their_content_is() {
    // Serde writes the record as a map, because its other entries are flattened.
    #[derive(Serialize, Deserialize, Shaped)]
    struct Page {
        title: String,
        next: Option<Box<Wrapper>>,
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Wrapper(Page);
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Either {
        Wrapper(Wrapper),
        Plain(Plain),
    }
    // As arrays, records are not taken for each other: only one of the two is an array.
    assert_eq!(Shape::of::<Either>().array_faults(), []);
}

#[test]
fn untagged_enums_that_contain_themselves_tell_null_from_absence() {
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Tree {
        Leaf,
        List(Vec<Tree>),
    }
    #[derive(Serialize, Deserialize, Shaped)]
    struct Holder {
        a: u8,
        tree: Tree,
    }
    #[derive(Serialize, Deserialize, Shaped)]
    #[serde(untagged)]
    enum Either {
        Holder(Holder),
        Plain(Plain),
    }
    let shape = Shape::of::<Either>();
    let Node::Record(record) = shape.node(shape.root()) else { panic!("{shape}") };
    let tree = record.fields.iter().find(|field| field.name == "tree").expect("a field");
    // A union of one branch marks a null that serde reads only if it is written.
    assert!(matches!(shape.node(tree.node), Node::Union(only) if only.len() == 1), "{shape:?}");
}
