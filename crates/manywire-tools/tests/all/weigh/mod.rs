mod corpus;
mod coverage;
mod lanes;
mod launches_gone_wrong;
mod report;
mod statistics;
