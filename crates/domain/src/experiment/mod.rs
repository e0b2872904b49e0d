//! An experiment and what may happen to it.
//!
//! Every operation takes an experiment and returns the next one or a refusal;
//! [`Revision::between`] says what that change amounts to: whether anything
//! changed at all, whether it opens an epoch, and what history keeps.

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

/// Most tags, event metrics and secondary goals of an experiment.
pub const LIST_MAX: usize = 100;

/// What kind of test an experiment is. It is chosen at creation and does not change.
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
    /// Every type with its word.
    pub const WORDS: [(&'static str, TestType); 3] =
        [("abtest", TestType::AbTest), ("split", TestType::Split), ("personalization", TestType::Personalization)];

    /// The word that the interface and the database have for it.
    pub fn word(self) -> &'static str {
        match self {
            TestType::AbTest => "abtest",
            TestType::Split => "split",
            TestType::Personalization => "personalization",
        }
    }
}

/// What the team plans to find out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Smallest lift worth acting on, in percent of the control's mean: above 0, at most 1,000.
    pub mde: f64,
    /// Planned total of visitors.
    pub visitors: Option<i64>,
    /// Whether the first start that is under way computed the total. It is not stored here: [`LockedPlan`] keeps it.
    #[serde(skip)]
    pub is_computed: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self { mde: 2.0, visitors: None, is_computed: false }
    }
}

/// Changes to a plan: `None` keeps.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PlanPatch {
    /// New smallest lift.
    pub mde: Option<f64>,
    /// New total.
    pub visitors: Option<Option<i64>>,
}

/// Metrics that every experiment can report without a goal.
pub const BUILTIN_METRICS: [&str; 2] = ["bounce_rate", "engagement"];

/// An experiment with everything that is stored about it.
///
/// Its methods do not change it: they return the next experiment or the reason why not, and the
/// caller hands both to [`Revision::between`] before storing.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Unique in the database, never used again; 0 until it is stored.
    pub id: ExperimentId,
    /// The company that owns the project.
    pub company_id: CompanyId,
    /// The project it belongs to.
    pub project_id: ProjectId,
    /// Permanent name in code, unique in the project; flags, rulesets and URLs use it.
    pub key: String,
    /// What kind of test it is.
    pub test_type: TestType,
    /// Display name.
    pub name: String,
    /// The page that the editor opens.
    pub url: String,
    /// Under which key the variants are kept: the page's URL, or a pattern.
    pub variants_data_key: DataKey,
    /// The baseline.
    pub control: Control,
    /// The treatments, `Variant 1` first.
    pub variants: Vec<Variant>,
    /// Code for every assigned visitor, the control's too.
    pub custom_code: Code,
    /// How it runs and ends.
    pub configuration: Configuration,
    /// Which visitors are eligible, and on which pages.
    pub targeting: Targeting,
    /// Labels for people; at most [`LIST_MAX`], without repeats.
    pub tags: Vec<String>,
    /// What it wants to find out.
    pub plan: Plan,
    /// Key of the goal that decides.
    pub primary_goal: Option<String>,
    /// Keys of further goals that are reported.
    pub secondary_goals: Vec<String>,
    /// Built-in metrics that are reported.
    pub builtin_metrics: Vec<String>,
    /// Names of raw events that are reported.
    pub event_metrics: Vec<String>,
    /// The hypothesis that it tests, of the same project.
    pub hypothesis_id: Option<HypothesisId>,
    /// Whether it runs.
    pub lifecycle: Lifecycle,
    /// The formal conclusion, made in the dashboard.
    pub conclusion: Option<Conclusion>,
    /// Whether a winner is served.
    pub serving: Serving,
    /// Which stretch of the line each arm has; follows the weights.
    pub allocation: Allocation,
    /// Its place in exclusion groups and holdouts, which change with the groups.
    pub groups: GroupPlaces,
    /// Number of the last epoch: 0 before the first start, then 1 and up without gaps.
    pub epoch: i64,
    /// What results need to know about its past; [`Revision`] moves it on.
    pub milestones: Milestones,
    /// What the clock has done to it; [`Revision`] moves it on.
    pub schedule: Schedule,
    /// Whether it was put into the archive. One that visitors meet is not in there.
    pub archived: bool,
    /// 1 for a new one; each change adds 1. Writers compare it, and it gives the ETag.
    pub revision: i64,
    /// When it was made.
    pub created_at: Instant,
    /// When it last changed; never before the change that preceded it, even if the clock was
    /// set back.
    pub updated_at: Instant,
}

impl Experiment {
    /// A draft with defaults everywhere else; [`Experiment::patched`] fills it.
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

    /// How many arms share the traffic, the control among them.
    pub fn arms(&self) -> usize {
        self.variants.len() + 1
    }

    /// The arm with this id, if the experiment has it.
    pub fn arm(&self, id: &str) -> Option<Arm> {
        Arm::from_id(id).filter(|arm| (arm.0 as usize) < self.arms())
    }

    /// The weights in force.
    pub fn weights(&self) -> Weights {
        self.configuration.distribution.weights(self.arms())
    }

    /// Whether visitors can meet it: it is live, or a winner is served.
    pub fn is_delivered(&self) -> bool {
        self.lifecycle.is_live() || matches!(self.serving, Serving::Winner { .. })
    }

    /// Whether storing `after` in place of this changes anything that can run
    /// on a customer's page: code, or changes that [carry code](Change::carries_code).
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

/// A page URL for the editor: an address without wildcards.
///
/// # Errors
/// Patterns, and whatever [`text::web_address`] refuses.
pub fn parse_page_url(url: &str) -> Result<String, Flaw> {
    if url.contains('*') {
        return Err(Flaw::new("must be a real page, not a pattern; remove the *"));
    }
    text::web_address(url)
}

/// Labels: 1 to 64 characters each, at most 100, repeats dropped.
///
/// # Errors
/// Each label that does not fit, with its place.
pub fn parse_tags(tags: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(tags, |tag| text::name(tag, 64))
}

/// Names of raw events: 1 to 128 characters each, at most 100, repeats dropped.
///
/// # Errors
/// Each name that does not fit, with its place.
pub fn parse_event_names(names: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(names, |name| text::title(name, 128))
}

/// Built-in metrics: of `bounce_rate` and `engagement`, repeats dropped.
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

/// Goal keys as text, repeats dropped; whether they exist is known later.
///
/// # Errors
/// Each blank or long key, with its place.
pub fn parse_goal_keys(keys: &[&str]) -> Result<Vec<String>, Problems> {
    distinct(keys, |key| text::title(key, 128))
}

/// Each text parsed, repeats dropped, in the order sent.
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
