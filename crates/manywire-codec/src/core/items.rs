//! A macro for serde's traits of ordered values. Self-describing formats write sequences, tuples
//! and the fields of tuple structs and variants all in the same way, item by item.

/// Implements these traits for a type by its methods `item`, which writes the next item, and
/// `finish`.
macro_rules! serialize_items {
    ($items:ty: $($of:ident::$method:ident)+) => {$(
        impl serde::ser::$of for $items {
            type Ok = ();
            type Error = crate::Error;

            #[inline]
            fn $method<T: serde::Serialize + ?Sized>(&mut self, value: &T) -> crate::Result<()> {
                self.item(value)
            }

            #[inline]
            fn end(self) -> crate::Result<()> {
                self.finish()
            }
        }
    )+};
}

pub(crate) use serialize_items;
