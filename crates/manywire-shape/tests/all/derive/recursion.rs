//! Types that contain themselves.

use manywire_shape::{Shape, Shaped};
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
