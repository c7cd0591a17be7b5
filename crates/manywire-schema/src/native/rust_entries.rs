//! What serde needs to read a map whose keys have no order in Rust.

/// The type, written once into a file that uses it.
pub(super) const ENTRIES: &str = r#"
/// The entries of a map in their order, for keys that no map of the standard library takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for Entries<K, V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<K, V>(std::marker::PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<K, V> {
            type Value = Entries<K, V>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Visitor(std::marker::PhantomData))
    }
}
"#;

/// Its shape.
pub(super) const ENTRIES_SHAPED: &str = r"
impl<K: Shaped, V: Shaped> Shaped for Entries<K, V> {
    fn node(builder: &mut manywire_shape::ShapeBuilder) -> manywire_shape::NodeId {
        let (key, value) = (K::node(builder), V::node(builder));
        builder.add(manywire_shape::Node::Map { key, value })
    }
}
";
