//! The open connections of a server, and the choice of the one to close when there are too many.
//!
//! If a server made further connections wait, clients could block it by opening all connections and
//! sending little. So at the limit, the server closes the connection that has waited longest for
//! its client: one that is idle, whose request or response moves below the minimum rate, or that
//! has sent no request yet. A connection whose handler runs is not chosen, unless its socket is
//! full because the client does not read. A new connection is not chosen either. Otherwise, a
//! client that connects again and again would push out all others before they have sent a request.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::stalled_streams::SocketState;
use crate::activity::Activity;
use crate::limits::Limits;

/// The time for which a new connection is not closed: a request needs about two round trips to
/// arrive.
const NEW: Duration = Duration::from_secs(1);

/// The interval in which the rates of connections are measured while many are open.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// The time after which connections are looked at again if none could be closed.
const RETRY: Duration = Duration::from_millis(100);

/// The maximum number of connections that one pass over all connections chooses in advance. A pass
/// over 10,000 takes about a millisecond, which is too long for each new connection.
const CHOSEN_MAX: usize = 256;

/// The open connections.
pub(super) struct Connections {
    connections_max: usize,
    peer_connections_max: usize,
    bytes_per_second: u64,
    /// The connections in the order in which they were accepted.
    open: BTreeMap<u64, OpenConnection>,
    by_peer: HashMap<Peer, BTreeSet<u64>>,
    closed: Arc<Closed>,
    next_id: u64,
    looked_at: Instant,
    /// The connections to close next, in reverse order, each with the bytes that it had moved when
    /// it was chosen.
    chosen: Vec<(u64, u64)>,
}

/// The clients that count as one peer: those with the same IPv4 address, or in the same /64 network
/// of IPv6, which is what one customer gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Peer(IpAddr);

/// The parts of a connection by which the server can judge and close it.
#[derive(Clone, Debug, Default)]
pub(super) struct ConnectionState {
    pub(super) activity: Arc<Activity>,
    pub(super) socket: Arc<SocketState>,
}

struct OpenConnection {
    peer: Option<Peer>,
    state: ConnectionState,
    task: AbortHandle,
    opened: Instant,
    /// The time since which the connection waits for its client.
    waiting_since: Instant,
    /// The bytes that the connection had moved at the last measurement.
    seen_bytes: u64,
}

/// The connections that have ended and are not removed from the list yet.
#[derive(Debug, Default)]
struct Closed {
    ids: Mutex<Vec<u64>>,
    notify: Notify,
}

/// A place among the connections, which the task of a connection holds until it ends.
#[derive(Debug)]
pub(super) struct Place {
    id: u64,
    closed: Arc<Closed>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.closed.ids.lock().unwrap_or_else(PoisonError::into_inner).push(self.id);
        self.closed.notify.notify_one();
    }
}

impl Peer {
    pub(super) fn of(address: IpAddr) -> Self {
        Peer(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 => v4,
        })
    }
}

impl OpenConnection {
    /// Returns whether the connection waits for its client and is old enough to be closed.
    fn may_close(&self, now: Instant) -> bool {
        let is_waiting = !self.state.activity.is_working() || self.state.socket.is_full();
        is_waiting && now.saturating_duration_since(self.opened) >= NEW
    }
}

impl Connections {
    pub(super) fn new(limits: &Limits) -> Self {
        Connections {
            connections_max: limits.connections.max(1),
            peer_connections_max: limits.peer_connections.max(1),
            bytes_per_second: limits.bytes_per_second_min.max(1).into(),
            open: BTreeMap::new(),
            by_peer: HashMap::new(),
            closed: Arc::default(),
            next_id: 0,
            looked_at: Instant::now(),
            chosen: Vec::new(),
        }
    }

    /// Returns whether the rates of connections are measured: if the number of open connections is
    /// at least half of the smaller limit.
    pub(super) fn are_many(&self) -> bool {
        self.open.len() >= self.connections_max.min(self.peer_connections_max) / 2
    }

    /// Returns the place of the connection that is accepted next.
    pub(super) fn place(&self) -> Place {
        Place { id: self.next_id, closed: Arc::clone(&self.closed) }
    }

    /// Adds the connection whose place was taken last.
    pub(super) fn add(&mut self, peer: Option<Peer>, state: ConnectionState, task: AbortHandle) {
        let (id, now) = (self.next_id, Instant::now());
        self.next_id += 1;
        let open =
            OpenConnection { peer, state, task, opened: now, waiting_since: now, seen_bytes: 0 };
        self.open.insert(id, open);
        if let Some(peer) = peer {
            self.by_peer.entry(peer).or_default().insert(id);
        }
    }

    /// Waits until there is room for a connection of this peer, and closes other connections if
    /// necessary. Returns false if the peer has too many connections and none of them may be
    /// closed.
    ///
    /// This future may be dropped at any time.
    pub(super) async fn make_room(&mut self, peer: Option<Peer>) -> bool {
        loop {
            self.remove_closed();
            let of_peer = peer.and_then(|peer| self.by_peer.get(&peer)).map_or(0, BTreeSet::len);
            let is_peer_full = of_peer >= self.peer_connections_max;
            if !is_peer_full && self.open.len() < self.connections_max {
                return true;
            }
            let slowest = match peer.filter(|_| is_peer_full) {
                Some(peer) => self.slowest_of(peer),
                None => self.slowest(),
            };
            match slowest {
                Some(id) => self.close(id),
                None if is_peer_full => return false,
                None => {
                    let closed = self.closed.notify.notified();
                    // Connections that are new or at work now may wait for their clients later.
                    drop(tokio::time::timeout(RETRY, closed).await);
                }
            }
        }
    }

    /// Measures the rates since the last call. A connection that moved enough bytes, or for which
    /// the server works while the socket is not full, does not wait for its client.
    pub(super) fn look(&mut self) {
        self.remove_closed();
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.looked_at);
        let enough = (elapsed.as_secs_f64() * self.bytes_per_second as f64) as u64;
        self.looked_at = now;
        self.chosen.clear();
        for open in self.open.values_mut() {
            let moved_bytes = open.state.activity.moved_bytes();
            let is_quick = moved_bytes.wrapping_sub(open.seen_bytes) >= enough.max(1);
            open.seen_bytes = moved_bytes;
            if is_quick || open.state.activity.is_working() && !open.state.socket.is_full() {
                open.waiting_since = now;
            }
        }
    }

    /// Returns the connection that has waited longest for its client. Among equals, returns the one
    /// accepted first.
    fn slowest(&mut self) -> Option<u64> {
        let now = Instant::now();
        while let Some((id, moved_bytes)) = self.chosen.pop() {
            let open = self.open.get(&id).filter(|open| open.may_close(now));
            if open.is_some_and(|open| open.state.activity.moved_bytes() == moved_bytes) {
                return Some(id);
            }
        }
        let mut waiting: Vec<(Instant, u64, u64)> = self
            .open
            .iter()
            .filter(|(_, open)| open.may_close(now))
            .map(|(id, open)| (open.waiting_since, *id, open.state.activity.moved_bytes()))
            .collect();
        if waiting.len() > CHOSEN_MAX {
            waiting.select_nth_unstable(CHOSEN_MAX);
            waiting.truncate(CHOSEN_MAX);
        }
        waiting.sort_unstable_by(|one, other| other.cmp(one));
        self.chosen = waiting.into_iter().map(|(_, id, moved_bytes)| (id, moved_bytes)).collect();
        self.chosen.pop().map(|(id, _)| id)
    }

    /// Returns the connection that has waited longest for this peer.
    fn slowest_of(&self, peer: Peer) -> Option<u64> {
        let now = Instant::now();
        let ids = self.by_peer.get(&peer)?.iter();
        let open = ids.filter_map(|id| Some((*id, self.open.get(id)?)));
        let waiting = open.filter(|(_, open)| open.may_close(now));
        waiting.min_by_key(|(id, open)| (open.waiting_since, *id)).map(|(id, _)| id)
    }

    /// Closes a connection at once.
    fn close(&mut self, id: u64) {
        if let Some(open) = self.remove(id) {
            tracing::debug!(peer = ?open.peer, "closed a slow connection to make room for another");
            open.task.abort();
        }
    }

    fn remove_closed(&mut self) {
        let closed =
            std::mem::take(&mut *self.closed.ids.lock().unwrap_or_else(PoisonError::into_inner));
        for id in closed {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: u64) -> Option<OpenConnection> {
        let open = self.open.remove(&id)?;
        if let Some(peer) = open.peer
            && let Some(ids) = self.by_peer.get_mut(&peer)
        {
            ids.remove(&id);
            if ids.is_empty() {
                self.by_peer.remove(&peer);
            }
        }
        Some(open)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::task::JoinHandle;
    use tokio::time::{advance, timeout};

    use super::*;

    const PEER: Peer = Peer(IpAddr::V6(Ipv6Addr::LOCALHOST));

    /// Opens a connection, as the server does. The task ends when the connection is closed.
    fn open(
        connections: &mut Connections,
        peer: Option<Peer>,
    ) -> (ConnectionState, JoinHandle<()>) {
        let (state, place) = (ConnectionState::default(), connections.place());
        let task = tokio::spawn(async move {
            let _place = place;
            pending::<()>().await;
        });
        connections.add(peer, state.clone(), task.abort_handle());
        (state, task)
    }

    fn limited(connections: usize, peer_connections: usize) -> Connections {
        let limits = Limits::DEFAULT.with_connections(connections);
        Connections::new(&limits.with_peer_connections(peer_connections))
    }

    #[tokio::test(start_paused = true)]
    async fn closes_the_connection_that_waits_longest_for_its_client() {
        let mut connections = limited(4, 100);
        let mut open: Vec<_> = (0..4).map(|_| open(&mut connections, None)).collect();
        // The first handles a request, the second transfers bytes, the third sends less than the
        // minimum rate, and the fourth is silent.
        let work = open[0].0.activity.work();
        for _ in 0..5 {
            advance(LOOK_INTERVAL).await;
            open[1].0.activity.add_bytes(501);
            open[2].0.activity.add_bytes(1);
            connections.look();
        }
        assert!(connections.make_room(None).await);
        assert!(open.remove(2).1.await.expect_err("closed").is_cancelled());
        let (_, fifth) = self::open(&mut connections, None);
        assert!(connections.make_room(None).await);
        assert!(open.remove(2).1.await.expect_err("closed").is_cancelled());
        assert!(!fifth.is_finished(), "a new connection is not closed");
        assert!(!open[0].1.is_finished() && !open[1].1.is_finished());
        drop(work);
    }

    #[tokio::test(start_paused = true)]
    async fn waits_for_room_while_all_connections_are_new_or_at_work() {
        let mut connections = limited(2, 100);
        let (first, second) = (open(&mut connections, None), open(&mut connections, None));
        let _work = first.0.activity.work();
        // The second connection is closed once it is not new any more.
        let began = Instant::now();
        assert!(connections.make_room(None).await);
        assert!(began.elapsed() >= NEW);
        assert!(second.1.await.expect_err("closed").is_cancelled());
        let (third, task) = open(&mut connections, None);
        let _other = third.activity.work();
        assert!(timeout(Duration::from_secs(60), connections.make_room(None)).await.is_err());
        // A connection that ends makes room at once.
        task.abort();
        assert!(connections.make_room(None).await);
    }

    #[tokio::test(start_paused = true)]
    async fn limits_the_connections_of_one_peer() {
        let mut connections = limited(100, 2);
        let other = open(&mut connections, Some(Peer::of(IpAddr::from([192, 0, 2, 1]))));
        let (first, second) =
            (open(&mut connections, Some(PEER)), open(&mut connections, Some(PEER)));
        assert!(!connections.make_room(Some(PEER)).await, "both are new");
        advance(NEW).await;
        assert!(connections.make_room(Some(PEER)).await);
        assert!(first.1.await.expect_err("closed").is_cancelled());
        assert!(!second.1.is_finished() && !other.1.is_finished());
        let _third = open(&mut connections, Some(PEER));
        let _work = second.0.activity.work();
        assert!(!connections.make_room(Some(PEER)).await, "one works and one is new");
        assert!(connections.make_room(Some(Peer::of(IpAddr::from([192, 0, 2, 2])))).await);
    }

    #[test]
    fn counts_an_ipv6_network_as_one_peer() {
        let peer = |text: &str| Peer::of(text.parse().expect("an address"));
        assert_eq!(peer("2001:db8:1:2::1"), peer("2001:db8:1:2:ffff::2"));
        assert_ne!(peer("2001:db8:1:2::1"), peer("2001:db8:1:3::1"));
        assert_eq!(peer("::ffff:192.0.2.1"), peer("192.0.2.1"));
        assert_ne!(peer("192.0.2.1"), peer("192.0.2.2"));
    }
}
