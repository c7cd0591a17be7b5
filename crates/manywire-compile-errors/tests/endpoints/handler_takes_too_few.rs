use manywire::get;

fn main() {
    let find = get("/{id}").path::<u64>().parameter::<bool>("all").returns::<String>();
    let _ = find.to(|id: u64| async move { id.to_string() });
}
