//! The store of questions, which is made from the log and can be made again.

use crate::config::{Common, Place};
use crate::{Error, Result};
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use muriel_events::warehouse::{self, Rebuilt};

/// `muriel warehouse …`
#[derive(Debug, Subcommand)]
pub enum WarehouseCommand {
    /// Make it anew from the event log; a running server does it while it goes on answering.
    Rebuild(Rebuild),
}

/// `muriel warehouse rebuild`
#[derive(Debug, Args)]
pub struct Rebuild {
    #[command(flatten)]
    common: Common,
}
