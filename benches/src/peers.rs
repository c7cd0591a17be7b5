//! Other converters, run as their users would run them.

use std::process::{Command, Stdio};

/// A conversion and the programs that perform it.
#[derive(Debug)]
pub struct Task {
    /// The description of the conversion.
    pub name: &'static str,
    /// The input form.
    pub from: &'static str,
    /// The output form.
    pub to: &'static str,
    /// True if the values are one document, false for a stream.
    pub whole: bool,
    /// The programs to compare with.
    pub peers: &'static [Peer],
}

/// A program that reads standard input and writes standard output.
#[derive(Debug)]
pub struct Peer {
    /// The name in the table.
    pub name: &'static str,
    /// The program and its arguments.
    pub command: &'static [&'static str],
    /// A command that prints the version, and fails if the program is not installed.
    pub version: &'static [&'static str],
}

const ORJSON: &[&str] = &["python3", "-c", "import orjson; print(orjson.__version__)"];
const ORMSGPACK: &[&str] =
    &["python3", "-c", "import orjson, ormsgpack; print(ormsgpack.__version__)"];
const MSGPACK: &[&str] =
    &["python3", "-c", "import orjson, msgpack; print(*msgpack.version, sep='.')"];
const CBOR2: &[&str] = &[
    "python3",
    "-c",
    "import orjson, cbor2; from importlib.metadata import version; print(version('cbor2'))",
];
const JQ: &[&str] = &["jq", "--version"];
const JAQ: &[&str] = &["jaq", "--version"];
const CBOR_CLI: &[&str] = &[
    "sh",
    "-c",
    "command -v json2cbor >/dev/null && command -v cbor2json >/dev/null && echo installed",
];

const JSON_STREAM: &[Peer] = &[
    Peer { name: "jq -c .", command: &["jq", "-c", "."], version: JQ },
    Peer { name: "jaq -c .", command: &["jaq", "-c", "."], version: JAQ },
    Peer {
        name: "python orjson, a line at a time",
        command: &[
            "python3",
            "-c",
            "import sys, orjson\nw = sys.stdout.buffer.write\nfor line in sys.stdin.buffer: w(orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE))",
        ],
        version: ORJSON,
    },
];

const JSON_WHOLE: &[Peer] = &[
    Peer { name: "jq -c .", command: &["jq", "-c", "."], version: JQ },
    Peer { name: "jaq -c .", command: &["jaq", "-c", "."], version: JAQ },
    Peer {
        name: "python orjson",
        command: &[
            "python3",
            "-c",
            "import sys, orjson\nsys.stdout.buffer.write(orjson.dumps(orjson.loads(sys.stdin.buffer.read())))",
        ],
        version: ORJSON,
    },
];

const JSON_MSGPACK_STREAM: &[Peer] = &[Peer {
    name: "python orjson + ormsgpack, a line at a time",
    command: &[
        "python3",
        "-c",
        "import sys, orjson, ormsgpack\nw = sys.stdout.buffer.write\nfor line in sys.stdin.buffer: w(ormsgpack.packb(orjson.loads(line)))",
    ],
    version: ORMSGPACK,
}];

const MSGPACK_JSON_STREAM: &[Peer] = &[Peer {
    name: "python msgpack.Unpacker + orjson",
    command: &[
        "python3",
        "-c",
        "import sys, orjson, msgpack\nw = sys.stdout.buffer.write\nfor value in msgpack.Unpacker(sys.stdin.buffer): w(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))",
    ],
    version: MSGPACK,
}];

const JSON_MSGPACK_WHOLE: &[Peer] = &[Peer {
    name: "python orjson + ormsgpack",
    command: &[
        "python3",
        "-c",
        "import sys, orjson, ormsgpack\nsys.stdout.buffer.write(ormsgpack.packb(orjson.loads(sys.stdin.buffer.read())))",
    ],
    version: ORMSGPACK,
}];

const MSGPACK_JSON_WHOLE: &[Peer] = &[Peer {
    name: "python ormsgpack + orjson",
    command: &[
        "python3",
        "-c",
        "import sys, orjson, ormsgpack\nsys.stdout.buffer.write(orjson.dumps(ormsgpack.unpackb(sys.stdin.buffer.read())))",
    ],
    version: ORMSGPACK,
}];

const JSON_CBOR: &[Peer] = &[
    Peer { name: "jaq --to cbor", command: &["jaq", "--to", "cbor", "."], version: JAQ },
    Peer { name: "cbor-cli json2cbor", command: &["json2cbor", "-"], version: CBOR_CLI },
    Peer {
        name: "python orjson + cbor2",
        command: &[
            "python3",
            "-c",
            "import sys, orjson, cbor2\nsys.stdout.buffer.write(cbor2.dumps(orjson.loads(sys.stdin.buffer.read())))",
        ],
        version: CBOR2,
    },
];

const CBOR_JSON: &[Peer] = &[
    Peer { name: "jaq --from cbor", command: &["jaq", "--from", "cbor", "-c", "."], version: JAQ },
    Peer { name: "cbor-cli cbor2json", command: &["cbor2json", "-"], version: CBOR_CLI },
    Peer {
        name: "python cbor2 + orjson",
        command: &[
            "python3",
            "-c",
            "import sys, orjson, cbor2\nsys.stdout.buffer.write(orjson.dumps(cbor2.loads(sys.stdin.buffer.read())))",
        ],
        version: CBOR2,
    },
];

/// All conversions to measure.
pub const TASKS: &[Task] = &[
    Task {
        name: "NDJSON → NDJSON", from: "json", to: "ndjson", whole: false, peers: JSON_STREAM
    },
    Task { name: "JSON → JSON", from: "json", to: "json", whole: true, peers: JSON_WHOLE },
    Task {
        name: "NDJSON → MessagePack stream",
        from: "json",
        to: "msgpack",
        whole: false,
        peers: JSON_MSGPACK_STREAM,
    },
    Task {
        name: "MessagePack stream → NDJSON",
        from: "msgpack",
        to: "ndjson",
        whole: false,
        peers: MSGPACK_JSON_STREAM,
    },
    Task {
        name: "JSON → MessagePack",
        from: "json",
        to: "msgpack",
        whole: true,
        peers: JSON_MSGPACK_WHOLE,
    },
    Task {
        name: "MessagePack → JSON",
        from: "msgpack",
        to: "json",
        whole: true,
        peers: MSGPACK_JSON_WHOLE,
    },
    Task { name: "JSON → CBOR", from: "json", to: "cbor", whole: true, peers: JSON_CBOR },
    Task { name: "CBOR → JSON", from: "cbor", to: "json", whole: true, peers: CBOR_JSON },
];

impl Peer {
    /// Returns the version, or `None` if the program is not installed.
    pub fn installed(&self) -> Option<String> {
        let (program, arguments) = self.version.split_first()?;
        let output = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Returns the command, ready to run.
    pub fn command(&self) -> Command {
        let mut words = self.command.iter();
        let mut command = Command::new(words.next().copied().unwrap_or_default());
        command.args(words);
        command
    }
}
