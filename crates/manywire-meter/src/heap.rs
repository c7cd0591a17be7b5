//! The state of the heap in which operations are measured.

use std::hint::black_box;

/// The size of the block that is freed: more than glibc's threshold for allocating a block with
/// `mmap`, and less than the largest block whose freeing raises the thresholds.
const BLOCK_BYTES: usize = 16 << 20;

/// Puts the allocator into the state that it has in a service that has run for a while.
///
/// glibc returns freed memory at the end of the heap to the system from 128 KiB on and takes it back
/// page by page, until the program has freed a large block once; this raises the thresholds for
/// `mmap` and for returning memory (mallopt(3), `M_MMAP_THRESHOLD`). In a process that is a second
/// old, this made encoding 38 KB up to 60 % slower and a decoder that allocates much up to 80 %, in
/// some launches and not in others. Other allocators are not affected.
pub fn settle_heap() {
    drop(black_box(Vec::<u8>::with_capacity(BLOCK_BYTES)));
}
