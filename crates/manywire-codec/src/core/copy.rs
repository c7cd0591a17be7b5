//! Copies of a few bytes.

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
