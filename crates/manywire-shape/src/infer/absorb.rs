use super::evidence::Example;
use super::place::Place;
use super::{DEPTH_MAX, Room};

/// Records of more keys than this become maps, by turns, when merging leaves too many places.
const SHRINKING_KEYS_MAX: [usize; 4] = [64, 16, 4, 1];

impl Place {
    /// Adds everything another place has seen to ours; its samples come `shift` later than they
    /// say. Gives back the room of what both held, but not of the other place itself: that is for
    /// whoever held it.
    pub(super) fn absorb(&mut self, other: Place, shift: u64, room: &mut Room) {
        for example in other.examples {
            self.keep_earlier(example.later(shift));
        }
        self.counts.tally(&other.counts);
        if let Some(theirs) = other.item {
            room.places += usize::from(self.item.is_some());
            self.item.get_or_insert_default().absorb(*theirs, shift, room);
        }
        if let Some(theirs) = other.entries {
            room.places += usize::from(self.entries.is_some());
            self.entries.get_or_insert_default().absorb(*theirs, shift, room);
        }
    }

    fn keep_earlier(&mut self, example: Example) {
        match self.examples.iter_mut().find(|ours| ours.kind == example.kind) {
            Some(ours) if ours.sample <= example.sample => {}
            Some(ours) => *ours = example,
            None => self.examples.push(example),
        }
    }

    /// Gives up detail, the widest records first, until this much room is left.
    pub(super) fn shrink(&mut self, left: usize, room: &mut Room) {
        for keys in SHRINKING_KEYS_MAX {
            if room.places >= left {
                return;
            }
            self.open_wide(keys, room);
        }
        for depth in (0..DEPTH_MAX).rev() {
            if room.places >= left {
                return;
            }
            self.cut(depth, room);
        }
    }

    /// Makes maps of all records with more keys than this.
    fn open_wide(&mut self, keys_max: usize, room: &mut Room) {
        for place in self.below_mut() {
            place.open_wide(keys_max, room);
        }
        if let Some(entries) = &mut self.entries
            && entries.slots().len() > keys_max
        {
            entries.open(room);
        }
    }

    /// Forgets what lies deeper than this.
    fn cut(&mut self, depth: usize, room: &mut Room) {
        if depth > 0 {
            self.below_mut().for_each(|place| place.cut(depth - 1, room));
            return;
        }
        let taken = self.places_below();
        if taken > 0 {
            self.counts.unknown = true;
            self.item = None;
            self.entries = None;
            room.places += taken;
        }
    }

    /// How much room the places below take.
    fn places_below(&self) -> usize {
        let item = self.item.as_ref().map_or(0, |place| 1 + place.places_below());
        let entries = self.entries.as_ref().map_or(0, |entries| {
            let slots = entries.slots().iter().map(|slot| 1 + slot.place.places_below());
            let open = entries.open.iter().flat_map(|open| [&open.keys, &open.values]);
            1 + slots.sum::<usize>() + open.map(Place::places_below).sum::<usize>()
        });
        item + entries
    }

    fn below_mut(&mut self) -> impl Iterator<Item = &mut Place> {
        let entries = self.entries.iter_mut().flat_map(|entries| entries.places_mut());
        self.item.as_deref_mut().into_iter().chain(entries)
    }
}
