//! How the pages of arms fared.

use super::numbers::percent;
use crate::wire::schemas;
use muriel_analysis::{Applied, PageArm, PageMeasurement, PageMetric};
use muriel_domain::Instant;
use muriel_results::Computed;
use serde::Serialize;
use utoipa::ToSchema;

/// How the pages of an arm fared. Each visitor counts once: as one with an error or a late arm if any page told of it, and with
/// the first page that told a measure. All comparisons with the control together raise a false alarm in at most 5 % of
/// experiments, however often they are looked at.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageHealth {
    /// `"0"` is the control.
    #[schema(example = "1")]
    variant_id: String,
    /// `Control`, `Variant 1`…
    #[schema(example = "Variant 1")]
    name: String,
    /// Visitors who entered.
    visitors: u64,
    /// Visitors for whom the arm's code failed, in percent; pages tell of every error.
    errors: PageShare,
    /// Visitors for whom the arm came too late on a page, which then showed the original, in percent.
    late: PageShare,
    /// For how long elements were hidden.
    hidden_ms: HiddenTime,
    /// Largest contentful paint in milliseconds; above 10,000 counts as that.
    lcp_ms: PageMean,
    /// Cumulative layout shift; above 1 counts as that.
    layout_shift: PageMean,
    /// Interaction to next paint in milliseconds; above 2,000 counts as that.
    inp_ms: PageMean,
    /// Whether its changes found what they change, for each of its first 60 changes of which pages told.
    changes: Vec<ChangeMatched>,
    /// What its errors say, those of most visitors first; at most 5. Errors that say the same are one, with the page and the browser
    /// of most who met it. Pages say it of the first error of each page view. Empty in shared results.
    top_errors: Vec<PageError>,
    /// What is found, with the next step; empty where nothing is.
    #[schema(
        example = "Pages of Variant 1 show their largest content 305 ms later than those of the control (168 to 442). Look at what its changes load, hide or move."
    )]
    message: String,
}

/// Errors of an arm that say the same.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageError {
    /// What they say, as the page sent it; at most 200 characters.
    #[schema(max_length = 200, example = "TypeError: cart is null")]
    message: String,
    /// The page, without query and fragment, on which most of these visitors met it; null where it is not known.
    #[schema(required, example = "https://shop.example/cart")]
    url: Option<String>,
    /// The browser of most of these visitors; null where it is not known.
    #[schema(required, example = "safari")]
    browser: Option<String>,
    /// Visitors who met it.
    visitors: u64,
    /// Of all visitors of the arm, in percent.
    percent: f64,
    /// When it was met first.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Instant,
    /// When it was met last.
    #[schema(value_type = String, format = DateTime)]
    last_seen: Instant,
}

/// A share of an arm's visitors.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageShare {
    /// How many.
    visitors: u64,
    /// How many of all, in percent; null without visitors.
    #[schema(required)]
    percent: Option<f64>,
    /// By how many points it is more than in the control; null of the control and where it cannot be compared.
    #[schema(required)]
    difference: Option<f64>,
    /// Where the true difference is, valid whenever it is read; null of the control, and where there are too few.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// `harmed`: known to be worse by more than a margin (0.5 points of errors, 5 of late arms). `worse`: known to be worse.
    /// `better`, `ok`: not known to be worse. `unknown`: too little to compare, and of the control.
    #[schema(value_type = schemas::PageStatusWord)]
    status: &'static str,
}

/// A mean of an arm's pages, one of each visitor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageMean {
    /// Visitors with a page that was measured.
    visitors: u64,
    /// The mean of these; null without any.
    #[schema(required)]
    mean: Option<f64>,
    /// By how much it is more than in the control; null of the control and where it cannot be compared.
    #[schema(required)]
    difference: Option<f64>,
    /// Where the true difference is, valid whenever it is read.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// `harmed`: known to be worse by more than a margin (50 ms of `lcp_ms`, 0.02 of `layout_shift`, 20 ms of `inp_ms`). `worse`: known
    /// to be worse. `better`, `ok`: not known to be worse. `unknown`: too little to compare, and of the control.
    #[schema(value_type = schemas::PageStatusWord)]
    status: &'static str,
}

/// For how long elements of an arm's pages were hidden until it was shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HiddenTime {
    /// Visitors with a page that told.
    visitors: u64,
    /// Milliseconds, on average; null without any.
    #[schema(required)]
    mean: Option<f64>,
}

/// How often a change of an arm found what it changes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeMatched {
    /// The place of the entry in the variant's `data`, from 0.
    index: usize,
    /// Visitors on whose page it was due.
    pages: u64,
    /// Of these, on whose page it found something.
    matched: u64,
    /// The share of them, in percent.
    matched_percent: f64,
}

impl PageHealth {
    /// Of all arms, the control first.
    pub(super) fn all(computed: &Computed) -> Vec<Self> {
        computed.report.page.arms.iter().map(|arm| Self::new(computed, arm)).collect()
    }

    fn new(computed: &Computed, of: &PageArm) -> Self {
        let known = computed.manifest.experiment.arms.get(of.arm);
        let changes = computed.applied.iter().filter(|applied| applied.arm == of.arm);
        let errors = computed.errors.iter().filter(|error| error.variant as usize == of.arm);
        let mean = |metric| PageMean::new(of.measurement(metric));
        let share = |metric| PageShare::new(of.measurement(metric));
        Self {
            variant_id: of.arm.to_string(),
            name: known.map(|arm| arm.name.clone()).unwrap_or_default(),
            visitors: of.visitors,
            errors: share(PageMetric::Errors),
            late: share(PageMetric::Late),
            hidden_ms: HiddenTime { visitors: of.hidden_visitors, mean: of.hidden_ms },
            lcp_ms: mean(PageMetric::Lcp),
            layout_shift: mean(PageMetric::LayoutShift),
            inp_ms: mean(PageMetric::Inp),
            changes: changes.map(ChangeMatched::new).collect(),
            top_errors: errors.map(|error| PageError::new(error, of.visitors)).collect(),
            message: of.message.clone(),
        }
    }

    /// Without what the site's own code says: addresses of its pages and names within its code.
    pub(super) fn for_strangers(mut self) -> Self {
        self.top_errors.clear();
        self
    }
}

impl PageError {
    fn new(error: &muriel_warehouse::PageError, of: u64) -> Self {
        let share = if of == 0 { 0.0 } else { error.visitors as f64 / of as f64 };
        Self {
            message: error.message.clone(),
            url: error.url.clone(),
            browser: error.browser.clone(),
            visitors: error.visitors,
            percent: percent(share),
            first_seen: error.first_at,
            last_seen: error.last_at,
        }
    }
}

impl PageShare {
    fn new(it: &PageMeasurement) -> Self {
        Self {
            visitors: it.number.unwrap_or(0),
            percent: it.value.map(percent),
            difference: it.difference.map(percent),
            difference_interval: it.interval.map(|interval| [percent(interval.lower), percent(interval.upper)]),
            status: it.status.word(),
        }
    }
}

impl PageMean {
    fn new(it: &PageMeasurement) -> Self {
        Self {
            visitors: it.visitors,
            mean: it.value,
            difference: it.difference,
            difference_interval: it.interval.map(|interval| [interval.lower, interval.upper]),
            status: it.status.word(),
        }
    }
}

impl ChangeMatched {
    fn new(applied: &Applied) -> Self {
        let Applied { change, pages, matched, .. } = *applied;
        let share = if pages == 0 { 0.0 } else { matched as f64 / pages as f64 };
        Self { index: change, pages, matched, matched_percent: percent(share) }
    }
}
