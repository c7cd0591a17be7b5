use manywire::get;

#[derive(serde::Serialize)]
struct Hotel {
    id: u64,
}

fn main() {
    let _ = get("/hotel").returns::<Hotel>();
}
