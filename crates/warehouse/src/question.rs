//! The questions that a warehouse answers.

use std::sync::Arc;

use muriel_domain::Instant;
use muriel_domain::goal::{GoalType, Trigger};

/// Asks what the visitors of one experiment did.
///
/// A visitor enters by the first exposure to the experiment that was not a
/// bot's, by time and then by id. That exposure gives the arm, the epoch and
/// every attribute: later ones change nothing. Of a visitor with an exposure that a
/// key vouched for, a bot's or not, the exposures without a key are passed over.
#[derive(Debug, Clone, PartialEq)]
pub struct ExperimentQuestion {
    /// The key of the project that the experiment is in.
    pub project_key: Arc<str>,
    /// The id of the experiment.
    pub test_id: i64,
    /// When it first started. Exposures that are dated before it are none, whoever
    /// sent them: there was nothing to enter yet. `None` where that is not known.
    pub started_at: Option<Instant>,
    /// Counts visitors who entered then or later.
    pub from: Option<Instant>,
    /// Counts visitors who entered before, and events before it.
    pub until: Option<Instant>,
    /// Counts visitors who entered in this epoch only.
    pub epoch: Option<i64>,
    /// The epochs and when they began. An exposure that names no epoch, or one after
    /// the last of these, is placed by its time: in the last that had begun, before all
    /// of them in the first. When none is listed, what is named counts, and no epoch is 0.
    pub epochs: Vec<(i64, Instant)>,
    /// Number of arms, with the control. Exposures to arms from this number on are left out.
    pub arms: u32,
    /// Counts only visitors whom this filter lets pass.
    pub filter: Filter,
    /// Splits the visitors by this.
    pub breakdown: Option<Dimension>,
    /// Whether to answer how each metric changed from quarter of an hour to quarter of an hour.
    pub by_quarter: bool,
    /// Now: windows that end later are still open, as are those that end after `until`.
    pub as_of: Instant,
    /// What to count.
    pub metrics: Vec<Metric>,
}

/// Attributes that visitors must have had when they entered. An empty list lets everybody pass.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Each of these is their device: two different ones let nobody pass.
    pub devices: Vec<String>,
    /// Each of these is what they were: `new`, `returning`.
    pub user_types: Vec<String>,
    /// Each of these is how they came: `direct`, `search`, `paid`…
    pub sources: Vec<String>,
    /// Their country is one of these; anybody when there are none.
    pub countries: Vec<String>,
}

/// What visitors differ by when they enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// `desktop`, `mobile`, `tablet`.
    Device,
    /// `chrome`, `safari`…
    Browser,
    /// `windows`, `macOS`…
    Os,
    /// ISO 3166-1 alpha-2.
    Country,
    /// `new` or `returning`.
    UserType,
    /// The page on which the visit began, without query and fragment.
    LandingPage,
    /// The host that the visitor came from.
    Referrer,
    /// `utm_source` of the landing page.
    UtmSource,
    /// `utm_medium` of the landing page.
    UtmMedium,
    /// `utm_campaign` of the landing page.
    UtmCampaign,
}

impl Dimension {
    /// Every dimension with its word in the interface, which is also the name of
    /// its column.
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

    /// The word for it in the interface.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, other)| *other == self).map_or("", |(word, _)| word)
    }
}

/// What is counted, of each visitor.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Which events.
    pub outcome: CountedOutcome,
    /// Microseconds from entry within which they count; `None` for all that come
    /// later. [`CountedOutcome::Bounce`] and [`CountedOutcome::Engagement`] have a time of their
    /// own, [`VISIT_AFTER_ENTRY_US`], and do not look at this.
    pub window_us: Option<i64>,
    /// Events needed for a conversion.
    pub min_count: i64,
    /// Most that one visitor contributes, of an outcome with a value. `None` for the
    /// usual cap: the largest thousandth of the buyers' values, and at least the
    /// largest, is cut to the next one, of all arms together.
    pub cap: Option<f64>,
    /// The largest plausible order, of an outcome with a value: larger ones are left
    /// out and counted. `None` for [`MAX_ORDER_FACTOR`] the largest order that a key vouched
    /// for, which limits the orders that no key vouched for; there is no limit where
    /// fewer than a [`MIN_VOUCHED_ONE_IN`]th of the buyers are vouched for.
    pub max_order_value: Option<f64>,
    /// The currency that values are in, of an outcome with a value. `None` for the one
    /// of most buyers whom a key vouched for, and then of most buyers.
    pub currency: Option<String>,
    /// Microseconds before entry in which the same outcome is counted as a
    /// covariate; `None` for no covariate. Bounce and engagement have none.
    pub before_us: Option<i64>,
    /// What other currencies are worth, of an outcome with a value. `None` leaves out
    /// the orders in them.
    pub exchange: Option<Arc<ExchangeRates>>,
}

impl Metric {
    /// Whatever comes after entry counts, once is enough, and there is no covariate; caps,
    /// limits and the currency are the usual ones.
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

/// What currencies are worth in one of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExchangeRates {
    /// The one that all is converted to.
    pub currency: String,
    /// Without overlaps within a currency.
    pub spans: Vec<RateSpan>,
}

/// What one unit of a currency is worth for some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateSpan {
    /// ISO 4217.
    pub currency: String,
    /// Of orders from then on.
    pub since: Instant,
    /// Of orders before it; `None` for all later ones.
    pub until: Option<Instant>,
    /// In [`RATE_UNITS`](muriel_domain::rates::RATE_UNITS).
    pub rate: i64,
}

/// An outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CountedOutcome {
    /// What a goal counts. Of a revenue goal the value counts as well.
    Goal(Trigger),
    /// A custom event or an order of this name.
    Event(String),
    /// No interaction (click, submit, custom event, order, script) and at most one
    /// page view, from [`VISIT_BEFORE_ENTRY_US`] before entry to [`VISIT_AFTER_ENTRY_US`] after it,
    /// and later in the session in which the visitor entered.
    Bounce,
    /// In the same time: an interaction, two page views, half of a page scrolled
    /// through, or ten seconds spent on one.
    Engagement,
}

impl CountedOutcome {
    /// Whether it is worth something, of each visitor: else it is only counted.
    pub fn has_value(&self) -> bool {
        matches!(self, CountedOutcome::Goal(trigger) if trigger.goal_type() == GoalType::Revenue)
    }
}

/// How long after entry a visit lasts, whatever its session: 30 minutes.
pub const VISIT_AFTER_ENTRY_US: i64 = 30 * 60 * 1_000_000;

/// How long before entry a visit began: the page view that leads to an exposure
/// may be told first. 5 seconds.
pub const VISIT_BEFORE_ENTRY_US: i64 = 5 * 1_000_000;

/// Microseconds of a time step, aligned to UTC: 15 minutes, of which every time
/// zone's days are made.
pub const QUARTER_US: i64 = 15 * 60 * 1_000_000;

/// How many times the largest order that a key vouched for an order may be worth that
/// no key vouched for.
pub const MAX_ORDER_FACTOR: i64 = 10;

/// One in so many buyers has to be vouched for before limits are taken from their
/// orders: a test order that was sent with a key says nothing of all others.
pub const MIN_VOUCHED_ONE_IN: u64 = 10;

/// Segments that a breakdown shows at most; the others are answered together.
pub const SEGMENTS_MAX: usize = 50;

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
    /// What counts as a conversion, from a visitor's first event of this time on;
    /// nothing does without.
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
    /// What is counted of each; the covariate is not.
    pub metric: Metric,
    /// At most so many visitors. Which ones is decided by their hashes alone, so
    /// they are as good as drawn, and the same every time.
    pub limit: u64,
}
