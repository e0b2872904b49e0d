//! Schemas of closed lists of words and numbers, and of times.

use muriel_delivery::script::Part;
use muriel_domain::access::Scope;
use muriel_domain::page;
use muriel_domain::person;
use muriel_domain::{exclusion, experiment, goal, targeting};
use muriel_results::suspects::Oddity;
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// Words of a list that pairs each with its value.
fn words<T, const N: usize>(list: [(&'static str, T); N]) -> [&'static str; N] {
    list.map(|(word, _)| word)
}

/// Schemas that the derive macro does not support: numbers and words from closed lists.
macro_rules! closed {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ident $values:expr;)*) => {$(
        $(#[doc = $doc])*
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                ObjectBuilder::new()
                    .schema_type(Type::$kind)
                    .description(Some(concat!($($doc),*).trim()))
                    .enum_values(Some($values))
                    .into()
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )*};
}

closed! {
    /// A part of the script.
    PartName: String Part::ALL.map(Part::name);
    /// 0 or 1.
    Flag: Integer [0, 1];
    /// 9 draft, 1 live, 0 inactive.
    StatusCode: Integer [9, 1, 0];
    /// `abtest` changes the page, `split` redirects to other pages, `personalization` gives each variant its own
    /// audience.
    TestType: String words(experiment::TestType::WORDS);
    /// Distribution of traffic: equal, by chosen weights, or by the bandit.
    DistributionMode: String ["equal", "custom", "mab"];
    /// `paused` when its weight is 0.
    ArmStatus: String ["active", "paused"];
    /// Event that webhooks can receive.
    EventName: String muriel_domain::webhook::EventType::WORDS.iter().map(|(word, _)| *word);
    /// Event in an inbox: an event of webhooks, or one that concerns only its reader.
    InboxEvent: String muriel_domain::inbox::Notice::words();
    /// `pending` waits for an attempt, `delivered` was delivered, `failed` is not retried.
    DeliveryStatus: String ["pending", "delivered", "failed"];
    /// Reason why an epoch began.
    Reason: String words(experiment::Reason::WORDS);
    /// Action of the clock on an experiment.
    ClockAct: String words(experiment::ClockAct::WORDS);
    /// Rule by which the clock acts, which a setting in `configuration` switches on.
    ClockRule: String words(experiment::Rule::WORDS);
    /// Kind of event that counts as a conversion.
    GoalType: String words(goal::GoalType::WORDS);
    /// Purpose of a goal.
    GoalPurpose: String words(goal::Purpose::WORDS);
    /// `exclusion`: its experiments share no visitor. `holdout`: its visitors do not enter experiments.
    GroupKind: String ["exclusion", "holdout"];
    /// All experiments of the project, including later ones.
    WholeProject: String ["project"];
    /// Operator of a comparison. Some have two spellings: `gt` and `>` mean the same.
    Operator: String targeting::Operator::spellings();
    /// Condition that must hold, or must not.
    Match: String words(targeting::Match::WORDS);
    /// Includes or excludes.
    CountryMode: String words(targeting::CountryMode::WORDS);
    /// Comparison with a page's URL.
    UrlMatch: String words(targeting::UrlMatch::WORDS);
    /// A kind of device.
    Device: String targeting::DEVICES;
    /// A browser.
    Browser: String targeting::BROWSERS;
    /// An operating system.
    System: String targeting::SYSTEMS;
    /// A day of the week.
    Day: String targeting::DAYS;
    /// Reason for an assignment. docs/assignment.md explains each.
    AssignmentReason: String [
        "split", "sticky", "forced", "served", "holdout", "disabled", "rollout", "excluded", "traffic", "targeting",
        "unknown", "audience", "variant_gone",
    ];
    /// Error of an evaluation request.
    EvaluationErrorCode: String ["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"];
    /// Visitor's answer to the consent question.
    ConsentWord: String ["granted", "denied", "unknown"];
    /// Type of event.
    EventType: String words(muriel_log::EventKind::WORDS);
    /// `ok`: stored durably. `duplicate`: was stored before. `invalid`: not stored.
    EventStatus: String ["ok", "duplicate", "invalid"];
    /// Outcome of a check.
    StepOutcome: String ["pass", "fail", "unknown", "not_enforced"];
    /// Role of a person: `viewer` reads, `editor` also creates and changes experiments, `admin` also changes settings,
    /// keys and people, `owner` also changes other owners.
    RoleName: String words(person::Role::WORDS);
    /// Permission of an API key.
    ScopeName: String Scope::ALL.map(Scope::name);
    /// Behaviour before a visitor has answered the consent question: `assumed` (recorded unless denied), `required`
    /// (nothing is decided, stored or sent), `memory` (decided and shown, not stored; sent once consent is granted).
    ConsentMode: String words(page::ConsentMode::WORDS);
    /// Events that count: `any`, `signed` (with the visitor's signature or with an API key) or `keyed` (with an API key).
    TrustPolicy: String words(muriel_domain::trust::TrustPolicy::WORDS);
    /// Outcome of an experiment: a variant `won`, the control was better (`lost`), no relevant difference or not enough
    /// data (`inconclusive`), `stopped_early`, or the data cannot be used (`invalid`).
    ConclusionOutcome: String words(experiment::ConclusionOutcome::WORDS);
    /// Reason why a concluded experiment has no expected lift.
    NoEstimate: String words(muriel_results::programme::NoEstimate::WORDS);
    /// Purpose of a link.
    LinkPurpose: String ["first_owner", "invitation", "reset"];
    /// Field that a person who accepts a link must send.
    LinkField: String ["email", "name", "password", "company"];
    /// Kind of actor: a person, an API key, or the server including its command line.
    ActorKind: String ["person", "key", "system"];
    /// Verdict of a metric about the variants.
    VerdictWord: String ["win", "loss", "no_difference", "keep_running", "do_not_trust"];
    /// Outcome of a health check; `unknown` when there is no data.
    GradeWord: String ["ok", "warn", "fail", "unknown"];
    /// Comparison of a variant's pages with the control's.
    PageStatusWord: String ["unknown", "ok", "better", "worse", "harmed"];
    /// Check before a start.
    ChecklistCheck: String ["lifecycle", "approval", "code", "script", "preview", "goals", "audience", "weights", "power", "collisions"];
    /// `blocked` prevents the start; `unknown` when there is no data yet.
    ChecklistStatus: String ["ok", "warn", "blocked", "unknown"];
    /// State of a proposal.
    ProposalState: String ["open", "approved", "rejected", "withdrawn"];
    /// Property by which recorded visits are excluded from results.
    ExclusionKind: String words(exclusion::ExclusionKind::WORDS);
    /// Property by which visitors stand out.
    SuspectOddity: String words(Oddity::WORDS);
    /// State of a link to a result.
    ShareState: String ["open", "expired", "revoked"];
    /// Role of a goal in the experiment.
    GoalRole: String ["primary", "secondary"];
    /// Rate of false alarms compared with the promised one: `kept`, `broken`, or `open` when the simulation cannot
    /// tell.
    SimulationPromise: String ["kept", "open", "broken"];
    /// Measure of a simulated goal.
    SimulationMeasure: String ["conversion", "revenue"];
    /// Source of a number: the request, the project's last two weeks, or a default.
    NumberSource: String ["flag", "project", "default"];
    /// Metric that needs no goal.
    BuiltinMetric: String experiment::BUILTIN_METRICS;
}

/// A time. Parsed as ISO 8601 with an offset, or as a date, which stands for midnight in UTC. Shown in UTC with
/// milliseconds.
pub(crate) struct Moment;

impl PartialSchema for Moment {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::SchemaType::from_iter([Type::String, Type::Null]))
            .description(Some("A date-time with an offset, or a date (midnight in UTC); null for none."))
            .into()
    }
}

impl ToSchema for Moment {
    fn name() -> Cow<'static, str> {
        "Moment".into()
    }
}
