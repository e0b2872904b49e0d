//! Closed lists of words and numbers, and moments.

use muriel_domain::access::Scope;
use muriel_domain::page;
use muriel_domain::person;
use muriel_domain::{experiment, goal, targeting};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The words of a list that pairs each with its value.
fn words<T, const N: usize>(list: [(&'static str, T); N]) -> [&'static str; N] {
    list.map(|(word, _)| word)
}

/// Shapes that the derive macro cannot say: numbers and words from closed lists.
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
    PartName: String ["source", "changes", "split", "goals", "orders"];
    /// 0 or 1.
    Flag: Integer [0, 1];
    /// 9 draft, 1 live, 0 inactive.
    StatusCode: Integer [9, 1, 0];
    /// `abtest` changes the page, `split` sends to other pages, `personalization` gives each variant its audience.
    TestType: String words(experiment::TestType::WORDS);
    /// How the arms share: evenly, by chosen weights, or moved by the bandit.
    DistributionMode: String ["equal", "custom", "mab"];
    /// `paused` at a share of 0.
    ArmStatus: String ["active", "paused"];
    /// An event that webhooks are told.
    EventName: String muriel_domain::webhook::EventType::WORDS.iter().map(|(word, _)| *word);
    /// What people are told: an event of webhooks, or what concerns them alone.
    InboxEvent: String muriel_domain::inbox::Notice::words();
    /// `pending` waits for an attempt, `delivered` has arrived, `failed` is not tried again.
    DeliveryStatus: String ["pending", "delivered", "failed"];
    /// What opened an epoch.
    Reason: String words(experiment::Reason::WORDS);
    /// What the clock does to an experiment.
    ClockAct: String words(experiment::ClockAct::WORDS);
    /// The rule by which the clock acts; configuration has its setting.
    ClockRule: String words(experiment::Rule::WORDS);
    /// What counts as a conversion.
    GoalType: String words(goal::GoalType::WORDS);
    /// What a goal is for.
    GoalPurpose: String words(goal::Purpose::WORDS);
    /// `exclusion` keeps experiments apart, `holdout` keeps visitors out of experiments.
    GroupKind: String ["exclusion", "holdout"];
    /// Every experiment of the project, also those that are made later.
    WholeProject: String ["project"];
    /// How a value is compared; `gt` and `>` mean the same, and so on.
    Operator: String targeting::Operator::spellings();
    /// Must hold, or must not.
    Match: String words(targeting::Match::WORDS);
    /// Lets in, or keeps out.
    CountryMode: String words(targeting::CountryMode::WORDS);
    /// How a page's URL is compared.
    UrlMatch: String words(targeting::UrlMatch::WORDS);
    /// A kind of device.
    Device: String targeting::DEVICES;
    /// A browser.
    Browser: String targeting::BROWSERS;
    /// An operating system.
    System: String targeting::SYSTEMS;
    /// A day of the week.
    Day: String targeting::DAYS;
    /// Why a visitor gets what it gets; docs/assignment.md explains each.
    AssignmentReason: String [
        "split", "sticky", "forced", "served", "holdout", "disabled", "rollout", "excluded", "traffic", "targeting",
        "unknown", "audience", "variant_gone",
    ];
    /// What is wrong with a question.
    EvaluationErrorCode: String ["PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL"];
    /// What the visitor said about being recorded.
    ConsentWord: String ["granted", "denied", "unknown"];
    /// What happened.
    EventType: String words(muriel_log::EventKind::WORDS);
    /// `ok` is durable, `duplicate` was there already, `invalid` was not taken.
    EventStatus: String ["ok", "duplicate", "invalid"];
    /// How a check went.
    StepOutcome: String ["pass", "fail", "unknown", "not_enforced"];
    /// What a person may do: `viewer` reads, `editor` also makes and changes experiments, `admin` also settings, keys and
    /// people, `owner` also other owners.
    RoleName: String words(person::Role::WORDS);
    /// A permission.
    ScopeName: String Scope::ALL.map(Scope::name);
    /// What happens before a visitor has answered the consent question: `assumed` (recorded unless denied), `required`
    /// (nothing is decided, stored or sent), `memory` (decided and shown, not stored, sent once consent is granted).
    ConsentMode: String words(page::ConsentMode::WORDS);
    /// How an experiment ended: a variant `won`, the control did better (`lost`), there is no difference that matters or not
    /// enough to tell (`inconclusive`), it was `stopped_early`, or its numbers cannot be used (`invalid`).
    ConclusionOutcome: String words(experiment::ConclusionOutcome::WORDS);
    /// Why a concluded experiment has no expected lift.
    NoEstimate: String words(muriel_results::programme::NoEstimate::WORDS);
    /// What a link is for.
    LinkPurpose: String ["first_owner", "invitation", "reset"];
    /// What somebody with a link has to send.
    LinkField: String ["email", "name", "password", "company"];
    /// Who did something: a person, an API key, or the server and its command line.
    ActorKind: String ["person", "key", "system"];
    /// What a metric says of the variants.
    VerdictWord: String ["win", "loss", "no_difference", "keep_running", "do_not_trust"];
    /// How a health check went; `unknown` has nothing to look at.
    GradeWord: String ["ok", "warn", "fail", "unknown"];
    /// How the pages of an arm compare with the control's.
    PageStatusWord: String ["unknown", "ok", "better", "worse", "harmed"];
    /// What is looked at before a start.
    ChecklistCheck: String ["lifecycle", "approval", "code", "script", "preview", "goals", "audience", "weights", "power", "collisions"];
    /// `blocked` is what makes a start be refused; `unknown` is what there is nothing to tell from yet.
    ChecklistStatus: String ["ok", "warn", "blocked", "unknown"];
    /// What became of a proposal.
    ProposalState: String ["open", "approved", "rejected", "withdrawn"];
    /// Whether a link to a result works.
    ShareState: String ["open", "expired", "revoked"];
    /// Whether a goal decides, or is a further one.
    GoalRole: String ["primary", "secondary"];
    /// Whether false alarms are at most as many as promised.
    SimulationPromise: String ["kept", "open", "broken"];
    /// What a simulated goal counts.
    SimulationMeasure: String ["conversion", "revenue"];
    /// Where a number is from: the request, the project's last two weeks, or assumed.
    NumberSource: String ["flag", "project", "default"];
    /// A metric that needs no goal.
    BuiltinMetric: String experiment::BUILTIN_METRICS;
}

/// A moment: read as ISO 8601 with an offset, or as a date, which is its midnight
/// in UTC; shown in UTC with milliseconds.
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
