/// A type that borrows from what it is read from, as a family: `Hotel<'_>` stands for `Hotel<'b>`
/// of every lifetime.
///
/// Whoever owns bytes and wants a value that borrows from them needs a name for that value without
/// its lifetime. Derived with [`Shaped`](macro@crate::Shaped) for types that have one lifetime and
/// no other parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not borrow from what it is read from",
    label = "a type with exactly one lifetime is needed",
    note = "derive Shaped for it; a type that owns its texts is taken as it is, without `Lent`"
)]
pub trait Borrowed {
    /// The type with another lifetime.
    type Of<'b>;

    /// The same value, lent for a shorter time.
    fn shortened<'s, 'b>(value: &'s Self::Of<'b>) -> &'s Self::Of<'s>;
}
