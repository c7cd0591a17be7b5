mod built_in_lane;
mod corpus;
mod coverage;
mod fields;
mod lanes;
mod launches_gone_wrong;
pub(crate) mod report;
mod statistics;
mod stream;
