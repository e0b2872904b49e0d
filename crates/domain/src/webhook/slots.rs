//! Scheduling of webhook requests, so that one company's receivers do not delay those of another.

use crate::Instant;
use crate::ids::{CompanyId, WebhookId};

/// Maximum number of in-flight requests to receivers whose last attempt did not fail.
pub const HEALTHY_SLOTS: usize = 24;
/// Maximum number of in-flight requests to receivers whose last attempt failed. They have slots of their own, because a
/// receiver that hangs holds a slot until the timeout.
pub const FAILING_SLOTS: usize = 8;
/// Maximum healthy slots of one company.
const HEALTHY_PER_COMPANY: usize = 4;
/// Maximum failing slots of one company.
const FAILING_PER_COMPANY: usize = 2;
/// Maximum number of in-flight requests to one receiver whose last attempt did not fail.
pub const PER_WEBHOOK: usize = 2;

/// A webhook with deliveries that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingWebhook {
    /// Webhook id.
    pub webhook: WebhookId,
    /// Company that owns the webhook's project.
    pub company: CompanyId,
    /// True when its last attempt failed.
    pub is_failing: bool,
    /// Due time of its oldest delivery.
    pub due_at: Instant,
}

/// A request to a receiver, in flight or to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Webhook id.
    pub webhook: WebhookId,
    /// Company that owns the webhook's project.
    pub company: CompanyId,
    /// True when the webhook was failing at the time the request was chosen.
    pub is_failing: bool,
}

/// Chooses the webhooks to send to next, in addition to the `in_flight` requests. A webhook that is returned twice gets
/// two requests.
///
/// Healthy receivers come before failing ones. Within each kind, the order is: the company with the fewest in-flight
/// requests, the webhook with the fewest, the webhook that has waited longest. A failing receiver gets one request at a
/// time.
///
/// Limits: 24 healthy requests, of which a company has at most four and a receiver two; eight failing ones, of which a
/// company has at most two. Requests in flight count towards them.
pub fn next_slots(waiting: &[WaitingWebhook], in_flight: &[Slot]) -> Vec<Slot> {
    let mut taken = in_flight.to_vec();
    for is_failing in [false, true] {
        while let Some(slot) = next_slot(waiting, &taken, is_failing) {
            taken.push(slot);
        }
    }
    taken.split_off(in_flight.len())
}

fn next_slot(waiting: &[WaitingWebhook], taken: &[Slot], is_failing: bool) -> Option<Slot> {
    let (slots, per_company, per_webhook) = match is_failing {
        false => (HEALTHY_SLOTS, HEALTHY_PER_COMPANY, PER_WEBHOOK),
        true => (FAILING_SLOTS, FAILING_PER_COMPANY, 1),
    };
    let alike = || taken.iter().filter(|slot| slot.is_failing == is_failing);
    if alike().count() >= slots {
        return None;
    }
    let candidates = waiting.iter().filter(|webhook| webhook.is_failing == is_failing).filter_map(|webhook| {
        let of_company = alike().filter(|slot| slot.company == webhook.company).count();
        // Requests that were sent before the receiver failed count too.
        let of_webhook = taken.iter().filter(|slot| slot.webhook == webhook.webhook).count();
        let is_free = of_company < per_company && of_webhook < per_webhook;
        is_free.then_some((of_company, of_webhook, webhook))
    });
    let (_, _, next) = candidates.min_by_key(|(of_company, of_webhook, webhook)| {
        (*of_company, *of_webhook, webhook.due_at, webhook.webhook.0)
    })?;
    Some(Slot { webhook: next.webhook, company: next.company, is_failing })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn waiting(company: i64, number: i64, is_failing: bool) -> WaitingWebhook {
        WaitingWebhook {
            webhook: WebhookId(100 * company + number),
            company: CompanyId(company),
            is_failing,
            due_at: Instant::from_us(number),
        }
    }

    fn many(company: i64, count: i64, is_failing: bool) -> Vec<WaitingWebhook> {
        (0..count).map(|number| waiting(company, number, is_failing)).collect()
    }

    fn per_company(slots: &[Slot]) -> Vec<(i64, usize)> {
        let mut counts = BTreeMap::new();
        slots.iter().for_each(|slot| *counts.entry(slot.company.0).or_insert(0) += 1);
        counts.into_iter().collect()
    }

    #[test]
    fn a_company_that_hangs_leaves_slots_to_others() {
        let hanging = many(1, 20, false);
        let in_flight = next_slots(&hanging, &[]);
        assert_eq!(per_company(&in_flight), [(1, 4)], "four requests, of four webhooks");
        assert!((0..4).all(|at| in_flight[at].webhook == hanging[at].webhook));
        // However long they hang, the company gets no further slots.
        assert_eq!(next_slots(&hanging, &in_flight), []);
        let both = [hanging, many(2, 1, false)].concat();
        assert_eq!(per_company(&next_slots(&both, &in_flight)), [(2, 2)]);
    }

    #[test]
    fn receivers_that_failed_have_slots_of_their_own_and_one_request_each() {
        let failing = [many(1, 20, true), many(2, 20, true), many(3, 1, true)].concat();
        let in_flight = next_slots(&failing, &[]);
        assert_eq!(per_company(&in_flight), [(1, 2), (2, 2), (3, 1)]);
        // A healthy receiver of the same company does not wait for the failing ones, and comes first.
        let mixed = [failing.clone(), vec![waiting(1, 50, false)]].concat();
        let healthy = |slots: &[Slot]| slots.iter().filter(|slot| !slot.is_failing).count();
        assert_eq!(healthy(&next_slots(&mixed, &in_flight)), 2);
        assert!(!next_slots(&mixed, &[])[0].is_failing);
        // A request that was sent while the receiver was healthy counts.
        let begun = Slot { is_failing: false, ..in_flight[0] };
        assert!(next_slots(&failing, &[begun]).iter().all(|slot| slot.webhook != begun.webhook));
    }

    #[test]
    fn slots_that_become_free_go_to_who_has_fewest() {
        let all: Vec<_> = (1..=9).flat_map(|company| many(company, 5, false)).collect();
        let in_flight = next_slots(&all, &[]);
        let counts = per_company(&in_flight);
        assert_eq!(in_flight.len(), HEALTHY_SLOTS);
        assert!(counts.len() == 9 && counts.iter().all(|(_, count)| (2..=3).contains(count)), "{counts:?}");
    }

    proptest! {
        /// For any waiting webhooks and in-flight requests: the limits hold, only waiting webhooks are chosen, and no
        /// slot stays free that a webhook could have.
        #[test]
        fn bounds_hold_and_slots_are_used(
            webhooks in prop::collection::vec((0..7i64, any::<bool>()), 0..60),
            done in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let webhooks: Vec<_> = webhooks
                .into_iter()
                .enumerate()
                .map(|(number, (company, is_failing))| {
                    let number = number as i64;
                    WaitingWebhook { webhook: WebhookId(number), company: CompanyId(company), is_failing, due_at: Instant::from_us(-number) }
                })
                .collect();
            let mut in_flight: Vec<Slot> = Vec::new();
            for ended in done {
                let next = next_slots(&webhooks, &in_flight);
                let waits = |slot: &Slot| {
                    let mut like = webhooks.iter().filter(|it| it.webhook == slot.webhook);
                    like.any(|it| (it.company, it.is_failing) == (slot.company, slot.is_failing))
                };
                prop_assert!(next.iter().all(waits));
                in_flight.extend(next);
                for is_failing in [false, true] {
                    let (slots, per_company, per_webhook) =
                        if is_failing { (FAILING_SLOTS, FAILING_PER_COMPANY, 1) } else { (HEALTHY_SLOTS, HEALTHY_PER_COMPANY, PER_WEBHOOK) };
                    let alike = || in_flight.iter().filter(|slot| slot.is_failing == is_failing);
                    prop_assert!(alike().count() <= slots);
                    for webhook in webhooks.iter().filter(|webhook| webhook.is_failing == is_failing) {
                        let of_company = alike().filter(|slot| slot.company == webhook.company).count();
                        let of_webhook = alike().filter(|slot| slot.webhook == webhook.webhook).count();
                        prop_assert!(of_company <= per_company && of_webhook <= per_webhook);
                        prop_assert!(alike().count() == slots || of_company == per_company || of_webhook == per_webhook);
                    }
                }
                if !in_flight.is_empty() {
                    in_flight.swap_remove(ended.index(in_flight.len()));
                }
            }
        }
    }
}
