use manywire::get;

fn main() {
    let find = get("/{id}").path::<u64>().returns::<u64>();
    let _ = find.to(|id| id);
}
