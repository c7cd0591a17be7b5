use manywire::{Failure, Problem};

#[derive(Failure)]
enum Reserved {
    #[failure(status = 409)]
    Taken { status: u16 },
}

#[derive(Failure)]
enum Places {
    #[failure(status = 409)]
    Taken {
        #[failure(detail)]
        why: u32,
    },
}

#[derive(Failure)]
enum Header {
    #[failure(status = 409)]
    Taken {
        #[failure(header = "retry after")]
        wait: u32,
    },
}

#[derive(Failure)]
enum Other {
    #[failure(other, status = 409)]
    Taken(Problem),
}

struct Room;

#[derive(Failure)]
enum Content {
    #[failure(status = 409)]
    Taken { room: Room },
}

fn main() {}
