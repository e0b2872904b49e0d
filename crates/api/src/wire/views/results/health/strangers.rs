//! Health checks as shown in shared results.
//!
//! Readers of a shared result see each check and its outcome. Messages that name anything besides this result, or tell
//! operators what to do, are replaced.

use super::{Health, HealthCheck};

/// Message for an outcome of a check.
fn sentence(status: &str, ok: &'static str, otherwise: &'static str) -> String {
    match status {
        "ok" => ok,
        "unknown" => "There is no data yet.",
        _ => otherwise,
    }
    .to_owned()
}

impl HealthCheck {
    fn with_sentence(self, ok: &'static str, otherwise: &'static str) -> Self {
        Self { message: sentence(self.status, ok, otherwise), status: self.status }
    }
}

impl Health {
    /// Message of the check for other servers.
    pub(in crate::wire::views::results) fn about_other_nodes(&self) -> &str {
        &self.other_nodes.message
    }

    /// Removes what the messages say about other experiments, single orders and the server.
    pub(in crate::wire::views::results) fn for_strangers(self) -> Self {
        // No `..`, so that code with a check missing here does not compile.
        let Self {
            status,
            sample_ratio,
            crossovers,
            minimum_data,
            bots,
            before_start,
            epochs,
            balance,
            changes,
            other_nodes,
            guardrails,
            page,
            event_log,
            currency,
            orders,
            before_entry,
            prevented_submits,
            lost_events,
            unvouched,
            exclusions,
            concentration,
            interaction,
        } = self;
        Self {
            status,
            sample_ratio,
            crossovers,
            minimum_data,
            bots,
            before_start: before_start.with_sentence(
                "No exposure is dated before the start.",
                "Some visits are dated before the first start; they are not counted.",
            ),
            epochs,
            balance,
            // The message names changes of the variants.
            changes: changes.with_sentence(
                "The changes of the variants matched elements on pages.",
                "A change of a variant matched no element on any page that reported it.",
            ),
            other_nodes: other_nodes.with_sentence(
                "No other server took events.",
                "Another server took events that are missing here, so these numbers cover only a part of the visitors.",
            ),
            guardrails,
            page,
            event_log: event_log.with_sentence(
                "Every recorded event could be read.",
                "Some recorded events cannot be read, so they are not counted.",
            ),
            currency: currency.map(|check| {
                check.with_sentence(
                    "All orders count in one currency.",
                    "Orders in other currencies were left out, so revenue covers only a part of the buyers.",
                )
            }),
            // The message names single orders, with value and time.
            orders: orders.map(|check| {
                check.with_sentence(
                    "No order is more than a tenth of the revenue.",
                    "A single order is a large part of the revenue, or orders or refunds were left out.",
                )
            }),
            before_entry,
            prevented_submits,
            lost_events,
            unvouched,
            exclusions,
            concentration,
            // The message names other experiments.
            interaction: interaction.map(|check| {
                check.with_sentence(
                    "No other experiment is known to change this effect.",
                    "Another experiment that ran at the same time changes the effect of this one.",
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_has_a_sentence_of_its_own() {
        for (status, expect) in [("ok", "a"), ("warn", "b"), ("fail", "b"), ("unknown", "There is no data yet.")] {
            let check = HealthCheck { status, message: "of experiment 7".to_owned() }.with_sentence("a", "b");
            assert_eq!((check.status, check.message.as_str()), (status, expect));
        }
    }
}
