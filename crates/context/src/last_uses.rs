//! Last uses of objects, collected in memory and stored together.

use muriel_domain::Instant;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Period after which another use is recorded.
const NOTE_AGAIN_US: i64 = 60_000_000;
/// Most objects whose uses are held in memory.
const THINGS_MAX: usize = 10_000;

/// Last use of each of many objects, to the minute.
#[derive(Debug)]
pub struct LastUses<Id>(Mutex<HashMap<Id, LastUse>>);

#[derive(Debug, Clone, Copy)]
struct LastUse {
    at: Instant,
    is_written: bool,
}

impl<Id> Default for LastUses<Id> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Id: Copy + Eq + Hash> LastUses<Id> {
    /// Records a use of the object.
    pub fn note(&self, id: Id, now: Instant) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = uses.len() >= THINGS_MAX;
        match uses.get_mut(&id) {
            Some(last) if now.us() - last.at.us() < NOTE_AGAIN_US => {}
            Some(last) => *last = LastUse { at: now, is_written: false },
            // Uses that are already written can be read from the database.
            None if is_full => uses.retain(|_, last| !last.is_written),
            None => {
                uses.insert(id, LastUse { at: now, is_written: false });
            }
        }
    }

    /// Returns the last use, if it is in memory.
    pub fn last(&self, id: Id) -> Option<Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).map(|last| last.at)
    }

    /// Returns the uses that are not written yet.
    pub fn unwritten(&self) -> Vec<(Id, Instant)> {
        let uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.iter().filter(|(_, last)| !last.is_written).map(|(id, last)| (*id, last.at)).collect()
    }

    /// Marks these uses as written.
    pub fn written(&self, written: &[(Id, Instant)]) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at) in written {
            if let Some(last) = uses.get_mut(id).filter(|last| last.at == *at) {
                last.is_written = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::ids::ProjectId;

    #[test]
    fn a_use_is_noted_once_a_minute_and_written_once() {
        let uses = LastUses::default();
        let (project, at) = (ProjectId(1), |us| Instant::from_us(us));
        uses.note(project, at(0));
        uses.note(project, at(NOTE_AGAIN_US - 1));
        assert_eq!(uses.unwritten(), [(project, at(0))]);
        // A use that came during the write stays.
        let first = uses.unwritten();
        uses.note(project, at(NOTE_AGAIN_US));
        uses.written(&first);
        assert_eq!(uses.unwritten(), [(project, at(NOTE_AGAIN_US))]);
        uses.written(&uses.unwritten());
        assert_eq!((uses.unwritten(), uses.last(project)), (vec![], Some(at(NOTE_AGAIN_US))));
    }

    #[test]
    fn memory_is_bounded() {
        let uses = LastUses::default();
        for number in 0..2 * THINGS_MAX as i64 {
            uses.note(ProjectId(number), Instant::from_us(0));
        }
        assert_eq!(uses.unwritten().len(), THINGS_MAX);
        uses.written(&uses.unwritten());
        uses.note(ProjectId(-1), Instant::from_us(0));
        uses.note(ProjectId(-1), Instant::from_us(0));
        assert_eq!(uses.unwritten().len(), 1);
    }
}
