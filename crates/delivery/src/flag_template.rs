//! Evaluations in the OpenFeature protocol, and assignments in Muriel's own format.
//!
//! The parts that do not depend on the visitor are serialised once, when a ruleset is
//! delivered: they make up most of a bulk evaluation.

use muriel_assign::{Decision, EvaluationSide, Experiment, Reason};
use muriel_domain::experiment::Arm;

/// Constant parts of an experiment's flag and assignment in JSON.
pub struct FlagTemplate {
    key: Box<str>,
    test_id: Box<str>,
    epoch: Box<str>,
    unenforced: Box<str>,
}

impl FlagTemplate {
    /// Builds the template. Keys and rule names contain no characters that JSON escapes, so they are copied.
    pub fn of(experiment: &Experiment) -> Self {
        Self {
            key: format!("{{\"key\":\"{}\",\"value\":\"", experiment.key).into(),
            test_id: format!("\",\"metadata\":{{\"test_id\":{},\"variant_id\":\"", experiment.id).into(),
            epoch: format!("\",\"epoch\":{},\"in_experiment\":", experiment.epoch).into(),
            unenforced: format!("\",\"unenforced\":\"{}\"}}}}", experiment.unenforced_on(EvaluationSide::Server))
                .into(),
        }
    }

    /// Appends the experiment as an evaluated flag.
    pub fn write_flag(&self, out: &mut Vec<u8>, decision: Decision) {
        let variant = decision.variant();
        // The name `Variant 1` ends with its id; the id of the control is 0.
        let id = match decision.arm {
            None | Some(Arm::CONTROL) => "0",
            Some(_) => variant.rsplit(' ').next().unwrap_or("0"),
        };
        for part in [
            &*self.key,
            variant,
            "\",\"variant\":\"",
            variant,
            "\",\"reason\":\"",
            protocol_reason(decision.reason),
            &*self.test_id,
            id,
            &*self.epoch,
            if decision.in_experiment() { "true,\"reason\":\"" } else { "false,\"reason\":\"" },
            decision.reason.word(),
            &*self.unenforced,
        ] {
            out.extend_from_slice(part.as_bytes());
        }
    }

    /// Appends the experiment as one of many assignments.
    pub fn write_assignment(&self, out: &mut Vec<u8>, experiment: &Experiment, decision: Decision) {
        for part in [
            "{\"experiment_key\":\"",
            &*experiment.key,
            "\",\"variant\":\"",
            decision.variant(),
            &*self.epoch,
            if decision.in_experiment() { "true,\"reason\":\"" } else { "false,\"reason\":\"" },
            decision.reason.word(),
            "\"}",
        ] {
            out.extend_from_slice(part.as_bytes());
        }
    }
}

/// Maps a reason to the reason of the OpenFeature protocol.
fn protocol_reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Split | Reason::Sticky => "SPLIT",
        Reason::Forced => "TARGETING_MATCH",
        Reason::Served => "STATIC",
        Reason::Disabled => "DISABLED",
        Reason::Rollout
        | Reason::Holdout
        | Reason::Excluded
        | Reason::Traffic
        | Reason::Targeting
        | Reason::Unknown
        | Reason::Audience
        | Reason::VariantGone => "DEFAULT",
    }
}
