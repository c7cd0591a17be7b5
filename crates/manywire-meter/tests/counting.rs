//! Counts allocations on one thread and on several. There is one test, because all allocations of
//! the process count.

use std::hint::black_box;

use manywire_meter::{Counting, Tally, cpu_ns, tally};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn counts_all_allocations_and_nothing_else() {
    let (_, counted) = tally(|| ());
    assert_eq!(counted, Some(Tally { allocs: 0, bytes: 0, peak: 0 }));
    // A reallocation requests its whole new size, and its old size is freed first.
    let (kept, counted) = tally(|| {
        let mut bytes = Vec::<u8>::with_capacity(100);
        bytes.resize(100, 1);
        bytes.reserve_exact(200);
        drop(black_box(vec![0_u8; 1_000]));
        bytes
    });
    let expected = Tally { allocs: 3, bytes: 100 + 300 + 1_000, peak: 1_300 };
    assert_eq!((kept.capacity(), counted), (300, Some(expected)));
    // Freeing memory from before does not make the balance negative.
    let (_, counted) = tally(|| drop(kept));
    assert_eq!(counted, Some(Tally { allocs: 0, bytes: 0, peak: 0 }));
    let before = cpu_ns();
    let (sum, counted) = tally(|| {
        let threads: Vec<_> = (0..4_u64)
            .map(|seed| {
                std::thread::spawn(move || {
                    // Without the barrier an optimiser may remove the boxes.
                    (0..10_000).map(|it| *black_box(Box::new(it ^ seed)) % 2).sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("work ends")).sum::<u64>()
    });
    assert_eq!(sum, 20_000);
    assert!(counted.is_some_and(|counted| counted.allocs >= 40_000), "{counted:?}");
    assert!(!cfg!(unix) || before < cpu_ns(), "work takes time");
}
