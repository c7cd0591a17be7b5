//! Type parameters, and the derive behind another crate.

use std::marker::PhantomData;

use manywire_shape::Shaped;
use serde::{Deserialize, Serialize};

use super::check;

#[test]
fn generics_require_shapes_only_where_used() {
    struct Shapeless;
    #[derive(Serialize, Deserialize, Shaped)]
    struct Tagged<T, M> {
        value: Vec<Option<T>>,
        #[serde(skip)]
        marker: PhantomData<M>,
        phantom: PhantomData<M>,
    }
    impl<T> Tagged<T, Shapeless> {}
    check::<Tagged<u8, Shapeless>>(
        "
        Tagged {
          value: [u8?]
          phantom: null
        }
        ",
    );
    trait Family {
        type Member;
    }
    impl Family for Shapeless {
        type Member = i32;
    }
    #[derive(Shaped)]
    struct Associated<T: Family> {
        member: T::Member,
        #[shaped(as = "[u16; 3]")]
        written: T,
    }
    check::<Associated<Shapeless>>(
        "
        Associated {
          member: i32
          written: [u16; 3]
        }
        ",
    );
    #[derive(Shaped)]
    #[shaped(bound = "")]
    struct Unbound<T> {
        #[serde(with = "anything")]
        #[shaped(as = "u8")]
        value: T,
    }
    check::<(Tagged<Tagged<u8, ()>, ()>, Unbound<Shapeless>, [bool; 0])>(
        "
        (Tagged, Unbound, [bool; 0])

        Tagged {
          value: [Tagged#2?]
          phantom: null
        }

        Tagged#2 {
          value: [u8?]
          phantom: null
        }

        Unbound {
          value: u8
        }
        ",
    );
}

#[test]
fn the_derive_works_through_a_facade() {
    mod facade {
        pub(crate) mod inner {
            pub(crate) use manywire_shape::*;
        }
    }
    #[derive(Shaped)]
    #[shaped(crate = "facade::inner")]
    struct Through {
        #[shaped(encoding = "fixed")]
        id: u64,
    }
    check::<Through>(
        "
        Through {
          id: u64 fixed
        }
        ",
    );
}
