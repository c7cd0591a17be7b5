//! The figures of one cell of a pair, from the results of its launches.

use std::collections::BTreeMap;

use crate::trial::cost::CpuSample;
use crate::trial::figure::{Figure, Remainder, log_quantile, quantile_of_sorted};
use crate::trial::launch::{CellLaunch, Meter, Sequential};
use crate::weigh::statistics::median;

/// The estimates of one launch for a cell.
#[derive(Clone, Copy, Debug)]
struct Estimates {
    meters: [Option<f64>; 3],
    decode: Option<f64>,
    /// CPU time of the client's decoding.
    decode_cpu: Option<f64>,
    encode: Option<f64>,
    /// CPU time of client and server for a request, end to end.
    cpu: Option<f64>,
}

impl Estimates {
    fn of(launch: &CellLaunch) -> Estimates {
        let latency = |slices: &Vec<Sequential>| {
            median(&slices.iter().map(|slice| slice.latency_ns).collect::<Vec<_>>())
        };
        let [transport, endpoint, end_to_end] = &launch.meters;
        Estimates {
            meters: [latency(transport), latency(endpoint), latency(end_to_end)],
            decode: median(&launch.decode_ns),
            decode_cpu: decode_cpu(launch),
            encode: median(&launch.encode_ns),
            cpu: slice_median(end_to_end, |slice| {
                Some(slice.server_cpu_ns? + slice.client_cpu_ns?)
            }),
        }
    }
}

/// Returns the CPU time of the client's decoding in a launch; `None` if a round lacks it, or if it is
/// too short for the clock.
fn decode_cpu(launch: &CellLaunch) -> Option<f64> {
    let rounds = launch.decode_cpu_ns.iter().copied().collect::<Option<Vec<f64>>>()?;
    median(&rounds).filter(|&ns| ns > 0.0)
}

/// Returns the median of a figure over slices; `None` if a slice lacks it.
fn slice_median(slices: &[Sequential], of: fn(&Sequential) -> Option<f64>) -> Option<f64> {
    median(&slices.iter().map(of).collect::<Option<Vec<f64>>>()?)
}

/// The name, in the samples of a row, of the server's CPU time for a request at the rate at which
/// all servers of its lane are compared.
pub(crate) const SERVER_CPU_AT_RATE: &str = "server_cpu_at_rate_ns";

/// The figures of one cell over all launches.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) meters: [Option<Figure>; 3],
    pub(crate) processing: Option<Figure>,
    /// The CPU time of decoding alone; `None` if a launch lacks it.
    pub(crate) processing_cpu: Option<Figure>,
    pub(crate) encode: Option<Figure>,
    pub(crate) residual: Option<Remainder>,
    pub(crate) unexplained: Option<Remainder>,
    pub(crate) server_cpu: [Option<Figure>; 3],
    pub(crate) client_cpu: [Option<Figure>; 3],
    /// The CPU time of the server for a request at the rate of all servers of its lane: for each
    /// launch, one figure per round. `None` if a round lacks the figure, or if there are no rounds.
    pub(crate) server_cpu_at_rate: Option<Vec<Vec<f64>>>,
    /// The logarithms of the end-to-end times, one per launch, for ratios; `None` if a launch lacks
    /// the time.
    pub(crate) log_end_to_end: Option<Vec<f64>>,
    /// The logarithms of the CPU time of client and server end to end, one per launch; `None` if a
    /// launch lacks the time.
    pub(crate) log_cpu: Option<Vec<f64>>,
    /// The logarithms of the median latency in the first open loop, one per launch; `None` if a
    /// launch lacks the latency.
    pub(crate) log_latency_at_rate: Option<Vec<f64>>,
    /// True if half of the requests of the first open loops were sent so late that the median
    /// latency describes the client.
    pub(crate) is_median_late: bool,
    /// For each measured time, its logarithms, one per launch.
    pub(crate) log_times: Vec<Vec<f64>>,
    /// The times for costs, one sample per launch; empty if a launch lacks one.
    pub(crate) draws: Vec<CpuSample>,
    /// The same with the CPU time of the client's decoding, for a busy machine.
    pub(crate) cpu_draws: Vec<CpuSample>,
    /// The estimate of each launch, by the name of its figure in the report.
    pub(crate) samples: BTreeMap<String, Vec<f64>>,
}

impl Figures {
    pub(crate) fn of(launches: &[&CellLaunch]) -> Figures {
        let estimates: Vec<Estimates> =
            launches.iter().map(|launch| Estimates::of(launch)).collect();
        let column = |value: &dyn Fn(&Estimates) -> Option<f64>| -> Option<Vec<f64>> {
            estimates.iter().map(value).collect()
        };
        let meter = |meter: Meter| column(&|of: &Estimates| of.meters[meter as usize]);
        let times = [meter(Meter::Transport), meter(Meter::Endpoint), meter(Meter::EndToEnd)];
        let [transport, endpoint, end_to_end] = &times;
        let (decode, encode) = (column(&|of| of.decode), column(&|of| of.encode));
        let draws = |decode: fn(&CellLaunch) -> Option<f64>| -> Vec<CpuSample> {
            let samples = launches.iter().map(|launch| cpu_sample(launch, decode(launch)));
            samples.collect::<Option<_>>().unwrap_or_default()
        };
        let rounds = |launch: &&CellLaunch| -> Option<Vec<f64>> {
            launch.server_cpu_at_rate_ns.iter().copied().collect()
        };
        let server_cpu_at_rate: Option<Vec<Vec<f64>>> = launches.iter().map(rounds).collect();
        let server_cpu_at_rate =
            server_cpu_at_rate.filter(|all| all.iter().all(|it| !it.is_empty()));
        let server_cpu_medians = server_cpu_at_rate
            .as_ref()
            .and_then(|all| all.iter().map(|rounds| median(rounds)).collect());
        let named = [
            (SERVER_CPU_AT_RATE, &server_cpu_medians),
            ("transport_ns", transport),
            ("endpoint_ns", endpoint),
            ("end_to_end_ns", end_to_end),
            ("processing_ns", &decode),
            ("encode_ns", &encode),
        ];
        let samples = named
            .into_iter()
            .filter_map(|(name, column)| Some((name.to_owned(), column.clone()?)))
            .collect();
        let figure = |column: &Option<Vec<f64>>| Figure::of(column.as_ref()?);
        let remainder = |whole: &Option<Vec<f64>>,
                         (first, second): (&Option<Vec<f64>>, &Option<Vec<f64>>),
                         base: &Option<Vec<f64>>| {
            let rest =
                Figure::of_difference(&[whole.as_ref()?], &[first.as_ref()?, second.as_ref()?]);
            Some(Remainder::of(rest?, figure(base)?.value, figure(whole)?.value))
        };
        let cpu = |of: fn(&Sequential) -> Option<f64>| {
            [0, 1, 2].map(|meter: usize| {
                let of_launch = |launch: &&CellLaunch| slice_median(&launch.meters[meter], of);
                Figure::of(&launches.iter().map(of_launch).collect::<Option<Vec<f64>>>()?)
            })
        };
        let logs = |column: &Option<Vec<f64>>| -> Option<Vec<f64>> {
            let logs: Vec<f64> = column.as_ref()?.iter().map(|time| time.ln()).collect();
            logs.iter().all(|log| log.is_finite()).then_some(logs)
        };
        Figures {
            meters: [figure(transport), figure(endpoint), figure(end_to_end)],
            processing: figure(&decode),
            processing_cpu: figure(&column(&|of| of.decode_cpu)),
            encode: figure(&encode),
            // The extra time of encoding over sending prepared bytes, less the time of encoding
            // alone.
            unexplained: remainder(endpoint, (transport, &encode), &encode),
            residual: remainder(end_to_end, (endpoint, &decode), end_to_end),
            server_cpu: cpu(|slice| slice.server_cpu_ns),
            client_cpu: cpu(|slice| slice.client_cpu_ns),
            server_cpu_at_rate,
            log_end_to_end: logs(end_to_end),
            log_cpu: logs(&column(&|of| of.cpu)),
            log_latency_at_rate: launches
                .iter()
                .map(|launch| log_quantile(&launch.open.first()?.latencies_ns, 0.5))
                .collect(),
            is_median_late: is_median_late(launches),
            log_times: times.iter().chain([&decode, &encode]).filter_map(logs).collect(),
            draws: draws(|launch| median(&launch.decode_ns)),
            cpu_draws: draws(decode_cpu),
            samples,
        }
    }
}

/// The largest share of the median latency that half of the requests may be late by.
const LATE: f64 = 0.1;

/// Returns whether the median lag in the first open loops is more than a tenth of the median latency.
fn is_median_late(launches: &[&CellLaunch]) -> bool {
    let open = || launches.iter().filter_map(|launch| launch.open.first());
    let median = |mut times: Vec<u64>| {
        times.sort_unstable();
        quantile_of_sorted(&times, 0.5)
    };
    let lag = median(open().flat_map(|open| open.lags_ns.iter().copied()).collect());
    lag > LATE * median(open().flat_map(|open| open.latencies_ns.iter().copied()).collect())
}

/// Returns the CPU time of a request at capacity in one launch, with the time of its decoding.
fn cpu_sample(launch: &CellLaunch, client_ns: Option<f64>) -> Option<CpuSample> {
    let server_cpu_ns = launch.capacity?.server_cpu_ns?;
    Some(CpuSample { server_cpu_ns, client_ns: client_ns? })
}

#[cfg(test)]
mod tests {
    use super::Figures;
    use crate::trial::launch::{CellLaunch, Sequential};

    fn slices(latency_ns: f64) -> Vec<Sequential> {
        let slice = |by: f64| Sequential {
            latency_ns: latency_ns + by,
            server_cpu_ns: None,
            client_cpu_ns: None,
        };
        vec![slice(-5.0), slice(0.0), slice(900.0)]
    }

    #[test]
    fn residual_is_what_the_meters_do_not_explain() {
        let launch = |speed: f64| CellLaunch {
            meters: [slices(110.0 * speed), slices(160.0 * speed), slices(270.0 * speed)],
            decode_ns: vec![80.0 * speed],
            encode_ns: vec![40.0 * speed],
            ..CellLaunch::default()
        };
        let launches = [launch(1.0), launch(1.1), launch(1.21)];
        let figures = Figures::of(&launches.iter().collect::<Vec<_>>());
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-9 * expected, "{found}, not {expected}");
        };
        // The geometric mean of the speeds is 1.1.
        near(figures.meters[0].expect("transport").value, 121.0);
        let residual = figures.residual.expect("all four");
        near(residual.ns.value, 30.0 * 1.1);
        near(residual.share.expect("a share"), 30.0 / 270.0);
        let value = |meter: usize| figures.meters[meter].expect("a meter").value;
        let decode = figures.processing.expect("decoding").value;
        near(residual.ns.value, value(2) - value(1) - decode);
        let unexplained = figures.unexplained.expect("three of them");
        near(unexplained.ns.value, 10.0 * 1.1);
        near(unexplained.share.expect("a share"), 0.25);
        assert!(figures.server_cpu[0].is_none() && figures.log_cpu.is_none());
        assert_eq!(figures.log_times.len(), 5);
        assert_eq!(figures.samples["end_to_end_ns"].len(), 3);
        assert_eq!(figures.samples["processing_ns"], [80.0, 80.0 * 1.1, 80.0 * 1.21]);
    }
}
