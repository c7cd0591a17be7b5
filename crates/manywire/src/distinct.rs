//! Short lists without repetition, such as the media types of formats: both layouts of MessagePack have
//! the same one.

/// Returns each item once, in order of first appearance. Each item is compared with all others.
pub(crate) fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}
