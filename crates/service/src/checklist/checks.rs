//! The checks, as a function of the collected facts.

use super::collisions::Collision;
use crate::install::{SeenPage, without_query};
use muriel_domain::experiment::{Arm, Change, Experiment};
use muriel_domain::targeting::Audience;
use muriel_results::PlanningReport;
use muriel_store::previews::PreviewReport;

/// Planned durations above this many days get a warning: few teams still wait for the end.
const LONG_DAYS: i64 = 90;
/// Days within which a test should detect a lift.
const GOOD_DAYS: i64 = 28;
/// Most items that a sentence lists by name.
const LISTED: usize = 5;

/// A check of the checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The status allows a start.
    Lifecycle,
    /// Approval of the start by a second person.
    Approval,
    /// Browsers can run the experiment's JavaScript.
    Code,
    /// The script is on the experiment's page.
    Script,
    /// Each arm was previewed, and its changes found their elements.
    Preview,
    /// The goals were matched within the last day.
    Goals,
    /// Visitors can match the targeting rules.
    Audience,
    /// Traffic allocation and weights of the arms.
    Weights,
    /// Time until the planned lift can be detected.
    Power,
    /// Other live experiments change the same elements.
    Collisions,
}

impl Check {
    /// Name of the check in the API.
    pub fn word(self) -> &'static str {
        match self {
            Check::Lifecycle => "lifecycle",
            Check::Approval => "approval",
            Check::Code => "code",
            Check::Script => "script",
            Check::Preview => "preview",
            Check::Goals => "goals",
            Check::Audience => "audience",
            Check::Weights => "weights",
            Check::Power => "power",
            Check::Collisions => "collisions",
        }
    }
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckStatus {
    /// Nothing to do.
    Ok,
    /// A person should review it.
    Warn,
    /// The start is refused.
    Blocked,
    /// There is no data to decide from yet.
    Unknown,
}

impl CheckStatus {
    /// Name of the status in the API.
    pub fn word(self) -> &'static str {
        match self {
            CheckStatus::Ok => "ok",
            CheckStatus::Warn => "warn",
            CheckStatus::Blocked => "blocked",
            CheckStatus::Unknown => "unknown",
        }
    }
}

/// A check with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChecklistItem {
    /// The check.
    pub check: Check,
    /// Result of the check.
    pub status: CheckStatus,
    /// The finding, and what to do.
    pub sentence: String,
}

/// Goals that are attached to the experiment.
#[derive(Debug, Clone, Default)]
pub(super) struct GoalFacts {
    /// True when a primary goal is attached.
    pub(super) has_primary: bool,
    /// Name of each goal, and whether it was matched within a day; `None` where events cannot be queried now.
    pub(super) fired: Option<Vec<(String, bool)>>,
}

/// Detail of the places that the server can derive from visitors' addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnownPlaces {
    /// None: the server has no geographic file.
    Nothing,
    /// Countries.
    Countries,
    /// Countries, regions and cities.
    Cities,
}

/// Input of all checks.
pub(super) struct Facts {
    pub(super) experiment: Experiment,
    /// Reason why the status does not allow a start.
    pub(super) conflict: Option<String>,
    pub(super) needs_approval: bool,
    /// A sentence about JavaScript that browsers cannot run.
    pub(super) invalid_code: Option<String>,
    pub(super) previews: Vec<PreviewReport>,
    /// Pages with the script; `None` where events cannot be queried now.
    pub(super) pages: Option<Vec<SeenPage>>,
    pub(super) plan: Option<PlanningReport>,
    /// The plan for a site of medium traffic, where the project's own traffic is not known.
    pub(super) assumed: Option<PlanningReport>,
    pub(super) goals: GoalFacts,
    pub(super) places: KnownPlaces,
    pub(super) collisions: Vec<Collision>,
}

/// Runs all checks, in the order in which they are best reviewed.
pub(super) fn all(facts: &Facts) -> Vec<ChecklistItem> {
    [
        (Check::Lifecycle, lifecycle(facts)),
        (Check::Approval, approval(facts)),
        (Check::Code, code(facts)),
        (Check::Script, script(facts)),
        (Check::Preview, preview(facts)),
        (Check::Goals, goals(facts)),
        (Check::Audience, audience(facts)),
        (Check::Weights, weights(facts)),
        (Check::Power, power(facts)),
        (Check::Collisions, collisions(facts)),
    ]
    .into_iter()
    .map(|(check, (status, sentence))| ChecklistItem { check, status, sentence })
    .collect()
}

use CheckStatus::{Blocked, Ok as Good, Unknown, Warn};

type Found = (CheckStatus, String);

fn say(status: CheckStatus, sentence: impl Into<String>) -> Found {
    (status, sentence.into())
}

fn lifecycle(facts: &Facts) -> Found {
    if let Some(conflict) = &facts.conflict {
        return say(Blocked, sentence(conflict));
    }
    if facts.experiment.lifecycle.is_live() {
        return say(Good, "It is live.");
    }
    match facts.experiment.warnings().first() {
        Some(warning) => say(Warn, format!("It can be started. Look at this first: {}", sentence(warning))),
        None => say(Good, "It can be started."),
    }
}

fn approval(facts: &Facts) -> Found {
    match facts.needs_approval {
        true => say(Blocked, "A second person has to approve the start: propose it."),
        false => say(Good, "Nobody else has to approve the start."),
    }
}

fn code(facts: &Facts) -> Found {
    let experiment = &facts.experiment;
    let has_code = std::iter::once(&experiment.custom_code)
        .chain([&experiment.control.code])
        .chain(experiment.variants.iter().map(|variant| &variant.code))
        .any(|code| !code.js.trim().is_empty());
    match &facts.invalid_code {
        Some(invalid) => say(Warn, sentence(invalid)),
        None if has_code => say(Good, "Browsers can run all of its JavaScript."),
        None => say(Good, "It has no JavaScript."),
    }
}

fn script(facts: &Facts) -> Found {
    let Some(pages) = &facts.pages else {
        return say(Unknown, "Events cannot be read now, so it is not known whether the script is on the page.");
    };
    let page = without_query(&facts.experiment.url).trim_end_matches('/');
    let seen = pages.iter().find(|seen| seen.url.trim_end_matches('/') == page);
    match (seen, pages.is_empty()) {
        (Some(seen), _) => say(Good, format!("The script was on {page} at {}.", seen.last_seen)),
        (None, true) => say(
            Unknown,
            format!(
                "No page of the project has sent events in the last seven days. Put the snippet on {page} and open it."
            ),
        ),
        (None, false) => say(
            Warn,
            format!(
                "Other pages have the script, but {page} has not sent events in the last seven days. Open it, and check that the snippet is there."
            ),
        ),
    }
}

fn preview(facts: &Facts) -> Found {
    let experiment = &facts.experiment;
    let (mut unseen, mut missing, mut old) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..experiment.arms() {
        let arm = Arm(u32::try_from(number).unwrap_or(u32::MAX));
        // An arm without changes on the page has nothing to preview.
        if !changes_something(experiment, number) {
            continue;
        }
        match facts.previews.iter().find(|report| report.arm == arm) {
            None => unseen.push(arm.to_string()),
            Some(report) if experiment.milestones.redefined_at(number).is_some_and(|at| report.at < at) => {
                old.push(arm.to_string());
            }
            Some(report) if !report.missing.is_empty() => {
                missing.push(format!("{arm}: {}", listed(&report.missing)));
            }
            Some(_) => {}
        }
    }
    if !missing.is_empty() {
        let what = missing.join("; ");
        return say(Warn, format!("Changes found no element on the page in the last preview: {what}."));
    }
    if !old.is_empty() {
        return say(Warn, format!("{} changed since the last preview: preview again.", listed(&old)));
    }
    if !unseen.is_empty() {
        return say(Unknown, format!("Nobody has opened the preview link of {} yet.", listed(&unseen)));
    }
    let redirects = experiment.variants.iter().any(|variant| variant.changes.iter().any(Change::is_redirect));
    match (0..experiment.arms()).any(|number| changes_something(experiment, number)) {
        true => say(Good, "Every variant was previewed, and all its changes found their elements."),
        false if redirects => say(
            Unknown,
            "Its variants redirect to other addresses, where previews report nothing: open each preview link, and check that it arrives.",
        ),
        false => say(Warn, "No variant changes anything, so there is nothing to compare."),
    }
}

fn changes_something(experiment: &Experiment, number: usize) -> bool {
    match number.checked_sub(1) {
        None => !experiment.control.code.is_blank(),
        Some(at) => experiment.variants.get(at).is_some_and(|variant| {
            // A redirect leaves the page, so it finds no element on it.
            !variant.code.is_blank() || variant.changes.iter().any(|change| !Change::is_redirect(change))
        }),
    }
}

fn goals(facts: &Facts) -> Found {
    if !facts.goals.has_primary {
        return say(Warn, "It has no primary goal, so there is no verdict: attach one.");
    }
    let Some(fired) = &facts.goals.fired else {
        return say(Unknown, "Events cannot be read now, so it is not known whether its goals are matched.");
    };
    let silent: Vec<String> = fired.iter().filter(|(_, fired)| !fired).map(|(name, _)| name.clone()).collect();
    match silent.is_empty() {
        true => say(Good, "All its goals were matched within the last day."),
        false => say(
            Warn,
            format!(
                "Not matched within the last day: {}. Check that their events arrive, unless this is a quiet day.",
                listed(&silent)
            ),
        ),
    }
}

fn audience(facts: &Facts) -> Found {
    let experiment = &facts.experiment;
    let of_variants = experiment.variants.iter().filter_map(|variant| variant.audience.as_ref());
    let audiences: Vec<&Audience> = std::iter::once(&experiment.targeting.audience).chain(of_variants).collect();
    let any = |rule: fn(&Audience) -> bool| audiences.iter().any(|audience| rule(audience));
    let (countries, regions, cities) = (
        any(|it| !it.allowed_country.is_empty()),
        any(|it| !it.allowed_region.is_empty()),
        any(|it| !it.allowed_city.is_empty()),
    );
    let named = |kinds: [(bool, &str); 3]| {
        let kinds: Vec<String> =
            kinds.iter().filter(|(is_there, _)| *is_there).map(|(_, kind)| (*kind).to_owned()).collect();
        kinds.join(" and ")
    };
    match facts.places {
        KnownPlaces::Nothing if countries || regions || cities => say(
            Warn,
            format!(
                "This server cannot locate visitors, so no visitor of a page matches a rule that asks for {}. Start \
                 it with a geographic file (--geo-database), or remove the rule.",
                named([(countries, "countries"), (regions, "regions"), (cities, "cities")])
            ),
        ),
        KnownPlaces::Countries if regions || cities => say(
            Warn,
            format!(
                "The geographic file of this server has countries only, so no visitor of a page matches a rule that asks for {}. \
                 Start it with a file that has cities, or remove the rule.",
                named([(false, ""), (regions, "regions"), (cities, "cities")])
            ),
        ),
        _ if any(|it| !it.ga4_rule.is_empty()) => say(
            Unknown,
            "Pages know a visitor's analytics audiences only if the site sends them: call identify with `audiences`. \
             The server cannot see whether it does.",
        ),
        _ if audiences.iter().all(|audience| **audience == Audience::default()) => {
            say(Good, "Every visitor of its pages can enter.")
        }
        _ => say(Good, "The server and the script can judge every rule."),
    }
}

fn weights(facts: &Facts) -> Found {
    let experiment = &facts.experiment;
    let traffic = experiment.configuration.traffic_allocation;
    if traffic == 0 {
        return say(Warn, "No visitor enters: the traffic allocation is 0 %.");
    }
    let weights = experiment.weights();
    let shares: Vec<(String, f64)> = (0u32..)
        .zip(weights.hundredths())
        .map(|(number, hundredths)| (Arm(number).to_string(), f64::from(*hundredths) / 100.0))
        .collect();
    let idle: Vec<String> = shares.iter().filter(|(_, share)| *share == 0.0).map(|(arm, _)| arm.clone()).collect();
    if !idle.is_empty() {
        return say(Warn, format!("{} gets no visitors: its weight is 0 %.", listed(&idle)));
    }
    let parts: Vec<String> = shares.iter().map(|(arm, share)| format!("{arm} {share} %")).collect();
    say(Good, format!("{traffic} % of the visitors enter. The split is {}.", parts.join(", ")))
}

fn power(facts: &Facts) -> Found {
    let Some(plan) = &facts.plan else {
        return say(Unknown, "Events cannot be read now, so it is not known how long the experiment takes.");
    };
    let (Some(needed), Some(days)) = (plan.visitors_needed, plan.days) else {
        return match &facts.assumed {
            Some(PlanningReport {
                mde,
                days: Some(days),
                daily_visitors: Some(daily),
                baseline_rate: Some(rate),
                ..
            }) if *days > LONG_DAYS => say(
                Warn,
                format!(
                    "The project's last two weeks have too little data for a plan. With {daily} visitors a day, of whom {rate} % \
                         convert, a lift of {mde} % takes about {days} days. Plan for a lift that your traffic can find."
                ),
            ),
            _ => say(Unknown, "The project's last two weeks have too little data for a plan."),
        };
    };
    let needs = format!("A lift of {} % needs {needed} visitors, which takes about {days} days", plan.mde);
    let planned = facts.experiment.plan.visitors;
    if days > LONG_DAYS {
        let found = plan.findable.iter().find(|it| it.day == GOOD_DAYS).and_then(|it| it.mde);
        let found = found.map_or_else(String::new, |mde| {
            format!(" In {GOOD_DAYS} days these visitors can find lifts of {} % and more.", (10.0 * mde).ceil() / 10.0)
        });
        return say(Warn, format!("{needs}. Look for a larger lift, or let more visitors enter.{found}"));
    }
    match planned {
        Some(planned) if (planned as f64) < needed => say(
            Warn,
            format!(
                "{needs}, and {planned} visitors are planned. With so few, a lift of this size or less is found in fewer than \
                 {} % of cases.",
                plan.power
            ),
        ),
        _ => say(Good, format!("{needs}.")),
    }
}

fn collisions(facts: &Facts) -> Found {
    let touching: Vec<String> = facts
        .collisions
        .iter()
        .filter(|collision| !collision.selectors.is_empty())
        .map(|collision| format!("{} ({})", collision.key, listed(&collision.selectors)))
        .collect();
    if !touching.is_empty() {
        return say(
            Warn,
            format!(
                "Live experiments change the same elements for the same visitors: {}. Put them into an exclusion group, or \
                 start one after the other.",
                listed(&touching)
            ),
        );
    }
    let beside: Vec<String> = facts.collisions.iter().map(|collision| collision.key.clone()).collect();
    match beside.is_empty() {
        true => say(Good, "No other live experiment is on its page."),
        false => say(Good, format!("On the same page, but not on the same elements: {}.", listed(&beside))),
    }
}

/// Lists the first texts, and the number of the others.
fn listed(texts: &[String]) -> String {
    let shown: Vec<&str> = texts.iter().take(LISTED).map(String::as_str).collect();
    match texts.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Adds a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|letter| letter.to_uppercase().collect()).unwrap_or_default();
    let whole = format!("{first}{}", letters.as_str());
    if whole.ends_with('.') { whole } else { format!("{whole}.") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use muriel_domain::Instant;
    use muriel_domain::experiment::{Status, TestType, Variant};
    use muriel_domain::ids::{CompanyId, ProjectId};
    use muriel_results::Forecast;
    use serde_json::json;

    const NOW: Instant = Instant::from_us(1_772_359_200_000_000);

    fn facts() -> Facts {
        let mut draft = Experiment::draft(CompanyId(1), ProjectId(1), TestType::AbTest, "key".into(), NOW);
        draft.url = "https://shop.example/list?q=1".into();
        let change = json!({ "target": "h1", "innerText": "x" });
        let change = Change::new(change.as_object().unwrap().clone()).unwrap();
        draft.variants = vec![Variant { changes: vec![change], ..Variant::default() }];
        draft.milestones.arms_redefined_at = vec![None, None];
        Facts {
            experiment: draft,
            conflict: None,
            needs_approval: false,
            invalid_code: None,
            previews: vec![report(1, NOW, &[])],
            pages: Some(vec![SeenPage { url: "https://shop.example/list/".into(), last_seen: NOW }]),
            plan: Some(plan(Some(8_000.0), Some(14))),
            assumed: None,
            goals: GoalFacts { has_primary: true, fired: Some(vec![("Bought".into(), true)]) },
            places: KnownPlaces::Nothing,
            collisions: Vec::new(),
        }
    }

    /// Replaces the targeting by these rules.
    fn asking(facts: &mut Facts, rules: serde_json::Value) {
        facts.experiment.targeting = serde_json::from_value(rules).unwrap();
    }

    fn report(arm: u32, at: Instant, missing: &[&str]) -> PreviewReport {
        let missing = missing.iter().map(|one| (*one).to_owned()).collect();
        PreviewReport { arm: Arm(arm), at, url: String::new(), matched: Vec::new(), missing }
    }

    fn plan(visitors_needed: Option<f64>, days: Option<i64>) -> PlanningReport {
        PlanningReport {
            mde: 5.0,
            power: 80.0,
            baseline_rate: None,
            baseline_from: None,
            daily_visitors: None,
            daily_from: None,
            visitors_needed,
            days,
            mde_by_day: Vec::new(),
            findable: vec![Forecast { day: GOOD_DAYS, visitors: 28_000.0, mde: Some(31.04) }],
        }
    }

    #[test]
    fn an_experiment_that_is_ready_has_nothing_to_look_at() {
        let items = all(&facts());
        assert!(items.iter().all(|item| item.status == Good), "{items:?}");
        assert_eq!(items.len(), 10);
        assert_eq!(items[7].sentence, "100 % of the visitors enter. The split is Control 50 %, Variant 1 50 %.");
    }

    #[test]
    fn what_each_check_finds() {
        let concluded = || "the experiment is concluded; reopen it".to_owned();
        type Row = (Check, fn(&mut Facts), CheckStatus, &'static str);
        let rows: [Row; 26] = [
            (Check::Approval, |it| it.needs_approval = true, Blocked, "propose it"),
            (Check::Code, |it| it.invalid_code = Some("custom_js: no".into()), Warn, "Custom_js: no."),
            (Check::Script, |it| it.pages = None, Unknown, "cannot be read"),
            (Check::Script, |it| it.pages = Some(vec![]), Unknown, "Put the snippet on https://shop.example/list and"),
            (
                Check::Script,
                |it| it.pages = Some(vec![SeenPage { url: "https://shop.example/".into(), last_seen: NOW }]),
                Warn,
                "Other pages have the script, but https://shop.example/list has not sent events in the last seven days.",
            ),
            (Check::Preview, |it| it.previews.clear(), Unknown, "preview link of Variant 1"),
            (Check::Preview, |it| it.previews[0].missing = vec!["h1".into()], Warn, "Variant 1: h1."),
            (
                Check::Preview,
                |it| it.experiment.milestones.arms_redefined_at = vec![None, Some(NOW.plus_us(1))],
                Warn,
                "Variant 1 changed since",
            ),
            (Check::Preview, |it| it.experiment.variants[0].changes.clear(), Warn, "nothing to compare"),
            (Check::Preview, |it| it.experiment.control.code.css = ".a{}".into(), Unknown, "preview link of Control"),
            (Check::Goals, |it| it.goals.has_primary = false, Warn, "no primary goal"),
            (Check::Goals, |it| it.goals.fired = None, Unknown, "cannot be read"),
            (
                Check::Goals,
                |it| it.goals.fired = Some(vec![("Bought".into(), true), ("Seen".into(), false)]),
                Warn,
                "within the last day: Seen.",
            ),
            (Check::Weights, |it| it.experiment.configuration.traffic_allocation = 0, Warn, "No visitor enters"),
            (Check::Power, |it| it.plan = None, Unknown, "cannot be read"),
            (Check::Power, |it| it.plan = Some(plan(None, None)), Unknown, "too little"),
            (Check::Power, |it| it.plan = Some(plan(Some(9.0), Some(90))), Good, "about 90 days."),
            (
                Check::Power,
                |it| it.plan = Some(plan(Some(9.0), Some(91))),
                Warn,
                "In 28 days these visitors can find lifts of 31.1 % and more.",
            ),
            (
                Check::Power,
                |it| {
                    it.plan = Some(plan(None, None));
                    let known = PlanningReport {
                        daily_visitors: Some(1_000.0),
                        baseline_rate: Some(5.0),
                        ..plan(Some(9.0), Some(2_883))
                    };
                    it.assumed = Some(known);
                },
                Warn,
                "With 1000 visitors a day, of whom 5 % convert, a lift of 5 % takes about 2883 days.",
            ),
            (
                Check::Audience,
                |it| {
                    asking(it, json!({ "allowed_country": [{ "name": "Germany", "code": "DE", "rule": "whitelist" }] }))
                },
                Warn,
                "a rule that asks for countries. Start it with a geographic file",
            ),
            (
                Check::Audience,
                |it| {
                    it.places = KnownPlaces::Countries;
                    asking(it, json!({ "allowed_city": [{ "name": "Berlin (Berlin)", "rule": "equal" }] }));
                },
                Warn,
                "countries only, so no visitor of a page matches a rule that asks for cities",
            ),
            (Check::Audience, |it| asking(it, json!({ "ga4_rule": ["Loyal"] })), Unknown, "if the site sends them"),
            (Check::Audience, |it| asking(it, json!({ "device_rule": ["mobile"] })), Good, "can judge every rule"),
            (
                Check::Power,
                |it| it.experiment.plan.visitors = Some(7_999),
                Warn,
                "7999 visitors are planned. With so few, a lift of this size or less is found in fewer than 80 % of cases.",
            ),
            (
                Check::Collisions,
                |it| it.collisions = vec![Collision { key: "other".into(), selectors: vec!["h1".into()] }],
                Warn,
                "other (h1)",
            ),
            (
                Check::Collisions,
                |it| it.collisions = vec![Collision { key: "other".into(), selectors: vec![] }],
                Good,
                "not on the same elements: other.",
            ),
        ];
        for (check, change, status, part) in rows {
            let mut facts = facts();
            change(&mut facts);
            let found = all(&facts).into_iter().find(|item| item.check == check).unwrap();
            assert_eq!(found.status, status, "{part}: {}", found.sentence);
            assert!(found.sentence.contains(part), "{part}: {}", found.sentence);
        }
        let blocked = Facts { conflict: Some(concluded()), ..facts() };
        assert_eq!(all(&blocked)[0].sentence, "The experiment is concluded; reopen it.");
        let live = facts().experiment.moved(Status::Live, NOW).unwrap();
        assert_eq!(all(&Facts { experiment: live, ..facts() })[0].sentence, "It is live.");
    }

    #[test]
    fn long_lists_are_cut() {
        let texts: Vec<String> = (1..=7).map(|number| number.to_string()).collect();
        assert_eq!(listed(&texts), "1, 2, 3, 4, 5 and 2 more");
    }
}
