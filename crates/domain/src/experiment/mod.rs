//! Experiments and their operations.
//!
//! Every operation takes an experiment and returns the next state or a refusal. [`Revision::between`] determines the
//! consequences of the change: whether anything changed, whether an epoch begins, and what history keeps.

mod allocation;
mod approval;
mod autopilot;
mod configuration;
mod distribution;
mod effect;
pub mod integration;
mod lifecycle;
mod milestones;
mod patch;
mod plan_lock;
mod revision;
mod runnable;
mod schedule;
#[cfg(test)]
mod tests;
mod undo;
mod variant;

pub use allocation::Allocation;
pub use approval::ApprovalRules;
pub use autopilot::AutopilotRecord;
pub use configuration::{CONFIGURATION_KEYS, Configuration, ConfigurationPatch};
pub use distribution::{Distribution, DistributionPatch, WHOLE, Weights};
pub use effect::ChangeEffect;
pub use lifecycle::{Conclusion, ConclusionOutcome, Conflict, Lifecycle, PAST_START_MAX_US, Refusal, Serving, Status};
pub use milestones::{FirstStart, MilestoneChange, Milestones};
pub use patch::{DataKey, ExperimentPatch, References, VariantSent};
pub use plan_lock::{ConfirmedPlan, LockedGoal, LockedHypothesis, LockedPlan, PLAN_REASON_MAX, PlannedFrom, StopRule};
pub use revision::{Epoch, Reason, Revision};
pub use runnable::{CODE_MARK, Sites};
pub use schedule::{BanditRecord, ClockAct, ClockEntry, Due, ProtectedArm, Rule, Schedule};
pub use variant::{
    Arm, CHANGES_MAX, CODE_MAX, Change, Code, Control, ControlPatch, VARIANTS_MAX, Variant, parse_code, parse_nickname,
};

use crate::group::GroupPlaces;
use crate::ids::{CompanyId, ExperimentId, HypothesisId, ProjectId};
use crate::targeting::Targeting;
use crate::{Flaw, Instant, Problems, text};
use serde::{Deserialize, Serialize};

/// Maximum number of tags, of event metrics and of secondary goals of an experiment.
pub const LIST_MAX: usize = 100;

/// Kind of an experiment. Chosen at creation, and permanent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestType {
    /// Variants change the page.
    AbTest,
    /// Variants send visitors to other pages.
    Split,
    /// Each variant has its own audience.
    Personalization,
}

impl TestType {
    /// All types with their words.
    pub const WORDS: [(&'static str, TestType); 3] =
        [("abtest", TestType::AbTest), ("split", TestType::Split), ("personalization", TestType::Personalization)];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            TestType::AbTest => "abtest",
            TestType::Split => "split",
            TestType::Personalization => "personalization",
        }
    }
}

/// Plan of an experiment: the effect to detect and the number of visitors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Smallest lift worth acting on (MDE), in percent of the control's mean: above 0, at most 1,000.
    pub mde: f64,
    /// Planned total number of visitors. `None` until a person gives it or the first start computes it.
    pub visitors: Option<i64>,
    /// True when the first start in progress computed the total. Not stored here: [`LockedPlan`] keeps it.
    #[serde(skip)]
    pub is_computed: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self { mde: 2.0, visitors: None, is_computed: false }
    }
}

/// Changes to a plan: `None` keeps a field.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanPatch {
    /// New smallest lift.
    pub mde: Option<f64>,
    /// New total.
    pub visitors: Option<Option<i64>>,
}

/// Metrics that every experiment can report without a goal.
pub const BUILTIN_METRICS: [&str; 2] = ["bounce_rate", "engagement"];

/// An experiment, with everything that is stored about it.
///
/// Methods do not modify it. They return the next state, or the reason for a refusal. Before storing, the caller
/// passes both states to [`Revision::between`].
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Unique in the database, never reused; 0 until it is stored.
    pub id: ExperimentId,
    /// The company that owns the project.
    pub company_id: CompanyId,
    /// The project that it belongs to.
    pub project_id: ProjectId,
    /// Permanent name in code, unique in the project; flags, rulesets and URLs use it.
    pub key: String,
    /// Kind of test.
    pub test_type: TestType,
    /// Display name.
    pub name: String,
    /// The page that the editor opens.
    pub url: String,
    /// Key of the variants: the page's URL, or a pattern.
    pub variants_data_key: DataKey,
    /// The baseline.
    pub control: Control,
    /// The treatments, `Variant 1` first.
    pub variants: Vec<Variant>,
    /// Code for every assigned visitor, including those in the control.
    pub custom_code: Code,
    /// Settings for traffic, statistics, start and end.
    pub configuration: Configuration,
    /// Visitors who are eligible, and pages on which the experiment runs.
    pub targeting: Targeting,
    /// Labels for people; at most [`LIST_MAX`], without repeats.
    pub tags: Vec<String>,
    /// Effect to detect, and number of visitors.
    pub plan: Plan,
    /// Key of the primary goal, on which the verdict is based.
    pub primary_goal: Option<String>,
    /// Keys of further goals to report.
    pub secondary_goals: Vec<String>,
    /// Built-in metrics to report.
    pub builtin_metrics: Vec<String>,
    /// Names of raw events to report.
    pub event_metrics: Vec<String>,
    /// The hypothesis that it tests, of the same project.
    pub hypothesis_id: Option<HypothesisId>,
    /// Status: draft, live or inactive.
    pub lifecycle: Lifecycle,
    /// Formal conclusion, made in the dashboard.
    pub conclusion: Option<Conclusion>,
    /// Delivery of a winner.
    pub serving: Serving,
    /// Bucket ranges of the arms; follow the weights.
    pub allocation: Allocation,
    /// Places in exclusion groups and holdouts; change with the groups.
    pub groups: GroupPlaces,
    /// Number of the last epoch: 0 before the first start, then 1 and up without gaps.
    pub epoch: i64,
    /// Facts about its past that results need; updated by [`Revision`].
    pub milestones: Milestones,
    /// State of its automation; updated by [`Revision`].
    pub schedule: Schedule,
    /// True when it is in the archive. An experiment that is delivered to visitors is never archived.
    pub archived: bool,
    /// 1 for a new experiment; each change adds 1. Used for optimistic locking and for the ETag.
    pub revision: i64,
    /// Time of creation.
    pub created_at: Instant,
    /// Time of the last change. Never before the previous change, even when the clock was set back.
    pub updated_at: Instant,
}

impl Experiment {
    /// Creates a draft with defaults for everything else; [`Experiment::patched`] fills it.
    ///
    /// The defaults are all traffic, an even split, 95 % confidence, a smallest lift of 2 %, and both built-in metrics.
    pub fn draft(company_id: CompanyId, project_id: ProjectId, test_type: TestType, key: String, now: Instant) -> Self {
        Self {
            id: ExperimentId(0),
            company_id,
            project_id,
            key,
            test_type,
            name: String::new(),
            url: String::new(),
            variants_data_key: DataKey::default(),
            control: Control::default(),
            variants: Vec::new(),
            custom_code: Code::default(),
            configuration: Configuration::default(),
            targeting: Targeting::default(),
            tags: Vec::new(),
            plan: Plan::default(),
            primary_goal: None,
            secondary_goals: Vec::new(),
            builtin_metrics: BUILTIN_METRICS.map(str::to_owned).to_vec(),
            event_metrics: Vec::new(),
            hypothesis_id: None,
            lifecycle: Lifecycle::Draft,
            conclusion: None,
            serving: Serving::Never,
            allocation: Allocation::contiguous(&Weights::even(1)),
            groups: GroupPlaces::default(),
            epoch: 0,
            milestones: Milestones::new(0),
            schedule: Schedule::default(),
            archived: false,
            revision: 1,
            created_at: now,
            updated_at: now,
        }
    }

    /// Number of arms that share the traffic, including the control. At least 1.
    pub fn arms(&self) -> usize {
        self.variants.len() + 1
    }

    /// Returns the arm with this id. `None` when the experiment does not have it.
    pub fn arm(&self, id: &str) -> Option<Arm> {
        Arm::from_id(id).filter(|arm| (arm.0 as usize) < self.arms())
    }

    /// The weights in force.
    ///
    /// They sum to [`WHOLE`], and there is one for each arm.
    pub fn weights(&self) -> Weights {
        self.configuration.distribution.weights(self.arms())
    }

    /// Returns whether visitors can meet the experiment: it is live, or a winner is served.
    pub fn is_delivered(&self) -> bool {
        self.lifecycle.is_live() || matches!(self.serving, Serving::Winner { .. })
    }

    /// Returns whether replacing this state by `after` changes anything that can run on a customer's page: code, or
    /// changes that [carry code](Change::carries_code).
    ///
    /// Variants are compared by position. One that is added or removed counts only with its code.
    pub fn changes_code(&self, after: &Experiment) -> bool {
        fn cargo(experiment: &Experiment, at: usize) -> (Code, Vec<&Change>) {
            experiment.variants.get(at).map_or_else(Default::default, |variant| {
                let sites = Sites::of(experiment);
                let carries = |change: &&Change| change.carries_code(&sites);
                (variant.code.clone(), variant.changes.iter().filter(carries).collect())
            })
        }
        let longer = self.variants.len().max(after.variants.len());
        self.custom_code != after.custom_code
            || self.control.code != after.control.code
            || (0..longer).any(|at| cargo(self, at) != cargo(after, at))
    }
}

/// Reads a page URL for the editor: an address without wildcards.
///
/// # Errors
/// Patterns, and addresses that [`text::web_address`] refuses.
pub fn parse_page_url(url: &str) -> Result<String, Flaw> {
    if url.contains('*') {
        return Err(Flaw::new("must be a real page, not a pattern; remove the *"));
    }
    text::web_address(url)
}

/// Reads tags: 1 to 64 characters each, at most 100, repeats dropped.
///
/// Tags are trimmed, and letter case counts.
///
/// # Errors
/// Each invalid tag, with its place; more than 100 tags.
pub fn parse_tags(tags: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(tags, |tag| text::name(tag, 64))
}

/// Reads names of raw events: 1 to 128 characters each, at most 100, repeats dropped.
///
/// # Errors
/// Each invalid name, with its place; more than 100 names.
pub fn parse_event_names(names: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(names, |name| text::title(name, 128))
}

/// Reads built-in metrics: `bounce_rate` and `engagement`, repeats dropped.
///
/// # Errors
/// Each other word, with its place.
pub fn parse_builtin_metrics(names: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(names, |name| {
        if BUILTIN_METRICS.contains(&name) {
            Ok(name.to_owned())
        } else {
            Err(Flaw::new("must be bounce_rate or engagement"))
        }
    })
}

/// Reads goal keys, repeats dropped. Does not check that the goals exist.
///
/// # Errors
/// Each blank or long key, with its place.
pub fn parse_goal_keys(keys: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(keys, |key| text::title(key, 128))
}

/// Parses each text and drops repeats, in the order sent.
///
/// The place is relative, such as `[2]`: the caller puts its field in front.
///
/// # Errors
/// Each text that `parse` refuses, with its place, and more than [`LIST_MAX`] texts.
fn distinct(texts: &[&str], parse: impl Fn(&str) -> Result<String, Flaw>) -> Result<Vec<String>, Problems> {
    if texts.len() > LIST_MAX {
        return Err(Problems::one("", format!("must have at most {LIST_MAX} entries")));
    }
    let mut problems = Problems::default();
    let mut kept: Vec<String> = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match parse(text) {
            Ok(text) if kept.contains(&text) => {}
            Ok(text) => kept.push(text),
            Err(flaw) => problems.add(format!("[{index}]"), flaw.to_string()),
        }
    }
    problems.none_or(kept)
}
