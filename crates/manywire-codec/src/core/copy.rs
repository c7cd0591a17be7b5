//! Copies of a few bytes.

/// Appends a head of one byte and at most 31 bytes of content, more of which are cut off: the whole
/// place they may need is made at once, and filled by two stores that may overlap, where a copy of
/// unknown length is a call.
#[inline]
pub(crate) fn append_short(out: &mut Vec<u8>, head: u8, content: &[u8]) {
    let start = out.len();
    out.extend_from_slice(&[head; 32]);
    if let Some(place) = out.last_chunk_mut::<32>()
        && let Some(place) = place.get_mut(1..=content.len())
    {
        short(place, content);
    }
    out.truncate(start + 1 + content.len());
}

/// Appends a head of one byte and text that is known when the program is compiled, as the names of
/// fields and variants are.
///
/// Inlined there, the chain becomes one check of the capacity and constants stored where they
/// belong; a `push` and a copy check twice, and going through an array on the stack waits for it.
#[inline(always)]
pub(crate) fn append_name(out: &mut Vec<u8>, head: u8, name: &'static str) {
    out.extend(std::iter::once(head).chain(name.bytes()));
}

/// Fills `place` with as many bytes, at most 31: by two stores that may overlap, where a copy of
/// unknown length is a call. Places of another length are left as they are.
#[inline]
pub(crate) fn short(place: &mut [u8], bytes: &[u8]) {
    let _ = fill::<16>(place, bytes)
        || fill::<8>(place, bytes)
        || fill::<4>(place, bytes)
        || fill::<2>(place, bytes)
        || fill::<1>(place, bytes);
}

/// Copies between `N` and 2 `N` bytes; says no if there are fewer.
#[inline(always)]
fn fill<const N: usize>(place: &mut [u8], bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (bytes.first_chunk::<N>(), bytes.last_chunk::<N>()) else {
        return false;
    };
    if let Some(place) = place.first_chunk_mut::<N>() {
        *place = *first;
    }
    if let Some(place) = place.last_chunk_mut::<N>() {
        *place = *last;
    }
    true
}
