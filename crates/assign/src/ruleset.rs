//! Compiled rulesets: everything that a decision needs, checked once.
//!
//! The shares in a published document are hundredths of a percent (0 to 10,000). Compiled, they are buckets (0 to
//! 1,000,000), so a decision only compares integers and never divides. Salts are hashed once here; a decision adds the
//! visitor's id.
//!
//! Three lines of buckets are independent of each other, because each has its own prefix: `salt:t:` for traffic,
//! `salt:v:` for variants, and `salt:g:` with the group's salt for exclusion and holdouts. Raising the traffic does not
//! move any visitor to another arm.

use crate::audience::Audience;
use crate::bucket::{BUCKETS, Murmur3, PER_HUNDREDTH, PER_PERCENT};
use crate::document::{Delivered, Document, FORMAT, FORMAT_WITHOUT_HOLDOUTS, GroupRange, HASH};
use crate::group_range::CompiledGroupRange;
use muriel_domain::Problems;
use muriel_domain::experiment::{Arm, TestType, VARIANTS_MAX, WHOLE};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Maximum length of a salt, in bytes.
const SALT_MAX: usize = 128;
/// Maximum number of holdouts of an experiment.
const HOLDOUTS_MAX: usize = 100;

/// The compiled document of a project.
///
/// The default has no experiments.
#[derive(Debug, Clone, Default)]
pub struct Ruleset {
    experiments: Vec<Experiment>,
    by_key: HashMap<Box<str>, usize>,
}

impl Ruleset {
    /// Checks a document and compiles it.
    ///
    /// Reports all problems at once, each with its place in the document, such as `experiments[3].ranges[0][1]`.
    /// Experiments compile independently, so a caller can leave out an invalid experiment and use the others.
    ///
    /// # Errors
    /// An unknown format or hash version, two experiments with the same key, and problems that [`Experiment::compile`]
    /// reports, each with its place.
    pub fn compile(document: &Document) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        if ![FORMAT_WITHOUT_HOLDOUTS, FORMAT].contains(&document.format) {
            problems.add("format", format!("must be {FORMAT_WITHOUT_HOLDOUTS} or {FORMAT}"));
        }
        if document.hash != HASH {
            problems.add("hash", format!("must be {HASH}"));
        }
        let mut ruleset = Self::default();
        for (at, delivered) in document.experiments.iter().enumerate() {
            match Experiment::compile(delivered) {
                Ok(experiment) => {
                    if !ruleset.add(experiment) {
                        problems.add(format!("experiments[{at}].experiment_key"), "is repeated; keys must be unique");
                    }
                }
                Err(found) => problems.extend_under(&format!("experiments[{at}]"), &found),
            }
        }
        problems.none_or(ruleset)
    }

    /// Adds an experiment. Returns false, and adds nothing, when the key exists already.
    fn add(&mut self, experiment: Experiment) -> bool {
        let at = self.experiments.len();
        if self.by_key.contains_key(&experiment.key) {
            return false;
        }
        self.by_key.insert(experiment.key.clone(), at);
        self.experiments.push(experiment);
        true
    }

    /// All experiments, in the document's order.
    pub fn experiments(&self) -> &[Experiment] {
        &self.experiments
    }

    /// Returns the experiment with this key. Keys are compared byte for byte. `None` when the document does not have
    /// the key.
    pub fn experiment(&self, key: &str) -> Option<&Experiment> {
        self.by_key.get(key).map(|at| &self.experiments[*at])
    }
}

/// A compiled experiment.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Experiment id.
    pub id: i64,
    /// Name in code.
    pub key: Box<str>,
    /// Number of the epoch that exposures belong to.
    pub epoch: i64,
    /// True when the experiment is live. Otherwise it serves a winner, or is only previewed.
    pub live: bool,
    /// Number of arms, including the control.
    pub arms: u32,
    /// Names of the rules that a server does not check, in alphabetical order, separated by commas.
    pub unenforced: Box<str>,
    /// Hash state after `salt:t:`.
    pub(crate) for_traffic: Murmur3,
    /// Hash state after `salt:v:`.
    pub(crate) for_variant: Murmur3,
    /// First bucket that does not enter, 0 to 1,000,000.
    pub(crate) entering: u32,
    /// End of each range (the first bucket after it) and the range's arm. Ends ascend to 1,000,000, so every bucket has
    /// an arm.
    pub(crate) ranges: Box<[(u32, Arm)]>,
    pub(crate) serving: Option<Served>,
    pub(crate) exclusion: Option<CompiledGroupRange>,
    pub(crate) holdouts: Box<[CompiledGroupRange]>,
    pub(crate) audience: Audience,
    /// Audiences of the variants, in a personalization.
    pub(crate) personal: Option<Box<[Audience]>>,
}

/// A winner, and the first bucket that does not get it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Served {
    pub(crate) arm: Arm,
    pub(crate) below: u32,
}

fn check_salt(place: &str, salt: &str, problems: &mut Problems) {
    if salt.is_empty() || salt.len() > SALT_MAX {
        problems.add(place, format!("must have 1 to {SALT_MAX} bytes"));
    }
}

impl Experiment {
    /// Checks an experiment and compiles it.
    ///
    /// # Errors
    /// Ranges that do not ascend to the whole or name an unknown arm, shares out of range, a winner that is not an arm,
    /// and rules that cannot be evaluated, each with its place.
    pub fn compile(delivered: &Delivered) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let arms = delivered.arms();
        if arms as usize > VARIANTS_MAX + 1 {
            problems.add("variants", format!("must have at most {VARIANTS_MAX} entries"));
        }
        if !TestType::WORDS.iter().any(|(word, _)| *word == delivered.test_type) {
            problems.add("test_type", "must be abtest, split or personalization");
        }
        check_salt("salt", &delivered.salt, &mut problems);
        if delivered.traffic_allocation > 100 {
            problems.add("traffic_allocation", "must be an integer from 0 to 100");
        }
        let serving = delivered.serving.as_ref().and_then(|winner| {
            if winner.traffic_allocation > 100 {
                problems.add("serving.traffic_allocation", "must be an integer from 0 to 100");
            }
            let arm = delivered.winner().filter(|arm| arm.0 < arms);
            if arm.is_none() {
                problems.add("serving.variant_id", "is not a variant of this experiment");
            }
            Some(Served { arm: arm?, below: winner.traffic_allocation.min(100) * PER_PERCENT })
        });
        let exclusion = &delivered.exclusion;
        let exclusion = exclusion.as_ref().map(|part| group_range(part, "exclusion", &mut problems));
        if delivered.holdouts.len() > HOLDOUTS_MAX {
            problems.add("holdouts", format!("must have at most {HOLDOUTS_MAX} entries"));
        }
        let holdouts = delivered.holdouts.iter().enumerate();
        let holdouts =
            holdouts.map(|(at, part)| group_range(part, &format!("holdouts[{at}]"), &mut problems)).collect();
        let ranges = ranges(&delivered.ranges, arms, &mut problems);
        let audience = Audience::of_experiment(&delivered.targeting).unwrap_or_else(|found| {
            problems.extend_under("targeting", &found);
            Audience::default()
        });
        let personal = (delivered.test_type == TestType::Personalization.word()).then(|| {
            let audiences = delivered.variants.iter().enumerate().map(|(at, variant)| {
                let Some(audience) = &variant.targeting else { return Audience::default() };
                Audience::compile(audience, &[]).unwrap_or_else(|found| {
                    problems.extend_under(&format!("variants[{at}].targeting"), &found);
                    Audience::default()
                })
            });
            audiences.collect::<Box<[_]>>()
        });
        // Sorted, so that the result does not depend on where the rules are.
        let mut unenforced: Vec<&str> =
            audience.browser_only().chain(personal.iter().flatten().flat_map(Audience::browser_only)).collect();
        unenforced.sort_unstable();
        unenforced.dedup();
        problems.none_or(Self {
            id: delivered.test_id,
            key: delivered.experiment_key.as_str().into(),
            epoch: delivered.epoch,
            live: delivered.live,
            arms,
            unenforced: unenforced.join(",").into(),
            for_traffic: Murmur3::of(&format!("{}:t:", delivered.salt)),
            for_variant: Murmur3::of(&format!("{}:v:", delivered.salt)),
            entering: delivered.traffic_allocation.min(100) * PER_PERCENT,
            ranges,
            serving,
            exclusion,
            holdouts,
            audience,
            personal,
        })
    }

    /// Returns the arm with this name. `None` when the experiment does not have it. Only the exact spelling is
    /// accepted, such as `Variant 1`.
    pub fn arm(&self, name: &str) -> Option<Arm> {
        (0..self.arms).map(Arm).find(|arm| arm_name(*arm) == name)
    }

    /// Weight of an arm: the total size of its ranges, in buckets. 0 for an arm without a range.
    pub(crate) fn weight(&self, arm: Arm) -> u32 {
        let starts = std::iter::once(0).chain(self.ranges.iter().map(|(end, _)| *end));
        self.ranges
            .iter()
            .zip(starts)
            .filter(|((_, owner), _)| *owner == arm)
            .map(|((end, _), start)| end - start)
            .sum()
    }
}

/// Name of an arm, `Control`, `Variant 1`…, without allocating.
///
/// A number above 50 has the name of the control. A compiled experiment has no such arm.
pub fn arm_name(arm: Arm) -> &'static str {
    static NAMES: LazyLock<Vec<String>> =
        LazyLock::new(|| (0..=VARIANTS_MAX as u32).map(|n| Arm(n).to_string()).collect());
    NAMES.get(arm.0 as usize).map_or("Control", String::as_str)
}

/// Checks the document's range at `place`, and converts it to buckets.
fn group_range(range: &GroupRange, place: &str, problems: &mut Problems) -> CompiledGroupRange {
    check_salt(&format!("{place}.salt"), &range.salt, problems);
    if range.from > range.to || range.to > WHOLE {
        problems.add(place, format!("must be a stretch from 0 to {WHOLE}"));
    }
    CompiledGroupRange::of(range)
}

/// Converts ranges, given as ends in hundredths of a percent and numbers of arms, to buckets. Ends have to ascend to
/// 10,000; otherwise adds a problem with its place.
fn ranges(ranges: &[(u32, u32)], arms: u32, problems: &mut Problems) -> Box<[(u32, Arm)]> {
    let mut before = 0;
    for (at, &(end, arm)) in ranges.iter().enumerate() {
        if end <= before || end > WHOLE {
            problems.add(format!("ranges[{at}][0]"), "must be above the one before and at most 10000");
        }
        if arm >= arms {
            problems.add(format!("ranges[{at}][1]"), "is not a variant of this experiment");
        }
        before = end;
    }
    if before != WHOLE {
        problems.add("ranges", "must end with 10000");
    }
    ranges.iter().map(|&(end, arm)| (end.min(WHOLE) * PER_HUNDREDTH, Arm(arm))).collect()
}

const _: () = assert!(WHOLE * PER_HUNDREDTH == BUCKETS);
