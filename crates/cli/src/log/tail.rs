//! Prints the newest events, then each new one as it arrives.

use super::{Damages, Output, reader, shown};
use crate::config::Common;
use crate::{Error, Result};
use clap::Args;
use muriel_log::{Block, LogReader, Position};
use std::collections::VecDeque;
use std::thread;
use std::time::Duration;

/// Interval at which the log is checked for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Number of blocks to go back first in search of the newest events.
const INITIAL_BLOCKS: i64 = 16;

/// `muriel log tail`
#[derive(Debug, Args)]
pub struct Tail {
    #[command(flatten)]
    common: Common,
    /// Only events of this project (its key).
    #[arg(long, value_name = "PROJECT_KEY")]
    project: Option<String>,
    /// Number of the newest events to print first.
    #[arg(long, short = 'n', default_value_t = 10, value_name = "N")]
    lines: usize,
}

impl Tail {
    /// Runs until it is interrupted or the reader is gone.
    pub(super) fn run(self) -> Result<()> {
        let reader = reader(&self.common)?;
        let mut damages = Damages::default();
        let mut out = Output::new();
        let mut blocks = reader.blocks(self.beginning(&reader)?).map_err(Error::Log)?;

        let mut newest: VecDeque<Vec<u8>> = VecDeque::new();
        for block in &mut blocks {
            match block {
                Err(trouble) => damages.note(trouble)?,
                Ok(block) => {
                    for line in self.lines_of(&block) {
                        if newest.len() == self.lines {
                            newest.pop_front();
                        }
                        if self.lines > 0 {
                            newest.push_back(line.to_vec());
                        }
                    }
                }
            }
        }
        for line in newest {
            out.line(&shown(&line))?;
        }
        while out.flush()? {
            thread::sleep(POLL_INTERVAL);
            for block in &mut blocks {
                match block {
                    Err(trouble) => damages.note(trouble)?,
                    Ok(block) => {
                        for line in self.lines_of(&block) {
                            out.line(&shown(line))?;
                        }
                    }
                }
                if !out.flush()? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn lines_of<'b>(&self, block: &'b Block) -> impl Iterator<Item = &'b [u8]> {
        let wanted = self.project.clone();
        let is_wanted = move |key: &str| wanted.as_deref().is_none_or(|wanted| wanted == key);
        block.events().filter(move |event| is_wanted(event.project_key)).map(|event| event.line)
    }

    /// Position far enough back for the requested number of events.
    fn beginning(&self, reader: &LogReader) -> Result<Position> {
        let last = reader.last().map_err(Error::Log)?;
        let mut back = if self.lines == 0 { 0 } else { INITIAL_BLOCKS };
        loop {
            let after = Position { seq: (last.seq - back).max(0) };
            let summaries = reader.summaries(after).map_err(Error::Log)?;
            let runs = summaries.flatten().flat_map(|summary| summary.runs);
            let found: usize = runs
                .filter(|run| self.project.as_deref().is_none_or(|wanted| wanted == &*run.project_key))
                .map(|run| run.events as usize)
                .sum();
            if found >= self.lines || after.seq == 0 {
                return Ok(after);
            }
            back *= 4;
        }
    }
}
