use manywire::get;

enum Mistake {
    Mine,
}

fn main() {
    let _ = get("/").fails::<Mistake>();
    let _ = Mistake::Mine;
}
