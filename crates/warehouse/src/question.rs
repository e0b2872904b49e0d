//! The questions that a warehouse answers.

use std::sync::Arc;

use muriel_assign::document::GroupStretch;
use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, Trigger};

/// Asks what the visitors of one experiment, or of one holdout, did.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentQuestion {
    /// The key of the project that the experiment is in.
    pub project_key: Arc<str>,
    /// Who enters, and into which arm.
    pub population: Population,
    /// When the experiment first started, or the holdout began; `None` if unknown. Earlier
    /// exposures are ignored, vouched for or not: they cannot be real. Nobody enters a holdout
    /// by an earlier event.
    pub started_at: Option<Instant>,
    /// Counts visitors who entered at or after this time; `None` for no limit.
    pub from: Option<Instant>,
    /// Counts visitors who entered before this time, and events before it; `None` for no
    /// limit.
    pub until: Option<Instant>,
    /// Counts only visitors who entered in this epoch; `None` for all epochs.
    pub epoch: Option<i64>,
    /// The epochs and their start times. An exposure without an epoch, or with one after the
    /// last of these, is assigned by its time: to the last epoch that had started, or the
    /// first if none had. If the list is empty, the exposure's own epoch counts, or 0.
    pub epochs: Vec<(i64, Instant)>,
    /// Number of arms including the control. Exposures to arms with this number or a greater
    /// one are ignored.
    pub arms: u32,
    /// Counts only visitors who match this filter.
    pub filter: Filter,
    /// Splits the visitors into segments by this dimension.
    pub breakdown: Option<Dimension>,
    /// Whether to return the change of each metric per quarter of an hour.
    pub by_quarter: bool,
    /// The current time. Windows that end after it, or after `until`, are still open.
    pub as_of: Instant,
    /// The metrics to compute, in the order of the answer.
    pub metrics: Vec<Metric>,
}

/// Who enters, when, and into which arm.
#[derive(Debug, Clone, PartialEq)]
pub enum Population {
    /// Visitors who were exposed to an experiment. A visitor enters with the first exposure
    /// that was not a bot's, ordered by time and then by id. That exposure determines the
    /// arm, the epoch and every attribute; later exposures change nothing. If a visitor has an
    /// exposure that was sent with an API key (vouched for), by a bot or not, the exposures
    /// without a key are ignored.
    Exposed {
        /// The id of the experiment.
        test_id: i64,
    },
    /// Everybody who did anything, by the first of it: arm 0 are those whose place on the
    /// group's line is in this stretch, arm 1 is everybody else. Exposures do not count, as
    /// those who are held out have none. Visitors have no attributes, so that a filter matches
    /// nobody.
    Holdout(GroupStretch),
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

/// An attribute that a visitor has when entering, by which reports can be broken down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// `desktop`, `mobile`, `tablet`.
    Device,
    /// `chrome`, `safari`…
    Browser,
    /// `windows`, `macOS`…
    Os,
    /// Country code, ISO 3166-1 alpha-2.
    Country,
    /// `new` or `returning`.
    UserType,
    /// The URL of the page on which the visit began, without query and fragment.
    LandingPage,
    /// The host of the referring page.
    Referrer,
    /// `utm_source` of the landing page.
    UtmSource,
    /// `utm_medium` of the landing page.
    UtmMedium,
    /// `utm_campaign` of the landing page.
    UtmCampaign,
}

impl Dimension {
    /// Every dimension with its name in the API, which is also its column's name.
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

    /// Its name in the API.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, other)| *other == self).map_or("", |(word, _)| word)
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
    /// Maximum plausible value of an order, for an outcome with a value. Larger orders are
    /// excluded and their number is returned. `None` for [`MAX_ORDER_FACTOR`] times the
    /// largest vouched-for order, which then limits only the other orders; there is no
    /// limit if fewer than one in [`MIN_VOUCHED_ONE_IN`] buyers are vouched for.
    pub max_order_value: Option<f64>,
    /// The currency of values, ISO 4217. `None` for the currency of most vouched-for buyers
    /// or, if there are none, of most buyers.
    pub currency: Option<String>,
    /// Microseconds before entry in which the same outcome is counted as the CUPED
    /// covariate; `None` for no covariate. Bounce and engagement have none.
    pub before_us: Option<i64>,
    /// Exchange rates for orders in other currencies. `None` excludes those orders.
    pub exchange: Option<Arc<ExchangeRates>>,
}

impl Metric {
    /// A metric without a window or covariate, for which one event is a conversion, with the
    /// default cap, order limit and currency.
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
    /// The target currency, ISO 4217.
    pub currency: String,
    /// The rates by time. Spans of one currency do not overlap.
    pub spans: Vec<RateSpan>,
}

/// The exchange rate of one currency during a period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSpan {
    /// The source currency, ISO 4217.
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
    /// The events of a goal. For a revenue goal, their value counts as well.
    Goal(Trigger),
    /// A custom event or an order of this name.
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
    /// Whether the outcome has a value per visitor, and not only a count.
    pub fn has_value(&self) -> bool {
        matches!(self, CountedOutcome::Goal(trigger) if trigger.goal_type() == GoalType::Revenue)
    }
}

/// Time after entry that belongs to the visit, whatever the session: 30 minutes.
pub const VISIT_AFTER_ENTRY_US: i64 = 30 * 60 * 1_000_000;

/// Time before entry that belongs to the visit: 5 seconds, because the page view that leads
/// to an exposure may be sent before it.
pub const VISIT_BEFORE_ENTRY_US: i64 = 5 * 1_000_000;

/// Length of a time step, aligned to UTC: 15 minutes, because every time zone's days begin
/// at such a step.
pub const QUARTER_US: i64 = 15 * 60 * 1_000_000;

/// Visitors from which on an order number is shared: a receipt that is passed on has two.
pub const SHARED_BY: u64 = 3;
/// How long before entry an event is just before it, in microseconds: clocks of two systems differ by as much, and one of them may
/// write whole seconds.
pub const JUST_BEFORE_US: i64 = 5_000_000;
/// Maximum value of an order that is not vouched for, as a multiple of the largest
/// vouched-for order.
pub const MAX_ORDER_FACTOR: i64 = 10;

/// At least one in this many buyers must be vouched for before their orders set the limit:
/// a single test order sent with an API key does not represent the others.
pub const MIN_VOUCHED_ONE_IN: u64 = 10;

/// Maximum number of segments of a breakdown; the remaining ones are combined into
/// [`Segment::Rest`](super::Segment::Rest).
pub const SEGMENTS_MAX: usize = 50;

/// Asks what the visitors of an experiment did who entered another one too, by their arms of both.
#[derive(Debug, Clone, PartialEq)]
pub struct PairQuestion {
    /// The experiment whose first metric is computed, for visitors as they entered it. It has no breakdown and is not by
    /// quarter.
    pub experiment: ExperimentQuestion,
    /// The other experiment, of the same project: who entered it, when, and into which arm. Its metrics do not count.
    pub other: ExperimentQuestion,
}

/// Maximum number of experiments in a [`SharedQuestion`].
pub const SHARED_TESTS_MAX: usize = 60;

/// Asks how many visitors each two of some experiments have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedQuestion {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// The ids of the experiments, each once; at most [`SHARED_TESTS_MAX`].
    pub test_ids: Vec<i64>,
}

/// Asks how many visitors a project had and how many converted, whether or not they entered an
/// experiment: what planning one needs.
#[derive(Debug, Clone, PartialEq)]
pub struct TrafficQuestion {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this moment on.
    pub from: Instant,
    /// Counts events before this moment.
    pub until: Instant,
    /// What counts as a conversion, from a visitor's first event in this period on; `None`
    /// counts visitors only.
    pub metric: Option<Metric>,
}

/// Asks what each visitor of a project did from the first event on, so that an experiment
/// without an effect can be replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitorsQuestion {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this moment on.
    pub from: Instant,
    /// Counts events before this moment.
    pub until: Instant,
    /// The metric to compute for each visitor; its covariate is ignored.
    pub metric: Metric,
    /// Maximum number of visitors. Those with the smallest hashes are returned: a sample that
    /// does not depend on behaviour and is the same every time.
    pub limit: u64,
}

/// Asks how often the events of a goal came, whoever they are of.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityQuestion {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// Counts events from this moment on.
    pub from: Instant,
    /// Counts events before this moment.
    pub until: Instant,
    /// Which events match.
    pub trigger: Trigger,
}

/// Asks which pages of a project sent events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagesQuestion {
    /// The key of the project.
    pub project_key: Arc<str>,
    /// Looks at events from this moment on.
    pub from: Instant,
    /// Looks at events before this moment.
    pub until: Instant,
    /// Pages at most: those whose last view is the latest.
    pub limit: usize,
}
