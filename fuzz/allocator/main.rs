//! The counting allocator, the only `unsafe` code, run under AddressSanitizer from its source
//! files. `run` builds and runs this program.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc};
use std::collections::BTreeMap;

#[global_allocator]
static ALLOCATOR: manywire_meter::Counting = manywire_meter::Counting;

fn main() {
    let (sum, tally) = manywire_meter::tally(|| {
        let threads: Vec<_> = (1..5).map(|seed| std::thread::spawn(move || work(seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("work ends")).sum::<usize>()
    });
    let tally = tally.expect("the allocator reports");
    assert!(tally.allocs > 50_000 && tally.peak > 4 << 20, "{tally:?}");
    for align in [1, 2, 16, 64, 4_096] {
        for size in [1, 7, 100, 5_000] {
            by_hand(size, align);
        }
    }
    // A deliberate fault, which the sanitizer must find.
    if std::env::args().any(|argument| argument == "fault") {
        let layout = Layout::new::<u64>();
        // SAFETY: this read after free is unsound on purpose.
        unsafe {
            let pointer = alloc(layout);
            dealloc(pointer, layout);
            println!("{}", pointer.read());
        }
    }
    println!("{sum}: {tally:?}");
}

/// Fills collections that grow, shrink and are dropped, as in any program.
fn work(seed: usize) -> usize {
    let mut map = BTreeMap::new();
    for number in 0..20_000_usize {
        map.insert(number.wrapping_mul(seed) % 7_919, vec![number as u8; number % 300]);
        if number % 3 == 0 {
            map.pop_first();
        }
    }
    let mut numbers = Vec::new();
    for number in 0..100_000_u64 {
        numbers.push(number);
        if number % 10_000 == 0 {
            numbers.shrink_to_fit();
        }
    }
    let zeros = vec![0_u8; 1 << 20];
    map.len() + numbers.len() + zeros.iter().filter(|byte| **byte == 0).count()
}

/// Calls each function of the allocator once.
fn by_hand(size: usize, align: usize) {
    let layout = Layout::from_size_align(size, align).expect("a power of two");
    let longer = Layout::from_size_align(3 * size, align).expect("a power of two");
    // SAFETY: no size is 0, only written bytes are read, and each layout belongs to its pointer.
    unsafe {
        let pointer = alloc(layout);
        assert_eq!(pointer as usize % align, 0);
        pointer.write_bytes(1, size);
        let pointer = realloc(pointer, layout, longer.size());
        assert_eq!(pointer as usize % align, 0);
        pointer.add(longer.size() - 1).write(2);
        assert_eq!(pointer.read(), 1);
        dealloc(pointer, longer);
        let pointer = alloc_zeroed(layout);
        assert_eq!(pointer.add(size - 1).read(), 0);
        dealloc(pointer, layout);
    }
}
