//! From the times of launches to intervals and verdicts.
//!
//! The unit of replication is the launch, a new process: the layout of memory that a process
//! happens to get moves a ratio by more than all the noise inside it, so an interval computed
//! within one process is too narrow. Inside a launch, subjects run in random order round by round
//! and the launch's estimate of a ratio is the median over rounds of the logarithm of the ratio
//! within the round. Across launches an ordinary t-interval covers the mean of those logarithms.
//!
//! Measuring stops when the intervals are narrow enough, never because a difference has become
//! significant, and looks only at fixed numbers of launches. The looks cost some of the level:
//! intervals are computed at 97 % and hold at 95 %.

mod fit;
mod holm;
mod interval;
mod median;
mod modes;
mod stopping;
mod verdict;

pub use fit::{Fit, Moments};
pub use holm::holm;
pub use interval::{Interval, LEVEL, REPORTED_LEVEL};
pub use median::median;
pub use modes::{Modes, modes};
pub use stopping::stopped;
pub use verdict::{Comparison, Verdict, judge, judge_each};

/// The numbers of launches after which widths are looked at.
pub const LOOKS: [usize; 4] = [10, 15, 20, 30];

/// How many launches `--quick` makes, without looking.
pub const QUICK_LAUNCHES: usize = 5;
