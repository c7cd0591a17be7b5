//! Moves the content of containers from the stack of a reader to an arena.
//!
//! A reader collects items on a stack, because their number is known only at the end of their
//! container.

use crate::Arena;

/// The length in bytes from which content is moved in parts. Shorter content is copied at once,
/// which is faster.
const LARGE_BYTES: usize = 64 << 20;

/// The number of parts. Each of them is copied twice, and takes its share of memory beyond that of
/// the content.
const PARTS: usize = 16;

/// Moves the items from the index `start` to the end of a stack to an arena.
///
/// A copy of all items at once would need as much memory again as the stack. Many items are moved in
/// parts, so that the stack becomes shorter while the slice in the arena becomes longer.
#[inline]
pub fn move_to_arena<'a, T: Copy>(stack: &mut Vec<T>, start: usize, arena: &'a Arena) -> &'a [T] {
    let Some(items) = stack.get(start..) else { return &[] };
    if size_of_val(items) >= LARGE_BYTES {
        return move_in_parts(stack, start, arena);
    }
    let items = arena.alloc_slice_copy(items);
    stack.truncate(start);
    items
}

#[cold]
#[inline(never)]
fn move_in_parts<'a, T: Copy>(stack: &mut Vec<T>, start: usize, arena: &'a Arena) -> &'a [T] {
    let count = stack.len() - start;
    let Some(&first) = stack.get(start) else { return &[] };
    let part = count.div_ceil(PARTS);
    // The last part is the first to leave the stack, whose memory shrinks from its end.
    let mut parts = Vec::with_capacity(PARTS);
    while stack.len() > start {
        let from = stack.len().saturating_sub(part).max(start);
        parts.push(stack[from..].to_vec());
        stack.truncate(from);
        stack.shrink_to_fit();
    }
    // Each part is freed after its last item. There are as many items as places, so the default is
    // never used.
    let mut items = parts.into_iter().rev().flatten();
    arena.alloc_slice_fill_with(count, |_| items.next().unwrap_or(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_the_order_of_the_items() {
        let arena = Arena::new();
        for (len, start) in [(0, 0), (3, 3), (1, 0), (17, 0), (16, 5), (1_000, 0), (1_001, 7)] {
            let before: Vec<usize> = (0..len).collect();
            let mut stack = before.clone();
            assert_eq!(move_in_parts(&mut stack, start, &arena), &before[start..], "{len} {start}");
            assert_eq!(stack, before[..start]);
            let mut stack = before.clone();
            assert_eq!(move_to_arena(&mut stack, start, &arena), &before[start..]);
            assert_eq!(stack, before[..start]);
        }
    }
}
