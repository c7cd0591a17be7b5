use manywire::get;

fn main() {
    let find = get("/{id}").path::<u64>().returns::<String>();
    let _ = find.to(|id| async move { id });
}
