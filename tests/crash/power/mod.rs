//! Cuts the power under a server that receives events, and checks that each event that
//! it acknowledged is on the disk.
//!
//! The server's data are on an ext4 file system in a file, which stands for the disk.
//! The file contains what the file system has sent to its device, and not what waits in
//! the page cache above it. At the cut, the server is stopped and the file is copied.
//! The run continues with the copy, whose mount replays the journal as after a power
//! cut. What the device has accepted counts as stored: a disk that loses its cache
//! because it got no flush command is not simulated.

mod disk;

use crate::Result;
use crate::events::report::Report;
use crate::events::{Options, Rig};
use crate::findings::Outcome;
use crate::place::DataLocation;
use disk::Disk;
use std::fmt;
use std::path::PathBuf;

/// Script that checks, in separate namespaces, whether a disk can be created there.
pub(crate) const PROBE: &str =
    "cd /mnt; truncate -s 1M image; mkfs.ext4 -q -F image; mkdir disk; mount -o loop image disk";

/// Outcome of the cuts.
pub(crate) struct Cuts {
    report: Report,
    is_relaxed: bool,
    /// Acknowledged events that were lost, in a run that may lose some.
    lost: u64,
    /// Number of cuts that lost any.
    losing: u32,
    /// Number of readings of the disk, over all copies.
    passes: u32,
    kept: Option<PathBuf>,
}

impl Outcome for Cuts {
    /// Returns whether no event was lost that must not be. A relaxed run has to lose some.
    fn is_well(&self) -> bool {
        self.report.is_well() && (!self.is_relaxed || self.lost > 0)
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.report)?;
        write!(out, "\n  copies of the disk    {} readings until two in a row were equal", self.passes)?;
        if self.is_relaxed {
            write!(out, "\n  lost, as may be       {} acknowledged events, by {} cuts", self.lost, self.losing)?;
            if self.lost == 0 {
                write!(out, "\n  a log that is flushed late lost nothing: these cuts cut nothing")?;
            }
        }
        if let Some(kept) = &self.kept {
            write!(out, "\n  kept for a look: {}", kept.display())?;
        }
        Ok(())
    }
}

/// Cuts the power `cuts` times. A relaxed server flushes late, so a run without lost
/// events would show that the cuts have no effect.
pub(crate) fn cut_often(options: &Options, cuts: u32, is_relaxed: bool) -> Result<Cuts> {
    let mut disk = Disk::new()?;
    let sync = if is_relaxed { "relaxed" } else { "full" };
    // Some cycles have small files, so that cuts meet the change to a new file.
    let settings =
        |large: bool| ["--log-sync", sync, "--log-reserve", "16", "--log-roll", if large { "1024" } else { "1" }];
    let place = DataLocation::at(disk.folder().join("data"))?;
    let mut rig = Rig::new(options, if is_relaxed { "power, relaxed" } else { "power" }, place, &settings(true))?;
    rig.report.may_lose = is_relaxed;
    let (mut lost, mut losing) = (0, 0);
    for cut in 1..=cuts {
        if rig.rng.u32(..3) == 0 {
            kill_and_cut(&mut rig, &mut disk, &settings(true))?;
        } else {
            rig.load(true, || disk.copy())?;
        }
        disk.put_copy_in_place()?;

        // The data are checked first as they are, and again after a start.
        if is_relaxed {
            let gone = rig.forget_lost()?;
            lost += gone;
            losing += u32::from(gone > 0);
        } else {
            rig.look(true)?;
        }
        rig.look_at_database()?;
        let large = rig.rng.bool();
        rig.start_again(&settings(large))?;
        rig.ask_for_results()?;
        rig.look(true)?;
        rig.send_again(false)?;
        if cut % 10 == 0 || cut == cuts {
            rig.report.progress(cuts);
        }
    }
    let report = rig.finish()?;
    let kept = if report.findings.is_empty() { None } else { Some(disk.keep()?) };
    Ok(Cuts { report, is_relaxed, lost, losing, passes: disk.passes, kept })
}

/// Kills the process first, and cuts the power soon after the next one has started. The
/// next one must not acknowledge what the killed one had written and not flushed.
fn kill_and_cut(rig: &mut Rig, disk: &mut Disk, settings: &[&str]) -> Result<()> {
    rig.load(false, || Ok(()))?;
    rig.start_again(settings)?;
    rig.look(false)?;
    rig.send_again(true)?;
    rig.server.freeze()?;
    disk.copy()?;
    rig.server.kill()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{expect_well, program};
    use muriel_tests::room;

    fn cuts(cuts: u32, is_relaxed: bool) {
        let options = Options { program: program(), clients: 8, seed: 1, load_ms: 20..=200 };
        expect_well(cut_often(&options, cuts, is_relaxed));
    }

    #[test]
    fn cuts_lose_no_event() {
        room::run_isolated("power::tests::cuts_lose_no_event", || cuts(3, false));
    }

    #[test]
    fn cuts_take_what_was_not_flushed() {
        room::run_isolated("power::tests::cuts_take_what_was_not_flushed", || cuts(2, true));
    }
}
