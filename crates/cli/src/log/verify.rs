//! Verifies that the log is unchanged.

use super::{reader, signed};
use crate::config::Common;
use crate::say::{self, say};
use crate::{Error, Result};
use clap::Args;
use muriel_log::{RewriteSummary, VerifyReport};
use serde_json::{Value, json};

/// `muriel log verify`
#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    common: Common,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(super) fn run(self) -> Result<()> {
        let verified = signed(reader(&self.common)?, &self.common)?.verify().map_err(Error::Log)?;
        if self.json {
            say!("{}", as_json(&verified))?;
        } else {
            say::text(format_args!("{}", as_text(&verified)))?;
        }
        match verified.first_damage {
            None => Ok(()),
            Some(damage) => Err(Error::Damaged(damage.to_string())),
        }
    }
}

fn hex(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn as_json(verified: &VerifyReport) -> Value {
    json!({
        "whole": verified.first_damage.is_none(),
        "blocks": verified.blocks,
        "events": verified.events,
        "first_block": verified.range.map(|(first, _)| first),
        "last_block": verified.range.map(|(_, last)| last),
        "pruned_to_block": verified.pruned,
        "first_hash": verified.hashes.map(|(first, _)| hex(&first)),
        "last_hash": verified.hashes.map(|(_, last)| hex(&last)),
        "rewritten_blocks": verified.rewritten.blocks,
        "deleted_events": verified.rewritten.removed,
        "last_rewritten_at": verified.rewritten.last_at,
        "damaged_blocks": verified.damaged,
        "first_damage": verified.first_damage.as_ref().map(ToString::to_string),
    })
}

fn as_text(verified: &VerifyReport) -> String {
    let mut text = format!("blocks      {}", verified.blocks);
    if let Some((first, last)) = verified.range {
        text.push_str(&format!(", from {first} to {last}"));
    }
    text.push_str(&format!("\nevents      {}\n", verified.events));
    if verified.pruned > 0 {
        text.push_str(&format!("retention   deleted the blocks up to {}\n", verified.pruned));
    }
    if let Some((first, last)) = &verified.hashes {
        text.push_str(&format!("first hash  {}\nlast hash   {}\n", hex(first), hex(last)));
    }
    let RewriteSummary { blocks, removed, last_at } = verified.rewritten;
    if let Some(last_at) = last_at {
        text.push_str(&format!("rewritten   {blocks} blocks, to delete {removed} events; the last on {last_at}\n"));
    }
    match verified.first_damage {
        None if verified.blocks == 0 => text.push_str("\nThe log has no events yet.\n"),
        None if blocks > 0 => {
            text.push_str("\nEvery block is unchanged, apart from recorded deletions of events.\n");
        }
        None => text.push_str("\nEvery block is unchanged.\n"),
        Some(_) => text.push_str(&format!("damaged     {}\n", verified.damaged.max(1))),
    }
    text
}
