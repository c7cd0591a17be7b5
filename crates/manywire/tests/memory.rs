//! The memory of a stream in both directions, which is that of a few values for any length.
//!
//! This is a separate binary because it measures the resident memory of its process.
//! `MANYWIRE_ITEMS=1000000 cargo test --release --test memory -- --nocapture` prints the memory of
//! a million values.

#![cfg(target_os = "linux")]

use manywire::content::Items;
use manywire::{Api, Client, Format, Shaped, post};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize, Shaped)]
struct Reading {
    id: u32,
    text: String,
}

fn reading(id: u32) -> Reading {
    Reading { id, text: "a reading of a sensor, with a text of some length ".repeat(4) }
}

/// Returns the resident memory of this process, in bytes.
fn resident_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    let kib = line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number");
    kib << 10
}

/// The variation of memory until the allocator and the socket buffers reach their sizes, in bytes.
const SLACK_BYTES: usize = 8 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_many_values_in_the_memory_of_a_few() {
    let count = std::env::var("MANYWIRE_ITEMS").ok().and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(60_000);
    let echo = post("/").body::<Items<Reading>>().returns::<Items<Reading>>();
    let formats = [Format::Json, Format::MsgPack, Format::Cbor, Format::Protobuf];
    let api = Api::new("Readings").formats(formats);
    let service = api.serve(echo.clone().to(|all| async move { all })).build();
    let server = service.expect("a valid API").bind("127.0.0.1:0").await.expect("a port");
    let base = format!("http://{}", server.local_address());
    tokio::spawn(server.run());
    for format in formats {
        let client = Client::new(&base).expect("a base").formats([format]);
        let sent = Items::from_values((0..count).map(reading));
        let mut answered = client.call(&echo, sent).await.expect("an answer");
        let (mut index, mut begun, mut most) = (0, 0, 0);
        while let Some(item) = answered.next().await {
            assert_eq!(item.expect("a reading").id, index);
            index += 1;
            // The first thousand values fill the buffers.
            if index == 1_000 {
                begun = resident_bytes();
            } else if index % 1_000 == 0 {
                most = most.max(resident_bytes());
            }
        }
        assert_eq!(index, count);
        let grown = most.saturating_sub(begun);
        println!("{format}: {count} values, {begun} bytes resident, {grown} more at most");
        assert!(grown < SLACK_BYTES, "{format}: {grown} bytes more");
    }
}
