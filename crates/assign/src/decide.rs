//! Decisions: from a visitor to an arm and a reason.
//!
//! Everything that can be wrong is found when the ruleset is compiled, so a decision always succeeds. It allocates no
//! memory, and hashes each salt once with the visitor's id; a test counts allocations.
//!
//! The checks, and the result when one does not pass:
//!
//! | check | the visitor gets |
//! |---|---|
//! | forced | the arm that a preview requests, without further checks |
//! | holdout | the original, [`Reason::Holdout`] |
//! | serving | the winner, if targeting and rollout include the visitor |
//! | status | the original, [`Reason::Disabled`] |
//! | exclusion | the original, [`Reason::Excluded`] |
//! | sticky | the original when the arm is gone, [`Reason::VariantGone`]; visitors with an earlier arm skip the traffic
//! check |
//! | traffic | the original, [`Reason::Traffic`] |
//! | targeting | the original, [`Reason::Targeting`] or [`Reason::Unknown`] |
//! | audience | in a personalization: the first variant whose audience has this visitor, or else [`Reason::Audience`] |
//! | variant | the arm whose range has the bucket, [`Reason::Split`] |

use crate::bucket::{BUCKETS, PER_PERCENT};
use crate::observe::{Check, CheckOutcome, Observer};
use crate::ruleset::{Experiment, arm_name};
use crate::tri::Tri;
use crate::visitor::{EvaluationSide, Visitor};
use muriel_domain::experiment::Arm;

/// Reason for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The unit's bucket is in the arm's range. The only way to enter an experiment for the first time.
    Split,
    /// The visitor was given the arm before, and keeps it after changes of weights or traffic.
    Sticky,
    /// A preview requested the arm.
    Forced,
    /// The unit enters no experiment, so that the combined effect of all experiments can be measured.
    Holdout,
    /// A winner is served.
    Served,
    /// The experiment is not live.
    Disabled,
    /// A winner is served, and the unit is outside of its rollout.
    Rollout,
    /// The unit is in another range of the exclusion group.
    Excluded,
    /// The unit is outside of the traffic that enters.
    Traffic,
    /// A targeting rule excludes the visitor.
    Targeting,
    /// A fact that targeting needs is not known yet. The caller may decide again when it knows more.
    Unknown,
    /// No variant's audience has this visitor.
    Audience,
    /// The arm that the visitor was given before is gone.
    VariantGone,
}

impl Reason {
    /// All reasons, those with an arm first.
    pub const ALL: [Reason; 13] = [
        Reason::Split,
        Reason::Sticky,
        Reason::Forced,
        Reason::Served,
        Reason::Holdout,
        Reason::Disabled,
        Reason::Rollout,
        Reason::Excluded,
        Reason::Traffic,
        Reason::Targeting,
        Reason::Unknown,
        Reason::Audience,
        Reason::VariantGone,
    ];

    /// Word in responses, in snake case, such as `variant_gone`. Part of the interface: clients compare it.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Split => "split",
            Reason::Sticky => "sticky",
            Reason::Forced => "forced",
            Reason::Served => "served",
            Reason::Holdout => "holdout",
            Reason::Disabled => "disabled",
            Reason::Rollout => "rollout",
            Reason::Excluded => "excluded",
            Reason::Traffic => "traffic",
            Reason::Targeting => "targeting",
            Reason::Unknown => "unknown",
            Reason::Audience => "audience",
            Reason::VariantGone => "variant_gone",
        }
    }
}

/// Result of a decision.
///
/// Only visitors with [`Reason::Split`] and [`Reason::Sticky`] take part in the experiment, and only they have
/// exposures and are counted. A preview or a served winner shows an arm to a visitor who is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Arm of the visitor. `None` for a visitor who sees the original and is not counted.
    pub arm: Option<Arm>,
    /// Reason for the decision.
    pub reason: Reason,
}

impl Decision {
    /// The decision to show the original, for this reason.
    const fn out(reason: Reason) -> Self {
        Self { arm: None, reason }
    }

    /// Returns whether the visitor takes part and is counted.
    pub fn in_experiment(self) -> bool {
        matches!(self.reason, Reason::Split | Reason::Sticky)
    }

    /// Name of the arm that the visitor sees; that of the control for visitors outside of the experiment.
    pub fn variant(self) -> &'static str {
        arm_name(self.arm.unwrap_or(Arm::CONTROL))
    }
}

impl Experiment {
    /// Decides which arm this visitor gets. Always succeeds, and has no side effects, so the same visitor, ruleset and
    /// time give the same decision.
    ///
    /// The observer sees each check as it is made, and cannot influence the decision. With
    /// [`NoopObserver`](crate::NoopObserver) nothing is allocated, which a test counts.
    ///
    /// The order of the checks is part of the specification: forced, holdout, serving, status, exclusion, sticky,
    /// traffic, targeting, audience, variant.
    pub fn decide<O: Observer>(&self, visitor: &Visitor<'_>, observer: &mut O) -> Decision {
        if let Some((_, arm)) = visitor.forced.filter(|(id, arm)| *id == self.id && arm.0 < self.arms) {
            observer.on_check(Check::Forced, CheckOutcome::Pass, || format!("a preview shows {}", arm_name(arm)));
            return Decision { arm: Some(arm), reason: Reason::Forced };
        }
        if self.is_held_out(visitor, observer) {
            return Decision::out(Reason::Holdout);
        }
        if let Some(served) = self.serving {
            return self.serve(visitor, served.arm, served.below, observer);
        }
        if !self.live {
            observer.on_check(Check::Status, CheckOutcome::Fail, || {
                "the experiment does not run; what follows is what would happen if it did".to_owned()
            });
            if O::THOROUGH {
                self.assign(visitor, observer);
            }
            return Decision::out(Reason::Disabled);
        }
        observer.on_check(Check::Status, CheckOutcome::Pass, || "the experiment is live".to_owned());
        self.assign(visitor, observer)
    }

    /// Returns whether a holdout keeps the unit out. Checked before a served winner too: the combined effect of all
    /// winners is measured against visitors who get none of them.
    fn is_held_out<O: Observer>(&self, visitor: &Visitor<'_>, observer: &mut O) -> bool {
        self.holdouts.iter().any(|holdout| {
            let (bucket, held_out) = holdout.bucket_of(visitor.id);
            observer.on_check(Check::Holdout, if held_out { CheckOutcome::Fail } else { CheckOutcome::Pass }, || {
                let side = if held_out { "within" } else { "outside" };
                format!(
                    "bucket {bucket} of {BUCKETS} is {side} {} to {}, whom {} keeps out",
                    holdout.from,
                    holdout.to,
                    holdout.named("the holdout")
                )
            });
            held_out
        })
    }

    /// Gives the winner to eligible visitors within the rollout. The rollout uses the traffic line, so raising it never
    /// takes the winner away from a visitor.
    fn serve<O: Observer>(&self, visitor: &Visitor<'_>, arm: Arm, below: u32, observer: &mut O) -> Decision {
        observer.on_check(Check::Serving, CheckOutcome::Pass, || {
            format!("{} won and is served to {} % of the visitors", arm_name(arm), below / PER_PERCENT)
        });
        if let Some(refusal) = self.eligible(visitor, observer) {
            return refusal;
        }
        if self.is_among_first(below, visitor, observer) {
            Decision { arm: Some(arm), reason: Reason::Served }
        } else {
            Decision::out(Reason::Rollout)
        }
    }

    /// Assigns an arm of a live experiment: exclusion, earlier arm, traffic, targeting, then the bucket.
    fn assign<O: Observer>(&self, visitor: &Visitor<'_>, observer: &mut O) -> Decision {
        if let Some(part) = self.exclusion {
            let (bucket, within) = part.bucket_of(visitor.id);
            observer.on_check(Check::Exclusion, if within { CheckOutcome::Pass } else { CheckOutcome::Fail }, || {
                let side = if within { "within" } else { "outside" };
                format!(
                    "bucket {bucket} of {BUCKETS} is {side} {} to {}, this experiment's part of {}",
                    part.from,
                    part.to,
                    part.named("its exclusion group")
                )
            });
            if !within {
                return Decision::out(Reason::Excluded);
            }
        }
        let sticky = if visitor.sticky.is_empty() { None } else { visitor.sticky(&self.key) };
        if let Some(arm) = sticky {
            let there = arm.0 < self.arms;
            observer.on_check(Check::Sticky, if there { CheckOutcome::Pass } else { CheckOutcome::Fail }, || {
                let now = if there { "and is past traffic" } else { "which is gone" };
                format!("the visitor was given {} before, {now}", Arm::to_string(&arm))
            });
            if !there {
                return Decision::out(Reason::VariantGone);
            }
        } else if !self.is_among_first(self.entering, visitor, observer) {
            return Decision::out(Reason::Traffic);
        }
        if let Some(refusal) = self.eligible(visitor, observer) {
            return refusal;
        }
        match &self.personal {
            None => self.among_all(visitor, sticky, observer),
            Some(audiences) => self.personal(audiences, visitor, sticky, observer),
        }
    }

    /// Returns whether the unit's traffic bucket is below `end`.
    fn is_among_first<O: Observer>(&self, end: u32, visitor: &Visitor<'_>, observer: &mut O) -> bool {
        let bucket = || self.for_traffic.bucket(visitor.id);
        // When everybody is in, no hash is needed.
        let within = end == BUCKETS || bucket() < end;
        observer.on_check(Check::Traffic, if within { CheckOutcome::Pass } else { CheckOutcome::Fail }, || {
            let side = if within { "within" } else { "outside" };
            format!("bucket {} of {BUCKETS} is {side} the first {end} that enter", bucket())
        });
        within
    }

    /// Decision to keep the visitor out because of targeting. `None` when the visitor is eligible.
    fn eligible<O: Observer>(&self, visitor: &Visitor<'_>, observer: &mut O) -> Option<Decision> {
        match self.audience.has(visitor, observer) {
            Tri::Yes => None,
            Tri::No => Some(Decision::out(Reason::Targeting)),
            Tri::Unknown => Some(Decision::out(Reason::Unknown)),
        }
    }

    /// The arm by the unit's bucket on the line of all arms, or the arm that was given before.
    fn among_all<O: Observer>(&self, visitor: &Visitor<'_>, sticky: Option<Arm>, observer: &mut O) -> Decision {
        if let Some(arm) = sticky {
            return Decision { arm: Some(arm), reason: Reason::Sticky };
        }
        let bucket = self.for_variant.bucket(visitor.id);
        // The ranges cover the whole line, so one is always found.
        let arm = self.ranges.iter().find(|(end, _)| bucket < *end).map_or(Arm::CONTROL, |(_, arm)| *arm);
        observer.on_check(Check::Variant, CheckOutcome::Pass, || {
            format!("bucket {bucket} of {BUCKETS} belongs to {}", arm_name(arm))
        });
        Decision { arm: Some(arm), reason: Reason::Split }
    }

    /// Chooses between the control and the first variant whose audience has this visitor. The two share by their
    /// weights only, so a variant with a small audience still gets traffic.
    ///
    /// `audiences[i]` is the audience of arm `i + 1`. A variant is skipped when it is unknown whether the visitor is in
    /// its audience. If no other variant applies, the reason is [`Reason::Unknown`], and the decision may change later.
    fn personal<O: Observer>(
        &self,
        audiences: &[crate::audience::Audience],
        visitor: &Visitor<'_>,
        sticky: Option<Arm>,
        observer: &mut O,
    ) -> Decision {
        let mut unknown = false;
        for (arm, audience) in (1..).map(Arm).zip(audiences) {
            let belongs = audience.has(visitor, observer);
            observer.on_check(
                Check::Audience,
                match belongs {
                    Tri::Yes => CheckOutcome::Pass,
                    Tri::No => CheckOutcome::Fail,
                    Tri::Unknown => CheckOutcome::Unknown,
                },
                || match belongs {
                    Tri::Yes => format!("{} is for this visitor", arm_name(arm)),
                    Tri::No => format!("{} is for others", arm_name(arm)),
                    Tri::Unknown => format!("whether {} is for this visitor is not known yet", arm_name(arm)),
                },
            );
            match belongs {
                Tri::No => continue,
                Tri::Unknown => {
                    unknown = true;
                    continue;
                }
                Tri::Yes => {}
            }
            if let Some(given) = sticky.filter(|given| *given == arm || *given == Arm::CONTROL) {
                return Decision { arm: Some(given), reason: Reason::Sticky };
            }
            let (control, own) = (self.weight(Arm::CONTROL), self.weight(arm));
            if control + own == 0 {
                return Decision::out(Reason::Traffic);
            }
            let bucket = self.for_variant.bucket(visitor.id);
            // Exact in doubles too: below 2⁵³.
            let place = u64::from(bucket) * u64::from(control + own) / u64::from(BUCKETS);
            let chosen = if place < u64::from(control) { Arm::CONTROL } else { arm };
            observer.on_check(Check::Variant, CheckOutcome::Pass, || {
                format!(
                    "bucket {bucket} of {BUCKETS}, scaled to {place} of {}, belongs to {}",
                    control + own,
                    arm_name(chosen)
                )
            });
            return Decision { arm: Some(chosen), reason: Reason::Split };
        }
        Decision::out(if unknown { Reason::Unknown } else { Reason::Audience })
    }

    /// Rules that a decision on this side does not check, separated by commas, such as `cookie_rule,schedule_rule`.
    /// Empty on the page, which can check all rules.
    pub fn unenforced_on(&self, side: EvaluationSide) -> &str {
        match side {
            EvaluationSide::Server => &self.unenforced,
            EvaluationSide::Browser => "",
        }
    }
}
