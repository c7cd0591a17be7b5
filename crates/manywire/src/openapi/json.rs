//! Constructors of JSON values.

use manywire_shape::Literal;

/// Creates an object with members in order.
pub(super) fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Literal)>) -> Literal {
    Literal::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

/// Creates an object of one member.
pub(super) fn single(name: &str, value: Literal) -> Literal {
    object([(name, value)])
}

/// Creates an array of strings.
pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Literal {
    Literal::Array(texts.into_iter().map(Literal::text).collect())
}

/// Creates a reference to a component.
pub(super) fn reference(kind: &str, name: &str) -> Literal {
    single("$ref", Literal::text(format!("#/components/{kind}/{name}")))
}
