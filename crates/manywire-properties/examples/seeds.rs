//! Writes the seeds of each fuzz target: the vectors, the suites if there are any, and generated
//! inputs.
//!
//!     cargo run -p manywire-properties --example seeds fuzz/seeds
//!     cargo +nightly fuzz run agree_cbor fuzz/corpus/agree_cbor fuzz/seeds/agree_cbor

use std::path::Path;

use manywire_properties::{Choices, TARGETS, inputs};

/// The number of generated seeds per target.
const GENERATED: u64 = 64;

/// Longer inputs slow the fuzzer down and find nothing new.
const LENGTH_MAX: usize = 2_048;

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| {
        eprintln!("usage: seeds FOLDER");
        std::process::exit(2)
    });
    let mut known = inputs::vectors();
    match inputs::suites_folder() {
        Some(root) => known.extend(inputs::suites(&root)),
        None => eprintln!("without the external suites: MANYWIRE_SUITES is not set"),
    }
    for target in TARGETS {
        let mut seeds: Vec<Vec<u8>> = known
            .iter()
            .filter(|input| Some(input.format) == target.format)
            .map(|input| input.bytes.clone())
            .collect();
        for seed in 0..GENERATED {
            let mut bytes = Vec::new();
            target.generate(&mut Choices::from_seed(seed), &mut bytes);
            seeds.push(bytes);
        }
        let folder = Path::new(&folder).join(target.name);
        std::fs::create_dir_all(&folder)?;
        seeds.retain(|bytes| bytes.len() <= LENGTH_MAX);
        for (number, bytes) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("{number:04}")), bytes)?;
        }
        println!("{}: {} seeds", target.name, seeds.len());
    }
    Ok(())
}
