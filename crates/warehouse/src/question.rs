//! Questions that a warehouse answers.

use std::sync::Arc;

use muriel_assign::document::GroupRange;
use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, Trigger};
use muriel_domain::trust::TrustPolicy;

/// Asks for the outcomes of the visitors of one experiment or one holdout.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentQuestion {
    /// Key of the project with the experiment.
    pub project_key: Arc<str>,
    /// Rule of who enters, and into which arm.
    pub population: Population,
    /// Time of the experiment's first start, or of the holdout's start; `None` if unknown. Earlier exposures are
    /// ignored, even those sent with an API key, because they cannot be real. Earlier events do not make a visitor
    /// enter a holdout.
    pub started_at: Option<Instant>,
    /// Counts visitors who entered at or after this time; `None` for no limit.
    pub from: Option<Instant>,
    /// Counts visitors who entered before this time, and events before it; `None` for no
    /// limit.
    pub until: Option<Instant>,
    /// Counts only visitors who entered in this epoch; `None` for all epochs.
    pub epoch: Option<i64>,
    /// Epochs and their start times. An exposure without an epoch, or with one after the last of these, is assigned by
    /// its time: to the last epoch that had started, or the first if none had. If the list is empty, the exposure's own
    /// epoch counts, or 0.
    pub epochs: Vec<(i64, Instant)>,
    /// Number of arms including the control. Exposures to an arm with this number or a greater one are ignored.
    pub arms: u32,
    /// Exposures and orders that do not count because of who sent them.
    pub policy: Policy,
    /// Counts only visitors who match this filter.
    pub filter: Filter,
    /// Splits the visitors into segments by this dimension.
    pub breakdown: Option<Dimension>,
    /// True to return the change of each metric per quarter of an hour.
    pub by_quarter: bool,
    /// The current time. Windows that end after it, or after `until`, are still open.
    pub as_of: Instant,
    /// The metrics to compute, in the order of the answer.
    pub metrics: Vec<Metric>,
}

/// Rule of who enters, when, and into which arm.
#[derive(Debug, Clone, PartialEq)]
pub enum Population {
    /// Visitors who were exposed to an experiment. A visitor enters with the first exposure that was not a bot's,
    /// ordered by time and then by id. That exposure determines the arm, the epoch and every attribute; later exposures
    /// change nothing. If a visitor has an exposure that was sent with an API key, by a bot or not, the exposures
    /// without a key are ignored.
    Exposed {
        /// Id of the experiment.
        test_id: i64,
    },
    /// All visitors with any event, at the time of the first. Arm 0 are those whose position is in this group range,
    /// arm 1 is everybody else. Exposures do not count, because held-out visitors have none. Visitors have no
    /// attributes, so a filter matches nobody.
    Holdout(GroupRange),
}

/// Exposures and orders that count, by who sent them. Everything else is ignored as if it had not been sent. Holdouts,
/// whose visitors have no exposures, ignore what this says about visitors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Exposures that count.
    pub visitors: TrustPolicy,
    /// Orders and refunds that count.
    pub orders: TrustPolicy,
    /// Origins of the pages whose exposures count; empty for all. Exposures that were sent with an API key and those
    /// without an address count in any case.
    pub page_origins: Vec<String>,
    /// Exposures that do not count.
    pub exclusions: Vec<Exclusion>,
}

/// Exposures that do not count: those with this property, within a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exclusion {
    /// The property.
    pub by: ExcludedBy,
    /// Only exposures at or after this time; `None` for no limit.
    pub from: Option<Instant>,
    /// Only exposures before this time; `None` for no limit.
    pub until: Option<Instant>,
}

/// Property of exposures that do not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExcludedBy {
    /// Hash of the visitor's id: see [`hash_of`](super::hash_of).
    Visitor(String),
    /// Hash of the visitor's network, as answers by [`Dimension::Network`] have it.
    Network(String),
    /// Origin of the page, such as `https://shop.example`.
    Origin(String),
    /// Words that are each the browser, the system or the device.
    UserAgent(Vec<String>),
    /// Traffic source, such as `paid`.
    Source(String),
    /// Any: all exposures of the period.
    Time,
}

/// Attributes that visitors must have had when they entered. An empty list matches all
/// visitors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// The device equals each of these, so two different ones match nobody.
    pub devices: Vec<String>,
    /// The visitor type equals each of these: `new` or `returning`.
    pub user_types: Vec<String>,
    /// The traffic source equals each of these: `direct`, `search`, `paid`…
    pub sources: Vec<String>,
    /// The country is one of these.
    pub countries: Vec<String>,
}

/// Attribute of a visitor at entry, by which reports can be broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Device type: `desktop`, `mobile`, `tablet`.
    Device,
    /// Browser: `chrome`, `safari`…
    Browser,
    /// Operating system: `windows`, `macOS`…
    Os,
    /// Country code, ISO 3166-1 alpha-2.
    Country,
    /// Visitor type: `new` or `returning`.
    UserType,
    /// URL of the first page of the visit, without query and fragment.
    LandingPage,
    /// Host of the referring page.
    Referrer,
    /// `utm_source` of the landing page.
    UtmSource,
    /// `utm_medium` of the landing page.
    UtmMedium,
    /// `utm_campaign` of the landing page.
    UtmCampaign,
    /// Hash of the network, in hexadecimal digits. Visitors who entered with a key have none. Not a dimension of the API.
    Network,
}

impl Dimension {
    /// Every dimension with its name in the API, which is also the column's name.
    pub const WORDS: [(&'static str, Dimension); 10] = [
        ("device", Dimension::Device),
        ("browser", Dimension::Browser),
        ("os", Dimension::Os),
        ("country", Dimension::Country),
        ("user_type", Dimension::UserType),
        ("landing_page", Dimension::LandingPage),
        ("referrer", Dimension::Referrer),
        ("utm_source", Dimension::UtmSource),
        ("utm_medium", Dimension::UtmMedium),
        ("utm_campaign", Dimension::UtmCampaign),
    ];

    /// Name of the dimension in the API.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, other)| *other == self).map_or("network", |(word, _)| word)
    }
}

/// A number to compute for each visitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The events that count.
    pub outcome: CountedOutcome,
    /// Conversion window: microseconds after entry within which events count; `None` for no
    /// end. [`CountedOutcome::Bounce`] and [`CountedOutcome::Engagement`] ignore this and use
    /// [`VISIT_AFTER_ENTRY_US`].
    pub window_us: Option<i64>,
    /// Number of events that make a conversion, from 1.
    pub min_count: i64,
    /// Maximum value that one visitor contributes, for an outcome with a value. `None` for
    /// the default cap, over all arms together: the largest thousandth of the buyers'
    /// values, and at least one, is reduced to the next largest value.
    pub cap: Option<f64>,
    /// Maximum plausible value of an order, for an outcome with a value. Larger orders are excluded and their number is
    /// returned. `None` for [`MAX_ORDER_FACTOR`] times the largest order sent with an API key, which then limits only
    /// orders without a key. There is no limit if fewer than one in [`MIN_TRUSTED_ONE_IN`] buyers have an order sent
    /// with a key.
    pub max_order_value: Option<f64>,
    /// Currency of values, ISO 4217. `None` for the currency of most buyers with orders sent with an API key or, if
    /// there are none, of most buyers.
    pub currency: Option<String>,
    /// Period before entry, in microseconds, in which the same outcome is counted as the CUPED covariate; `None` for no
    /// covariate. Bounce and engagement have none.
    pub before_us: Option<i64>,
    /// Exchange rates for orders in other currencies. `None` excludes those orders.
    pub exchange: Option<Arc<ExchangeRates>>,
}

impl Metric {
    /// Creates a metric without a window or covariate, for which one event is a conversion, with the default cap, order
    /// limit and currency.
    pub fn new(outcome: CountedOutcome) -> Self {
        Self {
            outcome,
            window_us: None,
            min_count: 1,
            cap: None,
            max_order_value: None,
            currency: None,
            before_us: None,
            exchange: None,
        }
    }
}

/// Exchange rates into one currency.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExchangeRates {
    /// Target currency, ISO 4217.
    pub currency: String,
    /// Rates by time. Spans of one currency do not overlap.
    pub spans: Vec<RateSpan>,
}

/// The exchange rate of one currency during a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSpan {
    /// Source currency, ISO 4217.
    pub currency: String,
    /// Start of the period, inclusive, by the time of the order.
    pub since: Instant,
    /// End of the period, exclusive; `None` for no end.
    pub until: Option<Instant>,
    /// Value of one unit of `currency` in the target currency, times [`RATE_UNITS`](muriel_domain::rates::RATE_UNITS).
    pub rate: i64,
}

/// The outcome that a metric counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountedOutcome {
    /// Events of a goal. For a revenue goal, their value counts as well.
    Goal(Trigger),
    /// A custom event or an order with this name.
    Event(String),
    /// No interaction (click, submit, custom event, order, script) and at most one
    /// page view, from [`VISIT_BEFORE_ENTRY_US`] before entry to [`VISIT_AFTER_ENTRY_US`] after it,
    /// and later in the session in which the visitor entered.
    Bounce,
    /// In the same period: an interaction, two page views, a scroll depth of 50 % or more, or
    /// 10 seconds or more on a page.
    Engagement,
}

impl CountedOutcome {
    /// Returns whether the outcome has a value per visitor, and not only a count.
    pub fn has_value(&self) -> bool {
        matches!(self, CountedOutcome::Goal(trigger) if trigger.goal_type() == GoalType::Revenue)
    }
}

/// Time after entry that belongs to the visit, regardless of the session: 30 minutes.
pub const VISIT_AFTER_ENTRY_US: i64 = 30 * 60 * 1_000_000;

/// Time before entry that belongs to the visit: 5 seconds, because the page view that leads
/// to an exposure may be sent before it.
pub const VISIT_BEFORE_ENTRY_US: i64 = 5 * 1_000_000;

/// Length of a time step, aligned to UTC: 15 minutes, because every time zone's days begin
/// at such a step.
pub const QUARTER_US: i64 = 15 * 60 * 1_000_000;

/// Number of visitors from which on an order number counts as shared. A receipt that is passed on has two.
pub const SHARED_BY: u64 = 3;
/// Period before entry, in microseconds, within which an event is just before it. The clocks of two systems can differ
/// by as much, and one of them may store whole seconds.
pub const JUST_BEFORE_US: i64 = 5_000_000;
/// Maximum value of an order without an API key, as a multiple of the largest order sent with a key.
pub const MAX_ORDER_FACTOR: i64 = 10;

/// At least one in this many buyers must have an order sent with an API key before these orders set the limit. A single
/// test order sent with a key does not represent the others.
pub const MIN_TRUSTED_ONE_IN: u64 = 10;

/// Maximum number of segments of a breakdown; the remaining ones are combined into
/// [`Segment::Rest`](super::Segment::Rest).
pub const SEGMENTS_MAX: usize = 50;

/// Maximum number of segments of a breakdown by network. More than others have, because invented visitors can come from a
/// network that is not among a site's largest.
pub(crate) const NETWORKS_MAX: usize = 1_000;

/// Asks for the outcomes of an experiment's visitors who also entered another one, by their arms in both.
#[derive(Debug, Clone, PartialEq)]
pub struct PairQuestion {
    /// The experiment whose first metric is computed, for visitors at their entry into it. It has no breakdown and is
    /// not by quarter.
    pub experiment: ExperimentQuestion,
    /// The other experiment, of the same project: who entered it, when, and into which arm. Its metrics are ignored.
    pub other: ExperimentQuestion,
}

/// Maximum number of experiments in a [`SharedQuestion`].
pub const SHARED_TESTS_MAX: usize = 60;

/// Asks how many visitors each pair of some experiments has in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedQuestion {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Ids of the experiments, without duplicates; at most [`SHARED_TESTS_MAX`].
    pub test_ids: Vec<i64>,
}

/// Asks how many visitors a project had and how many converted, in an experiment or not. Used to plan an experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficQuestion {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this time on.
    pub from: Instant,
    /// Counts events before this time.
    pub until: Instant,
    /// Conversion to count, from a visitor's first event in this period on; `None` counts visitors only.
    pub metric: Option<Metric>,
}

/// Asks for the outcome of each visitor of a project from the first event on, to simulate an experiment without an
/// effect.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitorsQuestion {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this time on.
    pub from: Instant,
    /// Counts events before this time.
    pub until: Instant,
    /// Metric to compute for each visitor; its covariate is ignored.
    pub metric: Metric,
    /// Maximum number of visitors. Those with the smallest hashes are returned: a reproducible sample that does not
    /// depend on behaviour.
    pub limit: u64,
}

/// Asks for the number of a goal's events, for all visitors.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityQuestion {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this time on.
    pub from: Instant,
    /// Counts events before this time.
    pub until: Instant,
    /// Trigger that events must match.
    pub trigger: Trigger,
}

/// Asks which pages of a project sent events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagesQuestion {
    /// Key of the project.
    pub project_key: Arc<str>,
    /// Considers events from this time on.
    pub from: Instant,
    /// Considers events before this time.
    pub until: Instant,
    /// Maximum number of pages. Those with the latest views are returned.
    pub limit: usize,
}
