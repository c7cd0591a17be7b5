use manywire::{Shaped, post};

#[derive(serde::Serialize, Shaped)]
struct Hotel {
    id: u64,
}

fn main() {
    let create = post("/hotels").body::<Hotel>();
    let _ = create.to(|hotel| async move { drop(hotel) });
}
