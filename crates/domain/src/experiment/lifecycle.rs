//! The lifecycle: status, conclusion, and serving a winner.

use super::{Arm, Change, ConfirmedPlan, Experiment, Schedule, TestType, Variant, integration};
use crate::time::DAY_US;
use crate::{Instant, Problems};
use std::fmt;

/// Maximum age of the start time given for an experiment that ran elsewhere: 1,500 days, the length
/// of a time series.
pub const PAST_START_MAX_US: i64 = 1_500 * DAY_US;

/// Status of an experiment. [`Lifecycle`] has the data of each status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Created, not started.
    Draft,
    /// Running.
    Live,
    /// Paused, ended or set aside.
    Inactive,
}

impl Status {
    /// `draft`, `live` or `inactive`.
    pub fn word(self) -> &'static str {
        match self {
            Status::Draft => "draft",
            Status::Live => "live",
            Status::Inactive => "inactive",
        }
    }
}

/// Status of an experiment with its data: a live experiment always has a start, and others never
/// have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifecycle {
    /// Created, not started.
    Draft,
    /// Running.
    Live {
        /// Latest start.
        started_at: Instant,
    },
    /// Paused, ended or set aside.
    Inactive,
}

impl Lifecycle {
    /// The status without its data.
    pub fn status(self) -> Status {
        match self {
            Lifecycle::Draft => Status::Draft,
            Lifecycle::Live { .. } => Status::Live,
            Lifecycle::Inactive => Status::Inactive,
        }
    }

    /// Returns whether the experiment is live.
    pub fn is_live(self) -> bool {
        matches!(self, Lifecycle::Live { .. })
    }
}

/// Delivery of a winner to visitors. Independent of the status: a concluded experiment can serve
/// its winner for months.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serving {
    /// No winner was ever served.
    Never,
    /// A winner was served, and is not served any more.
    Stopped,
    /// A winner is served, whatever the status.
    Winner {
        /// The arm that is served; the experiment has it.
        arm: Arm,
        /// Percentage of the visitors who get it, 0 to 100.
        rollout: i64,
    },
}

/// A team's conclusion, as opposed to the computed verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conclusion {
    /// Outcome that the team chose.
    pub outcome: ConclusionOutcome,
    /// The team's reasons, as free text.
    pub note: String,
    /// Time of the conclusion.
    pub concluded_at: Instant,
}

/// Outcome of an experiment, as the team concluded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConclusionOutcome {
    /// A variant won.
    Won,
    /// The variants did worse than the control.
    Lost,
    /// No relevant difference, or not enough data.
    Inconclusive,
    /// Stopped before its plan was met.
    StoppedEarly,
    /// The data is unusable, for example after an error in the set-up.
    Invalid,
}

impl ConclusionOutcome {
    /// All outcomes with their words.
    pub const WORDS: [(&'static str, ConclusionOutcome); 5] = [
        ("won", ConclusionOutcome::Won),
        ("lost", ConclusionOutcome::Lost),
        ("inconclusive", ConclusionOutcome::Inconclusive),
        ("stopped_early", ConclusionOutcome::StoppedEarly),
        ("invalid", ConclusionOutcome::Invalid),
    ];

    /// Word in the interface and the database.
    pub fn word(self) -> &'static str {
        match self {
            ConclusionOutcome::Won => "won",
            ConclusionOutcome::Lost => "lost",
            ConclusionOutcome::Inconclusive => "inconclusive",
            ConclusionOutcome::StoppedEarly => "stopped_early",
            ConclusionOutcome::Invalid => "invalid",
        }
    }
}

/// State that forbids an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// A live experiment must be deactivated before it can become a draft.
    DeactivateFirst,
    /// A start in the past was given for an experiment that has already started.
    HasStarted,
    /// The plan is locked at the first start, so before it there is none to change.
    NotStarted,
    /// A concluded experiment must be reopened first.
    Concluded,
    /// The experiment is not concluded, so it cannot be reopened.
    NotConcluded,
    /// A draft has no winner.
    DraftCannotServe,
    /// A winner is already being served.
    AlreadyServing,
    /// No winner is being served.
    NotServing,
    /// The variant to remove is the winner that is served.
    VariantIsServed,
    /// The experiment is delivered to visitors, so it cannot be archived.
    IsDelivered,
    /// The clock holds back no act.
    NothingHeldBack,
}

impl fmt::Display for Conflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Conflict::DeactivateFirst => "a live experiment cannot become a draft; deactivate it first (status 0)",
            Conflict::HasStarted => {
                "the experiment has started, so its first start is settled; started_at can be given with the first start only"
            }
            Conflict::NotStarted => {
                "the experiment has not started; its plan is locked only when it starts, so there is nothing to confirm"
            }
            Conflict::Concluded => "the experiment is concluded; reopen it in the dashboard before changing its status",
            Conflict::NotConcluded => "the experiment is not concluded",
            Conflict::DraftCannotServe => "a draft has no winner to serve; start the experiment first (status 1)",
            Conflict::AlreadyServing => "a winner is being served already; change its rollout or stop serving first",
            Conflict::NotServing => "no winner is being served",
            Conflict::IsDelivered => {
                "visitors meet the experiment; deactivate it (status 0) and stop serving its winner before archiving it"
            }
            Conflict::NothingHeldBack => {
                "the clock holds back no act of this experiment, so there is nothing to confirm (schedule.last.failed)"
            }
            Conflict::VariantIsServed => "the variant being removed is the winner that is served; stop serving first",
        })
    }
}

/// Reason why an operation was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The input is invalid.
    Invalid(Problems),
    /// The current state forbids the operation.
    Conflict(Conflict),
}

impl From<Problems> for Refusal {
    fn from(problems: Problems) -> Self {
        Refusal::Invalid(problems)
    }
}

impl From<Conflict> for Refusal {
    fn from(conflict: Conflict) -> Self {
        Refusal::Conflict(conflict)
    }
}

/// Returns a warning about `trigger_variant_change` when the script on pages may read it
/// differently than intended. `None` when it is fine.
fn about_trigger(word: &str) -> Option<String> {
    let names = |kind| word.strip_prefix(kind).is_some_and(|name| !name.trim().is_empty());
    if word.is_empty() || word == "load" || names("event:") || names("element:") {
        return None;
    }
    let what_happens = match word.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next() {
        Some("load") => "it is read as load",
        Some("event" | "element") => "variants may never be shown",
        _ => "variants are shown at once",
    };
    Some(format!(
        "configuration.trigger_variant_change: {word:?} is not load, event:NAME or element:SELECTOR; {what_happens}"
    ))
}

/// Words of `dom_change_path`, which may contain several, separated by blanks.
const MODES: [&str; 4] = ["early", "once", "hydrated", "immediate"];

/// Returns a warning about `dom_change_path` when a word has no effect, or two words contradict
/// each other. `None` when it is fine.
fn about_mode(words: &str) -> Option<String> {
    let has = |wanted| words.split_whitespace().any(|word| word == wanted);
    if let Some(unknown) = words.split_whitespace().find(|word| !MODES.contains(word)) {
        return Some(format!(
            "configuration.dom_change_path: {unknown:?} is not early, once, hydrated or immediate, so it has no effect"
        ));
    }
    (has("hydrated") && has("immediate")).then(|| {
        "configuration.dom_change_path: hydrated and immediate contradict each other; hydrated applies".to_owned()
    })
}

impl Experiment {
    /// Returns the experiment in status `to`; unchanged when it already has that status.
    ///
    /// A start sets `started_at` to `now`. A winner that is served stays served.
    ///
    /// # Errors
    /// A move from live to draft, and any move while the experiment is concluded.
    pub fn moved(&self, to: Status, now: Instant) -> Result<Self, Conflict> {
        let from = self.lifecycle.status();
        if from == to {
            return Ok(self.clone());
        }
        if self.conclusion.is_some() {
            return Err(Conflict::Concluded);
        }
        let lifecycle = match (from, to) {
            (Status::Live, Status::Draft) => return Err(Conflict::DeactivateFirst),
            (_, Status::Live) => Lifecycle::Live { started_at: now },
            (_, Status::Draft) => Lifecycle::Draft,
            (_, Status::Inactive) => Lifecycle::Inactive,
        };
        Ok(Self { lifecycle, ..self.clone() })
    }

    /// Returns the experiment in status `to`, as one that has been live since `started_at`, a
    /// moment in the past. Used to bring in a test that ran elsewhere. Unchanged when it is already
    /// live since that moment.
    ///
    /// The moment is cut to milliseconds, as the interface writes it.
    ///
    /// # Errors
    /// A status other than live, a moment in the future or more than [`PAST_START_MAX_US`] ago, an
    /// experiment that has started before, and moves that [`Experiment::moved`] refuses.
    pub fn moved_since(&self, to: Status, started_at: Instant, now: Instant) -> Result<Self, Refusal> {
        let started_at = Instant::from_us(started_at.us().div_euclid(1_000) * 1_000);
        let problem = |message: String| Err(Problems::one("started_at", message).into());
        if to != Status::Live {
            return problem("can be sent with status 1 (live) only".to_owned());
        }
        if started_at > now {
            return problem(format!("must not be in the future; it is {now} now"));
        }
        let earliest = now.plus_us(-PAST_START_MAX_US);
        if started_at < earliest {
            return problem(format!("must not be before {earliest}: a test may have started 1500 days ago at most"));
        }
        let lifecycle = Lifecycle::Live { started_at };
        if self.lifecycle == lifecycle {
            return Ok(self.clone());
        }
        if self.epoch > 0 {
            return Err(Conflict::HasStarted.into());
        }
        Ok(Self { lifecycle, ..self.moved(to, now)? })
    }

    /// Warnings for the experiment's owner, as sentences that name the field. They do not prevent
    /// anything. A missing primary goal is reported only for live experiments.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.lifecycle.is_live() && self.primary_goal.is_none() {
            warnings.push("the experiment is live without a primary goal; attach one with primary_goal_key".to_owned());
        }
        let redirects = |variant: &Variant| variant.changes.first().is_some_and(Change::is_redirect);
        if self.test_type == TestType::Split && !self.variants.iter().any(redirects) {
            warnings.push(
                "variants: none of this split test has an address, so no visitor is redirected; start a variant's data \
                 with {\"url\": …}"
                    .to_owned(),
            );
        }
        warnings.extend(self.configuration.trigger_variant_change.as_deref().and_then(about_trigger));
        warnings.extend(self.configuration.dom_change_path.as_deref().and_then(about_mode));
        warnings.extend(self.schedule_warnings());
        warnings.extend(integration::warnings(&self.configuration.integration));
        warnings
    }

    /// Serves the arm with this id to `rollout` percent of the visitors.
    ///
    /// `rollout` is a percentage from 0 to 100, which the caller checks.
    ///
    /// # Errors
    /// An unknown arm; a draft; a winner that is already served.
    pub fn serving(&self, arm: &str, rollout: i64) -> Result<Self, Refusal> {
        let Some(arm) = self.arm(arm) else {
            return Err(Problems::one(
                "variant_id",
                "must be the id of one of the experiment's variants, \"0\" for the control",
            )
            .into());
        };
        if self.lifecycle == Lifecycle::Draft {
            return Err(Conflict::DraftCannotServe.into());
        }
        if matches!(self.serving, Serving::Winner { .. }) {
            return Err(Conflict::AlreadyServing.into());
        }
        Ok(Self { serving: Serving::Winner { arm, rollout }, ..self.clone() })
    }

    /// Checks that a change to `after` keeps the arm that is being served.
    ///
    /// # Errors
    /// The change would remove the variant that is served.
    pub fn keeps_served(&self, after: &Experiment) -> Result<(), Conflict> {
        match self.serving {
            Serving::Winner { arm, .. } if arm.0 as usize >= after.arms() => Err(Conflict::VariantIsServed),
            _ => Ok(()),
        }
    }

    /// Changes the rollout of the served winner to `rollout` percent of the visitors.
    ///
    /// With a rollout of 0 the winner is still served, but nobody gets it. The caller checks that
    /// `rollout` is from 0 to 100.
    ///
    /// # Errors
    /// No winner is served.
    pub fn rolled_out(&self, rollout: i64) -> Result<Self, Conflict> {
        let Serving::Winner { arm, .. } = self.serving else { return Err(Conflict::NotServing) };
        Ok(Self { serving: Serving::Winner { arm, rollout }, ..self.clone() })
    }

    /// Stops serving the winner.
    ///
    /// The status does not change.
    ///
    /// # Errors
    /// No winner is served.
    pub fn stopped(&self) -> Result<Self, Conflict> {
        let Serving::Winner { .. } = self.serving else { return Err(Conflict::NotServing) };
        Ok(Self { serving: Serving::Stopped, ..self.clone() })
    }

    /// Concludes the experiment and, when a winner is given, serves it to that percentage of the
    /// visitors. The experiment becomes inactive unless a winner is served.
    ///
    /// A winner that was served before stays served, and the status stays as it is. Giving a winner
    /// then is [`Conflict::AlreadyServing`].
    ///
    /// # Errors
    /// The experiment is already concluded; an unknown arm; a winner that cannot be served.
    pub fn concluded(&self, conclusion: Conclusion, winner: Option<(&str, i64)>) -> Result<Self, Refusal> {
        if self.conclusion.is_some() {
            return Err(Conflict::Concluded.into());
        }
        let mut next = match winner {
            Some((arm, rollout)) => self.serving(arm, rollout)?,
            None => self.clone(),
        };
        if !matches!(next.serving, Serving::Winner { .. }) {
            next.lifecycle = Lifecycle::Inactive;
        }
        next.conclusion = Some(conclusion);
        Ok(next)
    }

    /// Archives the experiment, or takes it out of the archive.
    ///
    /// # Errors
    /// The experiment is delivered to visitors.
    pub fn filed(&self, archived: bool) -> Result<Self, Conflict> {
        if archived && self.is_delivered() {
            return Err(Conflict::IsDelivered);
        }
        Ok(Self { archived, ..self.clone() })
    }

    /// Removes the conclusion; the status stays. A winner that is served stays served.
    ///
    /// # Errors
    /// The experiment is not concluded.
    pub fn reopened(&self) -> Result<Self, Conflict> {
        match self.conclusion {
            Some(_) => Ok(Self { conclusion: None, ..self.clone() }),
            None => Err(Conflict::NotConcluded),
        }
    }

    /// Sets a confirmed plan, which the clock uses instead of the plan locked at the first start.
    ///
    /// Replaces an earlier confirmation.
    ///
    /// # Errors
    /// The experiment has not started yet, or is concluded.
    pub fn plan_confirmed(&self, confirmed: ConfirmedPlan) -> Result<Self, Conflict> {
        if self.milestones.first_start.is_none() {
            return Err(Conflict::NotStarted);
        }
        if self.conclusion.is_some() {
            return Err(Conflict::Concluded);
        }
        let schedule = Schedule { confirmed: Some(confirmed), ..self.schedule.clone() };
        Ok(Self { schedule, ..self.clone() })
    }
}
