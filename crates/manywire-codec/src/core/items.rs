//! The traits of serde for values in order, which are one to a self-describing format: a sequence, a
//! tuple and the fields of a tuple struct or variant are all written item by item.

/// Implements these traits for a type by its methods `item`, which writes the next, and `finish`.
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
