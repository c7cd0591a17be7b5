//! The command line of the benches; `src/lib.rs` describes its use.

use std::path::PathBuf;
use std::process::ExitCode;

use manywire_benches::documents::Documents;
use manywire_benches::report::{Report, run_info};
use manywire_benches::targets::TARGETS;
use manywire_benches::{Subject, instructions, launch, subjects};

/// The arguments of the command line.
#[derive(Default)]
struct Options {
    // `cargo bench` passes this flag and `cargo test` does not, so that a test only smoke-runs.
    bench: bool,
    smoke: bool,
    instructions: bool,
    under_callgrind: bool,
    seed: Option<u64>,
    launches: Option<u64>,
    record: Option<PathBuf>,
    filter: String,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            let number = |text: String| text.parse().map_err(|_| format!("{text} is no number"));
            match argument.as_str() {
                "--bench" => options.bench = true,
                "--smoke" => options.smoke = true,
                "--instructions" => options.instructions = true,
                instructions::UNDER_CALLGRIND => options.under_callgrind = true,
                launch::LAUNCH => options.seed = Some(number(value()?)?),
                "--launches" => options.launches = Some(number(value()?)?),
                "--record" => options.record = Some(value()?.into()),
                flag if flag.starts_with("--") => return Err(format!("unknown option {flag}")),
                filter => options.filter = filter.to_owned(),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    match Options::parse(std::env::args().skip(1)).map(run) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
        Err(usage) => {
            eprintln!("{usage}");
            ExitCode::from(2)
        }
    }
}

fn run(options: Options) -> std::io::Result<()> {
    let mut subjects: Vec<Subject> = subjects(Documents::load());
    subjects.retain(|subject| subject.id().contains(&options.filter));
    if let Some(seed) = options.seed {
        let launch = launch::measure(subjects, TARGETS, seed);
        println!("{}", serde_json::to_string(&launch)?);
        return Ok(());
    }
    if options.under_callgrind {
        instructions::run(subjects);
        return Ok(());
    }
    if options.smoke || !options.bench {
        subjects.iter_mut().for_each(|subject| subject.run(1));
        println!("{} subjects gave their documents back", subjects.len());
        return Ok(());
    }
    let mut report = Report { run: run_info(), ..Report::default() };
    report.size_bytes = subjects.iter().map(|subject| (subject.id(), subject.size_bytes)).collect();
    // Counting and timing are separate passes, and a record has both.
    if options.instructions || options.record.is_some() {
        let ids: Vec<String> = subjects.iter().map(Subject::id).collect();
        match instructions::count(&ids, &options.filter)? {
            Some(counts) => report.instructions = counts,
            None => eprintln!("no valgrind here: instructions are not counted"),
        }
    }
    if !options.instructions || options.launches.is_some() {
        report.launches = launch::run(options.launches.unwrap_or(10), &options.filter)?;
    }
    print!("{}", report.markdown());
    match &options.record {
        Some(directory) => report.record(directory),
        None => Ok(()),
    }
}
