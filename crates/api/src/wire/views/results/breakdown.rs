//! Breakdowns: the arms by segments of the visitors.

use super::arm::ArmResult;
use super::locked::Exploratory;
use super::numbers::Lift;
use muriel_results::{Computed, Labels, SegmentNumbers};
use muriel_warehouse::Segment;
use serde::Serialize;
use utoipa::ToSchema;

/// The arms in one segment of the visitors.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Breakdown {
    /// Attribute that defines the segments.
    pub(super) dimension: String,
    /// Value of the attribute; null where it is not known, and for the rest.
    #[schema(required)]
    pub(super) value: Option<String>,
    /// True for the rest: all values beyond the largest 50.
    pub(super) is_rest: bool,
    #[serde(flatten)]
    pub(super) exploratory: Exploratory,
    /// The arms, the control first.
    pub(super) variants: Vec<PartResult>,
}

/// An arm in one segment of the visitors. Use it for exploration, not for
/// decisions: many segments are compared without correction.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PartResult {
    /// `"0"` is the control.
    pub(super) variant_id: String,
    #[serde(flatten)]
    pub(super) result: ArmResult,
    /// Lift, as in `analysis`; null on the control.
    #[schema(required)]
    pub(super) lift: Option<f64>,
    /// Interval of the lift, as in `analysis`.
    #[schema(required)]
    pub(super) lift_interval: Option<[f64; 2]>,
    /// p-value, as in `analysis`; not corrected for multiple comparisons.
    #[schema(required)]
    pub(super) p_value: Option<f64>,
}

impl Breakdown {
    /// Builds the breakdown of the segment `part`: each arm's result for the requested or primary goal. Without
    /// such a goal, it has no arms.
    pub(super) fn new(computed: &Computed, part: &SegmentNumbers, labels: &Labels) -> Self {
        let manifest = &computed.manifest;
        let variants = match (manifest.top(), computed.metrics.first()) {
            (Some(top), Some(shown)) => (0..part.arms.len())
                .map(|arm| {
                    let Lift { lift, lift_interval, p_value } = Lift::new(&part.points, arm);
                    PartResult {
                        variant_id: manifest.experiment.arms[arm].variant_id.clone(),
                        result: ArmResult::new(top, shown, &part.arms, arm, None),
                        lift,
                        lift_interval,
                        p_value,
                    }
                })
                .collect(),
            _ => Vec::new(),
        };
        Self {
            dimension: manifest.inquiry.breakdown_by.clone().unwrap_or_default(),
            value: match &part.segment {
                Segment::Value(value) => Some(value.to_string()),
                Segment::Unknown | Segment::Rest => None,
            },
            is_rest: part.segment == Segment::Rest,
            exploratory: Exploratory::new(labels.parts.as_ref()),
            variants,
        }
    }
}
