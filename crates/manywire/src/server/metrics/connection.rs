//! The gauge of open connections.

use std::sync::atomic::Ordering;

use super::SharedMetrics;

/// An open connection. Dropping it decrements the gauge.
#[derive(Debug)]
pub(in crate::server) struct ConnectionGauge(SharedMetrics);

impl ConnectionGauge {
    /// Counts an accepted connection.
    pub(in crate::server) fn open(metrics: &SharedMetrics) -> Self {
        if let Some(metrics) = metrics {
            metrics.accepted.fetch_add(1, Ordering::Relaxed);
            metrics.connections.fetch_add(1, Ordering::Relaxed);
        }
        ConnectionGauge(metrics.clone())
    }
}

impl Drop for ConnectionGauge {
    fn drop(&mut self) {
        if let Some(metrics) = &self.0 {
            metrics.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
