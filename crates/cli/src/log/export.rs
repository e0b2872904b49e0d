//! Exports every event once, as JSON lines.

use super::{Damages, EventFilter, Output, count, reader, shown};
use crate::config::Common;
use crate::{Error, Result};
use clap::Args;
use muriel_log::{LogReader, Position, ReadError};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;
use uuid::Uuid;

/// Maximum number of ids held in memory at a time: about 70 MiB.
const MAX_IDS: u64 = 3_500_000;

/// `muriel log export`
#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    wanted: EventFilter,
}

impl Export {
    pub(super) fn run(self) -> Result<()> {
        let reader = reader(&self.common)?;
        let mut damages = Damages::default();
        let mut out = Output::new();
        let print = &mut |line: &[u8]| out.line(&shown(line));
        export(&reader, &self.wanted, MAX_IDS, &mut damages, print)?;
        out.flush()?;
        damages.into_result()
    }
}

/// Prints the selected events of the current blocks, until `print` returns false
/// because the reader is gone. At most `held` ids are held in memory at a time.
pub(super) fn export(
    reader: &LogReader,
    wanted: &EventFilter,
    held: u64,
    damages: &mut Damages,
    print: &mut dyn FnMut(&[u8]) -> Result<bool>,
) -> Result<()> {
    // The later walk, which prints, reports damage.
    let known: u64 = count::counts(reader, wanted, false, &mut Damages::quiet())?.values().sum();
    let last = reader.last().map_err(Error::Log)?;
    let mut once = if known <= held {
        PrintedEvents::Holding { keys: Keys::default(), held: HashSet::new() }
    } else {
        PrintedEvents::Knowing(repeats(reader, wanted, last, known.div_ceil(held))?)
    };
    for block in reader.blocks(Position::default()).map_err(Error::Log)? {
        match block {
            Err(trouble) => damages.note(trouble)?,
            Ok(block) if block.seq > last.seq => break,
            Ok(block) if !wanted.is_at(block.received_at) => {}
            Ok(block) => {
                for (nth, event) in block.events().enumerate() {
                    if wanted.is_of(event.project_key)
                        && once.is_first(block.seq, nth, event.project_key, event.id)
                        && !print(event.line)?
                    {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// Detects whether an event has been printed before.
enum PrintedEvents {
    /// By remembering the printed ids.
    Holding { keys: Keys, held: HashSet<u128> },
    /// By the positions of all repeats: block, and positions within it.
    Knowing(HashMap<i64, Vec<u32>>),
}

impl PrintedEvents {
    fn is_first(&mut self, seq: i64, nth: usize, project_key: &str, id: Uuid) -> bool {
        match self {
            PrintedEvents::Holding { keys, held } => held.insert(keys.key(project_key, id)),
            PrintedEvents::Knowing(repeats) => {
                repeats.get(&seq).is_none_or(|places| places.binary_search(&(nth as u32)).is_err())
            }
        }
    }
}

/// Maps an event of a project to a number, with a random key. Nobody can predict
/// the numbers, so nobody can construct two events whose numbers collide.
#[derive(Default)]
struct Keys {
    random: RandomState,
    of_projects: HashMap<Box<str>, u128>,
}

impl Keys {
    fn key(&mut self, project_key: &str, id: Uuid) -> u128 {
        let of_project = match self.of_projects.get(project_key) {
            Some(known) => *known,
            None => {
                let half = |salt: u8| u128::from(self.random.hash_one((salt, project_key)));
                let made = half(0) << 64 | half(1);
                self.of_projects.insert(project_key.into(), made);
                made
            }
        };
        of_project ^ id.as_u128()
    }
}

/// Finds the positions of all events that occur earlier too. Takes `parts` walks
/// over the ids, each of which holds one part of them in memory.
fn repeats(reader: &LogReader, wanted: &EventFilter, last: Position, parts: u64) -> Result<HashMap<i64, Vec<u32>>> {
    // A block that cannot be printed must not count as the first occurrence of its
    // events.
    let mut damaged: Vec<RangeInclusive<i64>> = Vec::new();
    for block in reader.blocks(Position::default()).map_err(Error::Log)? {
        match block {
            Ok(block) if block.seq > last.seq => break,
            Ok(_) => {}
            Err(ReadError::Damage(damage)) => damaged.push(damage.seq..=damage.last.unwrap_or(i64::MAX)),
            Err(ReadError::Failed(error)) => return Err(Error::Log(error)),
        }
    }
    let mut keys = Keys::default();
    let mut places: HashMap<i64, Vec<u32>> = HashMap::new();
    for part in 0..parts {
        let mut held = HashSet::new();
        for block in reader.ids(Position::default()).map_err(Error::Log)?.flatten() {
            if block.seq > last.seq {
                break;
            }
            if !wanted.is_at(block.received_at) || damaged.iter().any(|blocks| blocks.contains(&block.seq)) {
                continue;
            }
            for (nth, (project_key, id)) in block.iter().enumerate() {
                if !wanted.is_of(project_key) {
                    continue;
                }
                let key = keys.key(project_key, id);
                // The upper half of the key selects the part.
                let of = ((key >> 64) * u128::from(parts)) >> 64;
                if of == u128::from(part) && !held.insert(key) {
                    places.entry(block.seq).or_default().push(nth as u32);
                }
            }
        }
    }
    for places in places.values_mut() {
        places.sort_unstable();
    }
    Ok(places)
}
