//! Page health of the arms.

use super::numbers::percent;
use crate::wire::schemas;
use muriel_analysis::{Applied, PageArm, PageMeasurement, PageMetric};
use muriel_domain::Instant;
use muriel_results::Computed;
use serde::Serialize;
use utoipa::ToSchema;

/// Health of an arm's pages. Each visitor counts once: as one with an error or a late arm if any page reported it, and
/// with the first page that reported a measurement. All comparisons with the control together raise a false alarm in at
/// most 5 % of experiments, however often they are checked.
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
    /// Visitors for whom the arm's code failed. Pages report every error.
    errors: PageShare,
    /// Visitors for whom the arm was applied too late on a page, which then showed the original.
    late: PageShare,
    /// Time for which elements were hidden, in milliseconds.
    hidden_ms: HiddenTime,
    /// Largest contentful paint, in milliseconds, capped at 10,000.
    lcp_ms: PageMean,
    /// Cumulative layout shift, capped at 1.
    layout_shift: PageMean,
    /// Interaction to next paint, in milliseconds, capped at 2,000.
    inp_ms: PageMean,
    /// Match counts of its first 60 changes, for those that pages reported.
    changes: Vec<ChangeMatched>,
    /// Errors by affected visitors, most first; at most 5. Equal errors are merged, with the page and the browser of
    /// most affected visitors. Pages report the message of the first error of each page view. Empty in shared results.
    top_errors: Vec<PageError>,
    /// Finding, with the next step; empty if there is none.
    #[schema(
        example = "Pages of Variant 1 show their largest content 305 ms later than those of the control (168 to 442). Look at what its changes load, hide or move."
    )]
    message: String,
}

/// Errors of an arm with the same message.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageError {
    /// Message as sent by the page; at most 200 characters.
    #[schema(max_length = 200, example = "TypeError: cart is null")]
    message: String,
    /// Page, without query and fragment, of most affected visitors; null if it is not known.
    #[schema(required, example = "https://shop.example/cart")]
    url: Option<String>,
    /// Browser of most affected visitors; null if it is not known.
    #[schema(required, example = "safari")]
    browser: Option<String>,
    /// Number of affected visitors.
    visitors: u64,
    /// Percent of all visitors of the arm.
    percent: f64,
    /// Time of its first occurrence.
    #[schema(value_type = String, format = DateTime)]
    first_seen: Instant,
    /// Time of its last occurrence.
    #[schema(value_type = String, format = DateTime)]
    last_seen: Instant,
}

/// A share of an arm's visitors.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageShare {
    /// Number of visitors.
    visitors: u64,
    /// Percent of all visitors of the arm; null without visitors.
    #[schema(required)]
    percent: Option<f64>,
    /// Difference from the control, in percentage points; null for the control and if it cannot be compared.
    #[schema(required)]
    difference: Option<f64>,
    /// Interval of the true difference, valid whenever it is read; null for the control, and if there are too few
    /// visitors.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// `harmed`: known to be worse by more than a margin (0.5 points for errors, 5 for late arms). `worse`: known to be
    /// worse. `better`, `ok`: not known to be worse. `unknown`: the control, and arms with too little data.
    #[schema(value_type = schemas::PageStatusWord)]
    status: &'static str,
}

/// Mean of a measurement over an arm's visitors, one page each.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageMean {
    /// Number of visitors with a measured page.
    visitors: u64,
    /// Mean of the measurements; null without any.
    #[schema(required)]
    mean: Option<f64>,
    /// Difference from the control; null for the control and if it cannot be compared.
    #[schema(required)]
    difference: Option<f64>,
    /// Interval of the true difference, valid whenever it is read.
    #[schema(required)]
    difference_interval: Option<[f64; 2]>,
    /// `harmed`: known to be worse by more than a margin (50 ms of `lcp_ms`, 0.02 of `layout_shift`, 20 ms of
    /// `inp_ms`). `worse`: known to be worse. `better`, `ok`: not known to be worse. `unknown`: the control, and arms
    /// with too little data.
    #[schema(value_type = schemas::PageStatusWord)]
    status: &'static str,
}

/// Time for which elements of an arm's pages were hidden until the arm was shown.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HiddenTime {
    /// Number of visitors with a page that reported it.
    visitors: u64,
    /// Mean in milliseconds; null without any.
    #[schema(required)]
    mean: Option<f64>,
}

/// Number of visitors' pages on which a change matched an element.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeMatched {
    /// Index in the variant's `data`, from 0.
    index: usize,
    /// Visitors on whose page the change was due.
    pages: u64,
    /// Number of those on whose page it matched an element.
    matched: u64,
    /// Percent of those on whose page it matched an element.
    matched_percent: f64,
}

impl PageHealth {
    /// Page health of all arms, the control first.
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

    /// Removes error messages, which can contain page addresses and names in the site's code.
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
