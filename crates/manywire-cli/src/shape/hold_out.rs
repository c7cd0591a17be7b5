//! `--hold-out`: how well the shape of most samples fits the others.

use manywire_shape::Arena;
use manywire_shape::infer::{HoldOut, hold_out};
use manywire_weigh::payload::{Corpus, InputError, Payload};
use serde_json::{Value as Json, json};

use super::check::located;
use super::{Refusal, document, input, place};
use crate::exit::Exit;
use crate::output;

/// Misfits named one by one; of more only the number.
const NAMED_MAX: usize = 10;

pub(super) fn run(
    payloads: &[Payload],
    mut errors: Vec<InputError>,
    as_json: bool,
) -> Result<Exit, Refusal> {
    let arena = Arena::new();
    let mut values = Vec::new();
    let mut of = Vec::new();
    for payload in payloads {
        let (corpus, unread) = Corpus::load(std::slice::from_ref(payload), &arena);
        values.extend(corpus.values());
        of.extend(corpus.values().map(|_| payload));
        errors.extend(unread);
    }
    let exit = input::complain(&errors);
    if values.len() < 2 {
        let message = format!("--hold-out needs at least 2 samples, found {}", values.len());
        return Err((Exit::Failed, message));
    }
    let result = hold_out(&values);
    let misfits: Vec<(InputError, usize)> = result
        .misfits
        .iter()
        .map(|(index, misfit)| (located(of[*index], misfit), *index))
        .collect();
    let text = if as_json { json_text(&result, &misfits) } else { words(&result, &misfits) };
    Ok(exit.and(output::print(&text)))
}

fn words(result: &HoldOut, misfits: &[(InputError, usize)]) -> String {
    let HoldOut { inferred_from, tried, fitting, .. } = result;
    let (low, high) = interval(*fitting, *tried);
    let mut text = format!(
        "inferred from {inferred_from} samples; {fitting} of {tried} others fit: {:.0} % \
         (95 % interval {:.0} to {:.0} %)\n",
        100.0 * *fitting as f64 / *tried as f64,
        100.0 * low,
        100.0 * high
    );
    for (error, _) in misfits.iter().take(NAMED_MAX) {
        text.push_str(&format!("{error}\n"));
    }
    if misfits.len() > NAMED_MAX {
        text.push_str(&format!("and {} more\n", misfits.len() - NAMED_MAX));
    }
    text
}

fn json_text(result: &HoldOut, misfits: &[(InputError, usize)]) -> String {
    let (low, high) = interval(result.fitting, result.tried);
    let misfits = misfits.iter().zip(&result.misfits).map(|((error, index), (_, misfit))| {
        let mut members = place(error);
        members.insert("sample".to_owned(), (*index).into());
        members.insert("expected".to_owned(), misfit.expected.as_str().into());
        members.insert("found".to_owned(), misfit.found.as_str().into());
        Json::Object(members)
    });
    let answer = json!({
        "inferred_from": result.inferred_from,
        "tried": result.tried,
        "fitting": result.fitting,
        "share_interval_95": [low, high],
        "misfits": misfits.collect::<Vec<_>>(),
    });
    document("hold_out", answer)
}

/// Wilson's interval for a share, at 95 %: honest where all or none fit, and for few samples.
fn interval(fitting: usize, tried: usize) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let n = tried as f64;
    let share = fitting as f64 / n;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let reach = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}
