//! Distribution of the traffic among the arms.

use super::variant::Arm;
use crate::{Flaw, Problems};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// All of the traffic, in hundredths of a percent.
pub const WHOLE: u32 = 10_000;

/// Weights of the arms in hundredths of a percent, the control first. They sum to 10,000.
///
/// ```
/// use muriel_domain::experiment::{Arm, Weights};
///
/// let thirds = Weights::even(3);
/// assert_eq!(thirds.hundredths(), [3_334, 3_333, 3_333]);
/// assert_eq!(thirds.resized(2).of(Arm::CONTROL), 5_001);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weights(Vec<u32>);

impl Weights {
    /// The even split over `arms` arms. The remainder goes to the control. At least one arm is assumed.
    pub fn even(arms: usize) -> Self {
        Self::floored(vec![WHOLE / u32::try_from(arms.max(1)).unwrap_or(WHOLE); arms.max(1)])
    }

    /// Weights from shares of the whole, the control's first, rounded to tenths of a percent. The rounding remainder
    /// goes to the largest. `None` unless the shares are between 0 and 1 and sum to 1.
    ///
    /// The sum may differ from 1 by 10⁻⁶.
    pub fn of_shares(shares: &[f64]) -> Option<Self> {
        const UNIT: u32 = 10;
        let is_whole = (shares.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        if !is_whole || !shares.iter().all(|share| (0.0..=1.0 + 1e-9).contains(share)) {
            return None;
        }
        let rounded = |share: &f64| (share * f64::from(WHOLE / UNIT)).round() as u32 * UNIT;
        let mut weights: Vec<u32> = shares.iter().map(rounded).collect();
        let largest = (0..weights.len()).max_by_key(|arm| weights[*arm])?;
        let others = weights.iter().sum::<u32>() - weights[largest];
        weights[largest] = WHOLE.checked_sub(others)?;
        Some(Self(weights))
    }

    /// Completes weights that were rounded down: the control gets the remainder.
    fn floored(mut weights: Vec<u32>) -> Self {
        let rest = WHOLE - weights[1..].iter().sum::<u32>();
        weights[0] = rest;
        Self(weights)
    }

    /// Weight of an arm in hundredths of a percent; 0 for an unknown arm.
    pub fn of(&self, arm: Arm) -> u32 {
        self.0.get(arm.0 as usize).copied().unwrap_or(0)
    }

    /// Number of arms.
    pub fn arms(&self) -> usize {
        self.0.len()
    }

    /// Weights in hundredths of a percent, the control first.
    pub fn hundredths(&self) -> &[u32] {
        &self.0
    }

    /// Returns the weights for `arms` arms.
    ///
    /// Added arms get an even share (the whole divided by the new number of arms), and the others are scaled down in
    /// proportion. When arms are removed, the others are scaled up in proportion, or share evenly if they had no
    /// weight. The rounding remainder goes to the control.
    pub fn resized(&self, arms: usize) -> Self {
        let scale = |weight: u32, to: u32, from: u32| (u64::from(weight) * u64::from(to) / u64::from(from)) as u32;
        match arms.checked_sub(self.0.len()) {
            Some(0) => self.clone(),
            Some(added) => {
                let share = WHOLE / arms as u32;
                let left = WHOLE - share * added as u32;
                let mut weights: Vec<u32> = self.0.iter().map(|&weight| scale(weight, left, WHOLE)).collect();
                weights.resize(arms, share);
                Self::floored(weights)
            }
            None => {
                let kept = &self.0[..arms];
                match kept.iter().sum::<u32>() {
                    0 => Self::even(arms),
                    sum => Self::floored(kept.iter().map(|&weight| scale(weight, WHOLE, sum)).collect()),
                }
            }
        }
    }

    /// Percentages by arm name, `{"Control": 50, "Variant 1": 50}`: the published and stored form. Whole percentages
    /// are integers.
    pub fn to_object(&self) -> Map<String, Value> {
        (0u32..).zip(&self.0).map(|(arm, &weight)| (Arm(arm).to_string(), Value::Number(percent(weight)))).collect()
    }

    /// Reads weights by arm name. Each of the `arms` arms must be named once.
    ///
    /// Weights are exact to a hundredth of a percent: three even arms are 33.34, 33.33 and 33.33.
    ///
    /// # Errors
    /// Missing and unknown arms, weights that are negative or have more than two decimals, and sums other than 100,
    /// each with its place.
    pub fn from_object(object: &Map<String, Value>, arms: usize) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let mut weights = vec![None; arms];
        for (name, value) in object {
            let arm = Arm::from_name(name).map(|arm| arm.0 as usize).filter(|&arm| arm < arms);
            match (arm, hundredths(value)) {
                (None, _) => {
                    // Cut, so that the size of the answer does not depend on the input.
                    let name: String = name.chars().take(64).collect();
                    problems.add(format!(".{name}"), "is not a variant of this experiment");
                }
                (Some(_), Err(flaw)) => problems.add(format!(".{name}"), flaw.to_string()),
                (Some(arm), Ok(weight)) => weights[arm] = Some(weight),
            }
        }
        for (arm, weight) in (0u32..).zip(&weights) {
            if weight.is_none() && !object.contains_key(&Arm(arm).to_string()) {
                problems.add("", format!("must name every variant; \"{}\" is missing", Arm(arm)));
            }
        }
        let weights: Vec<u32> = weights.into_iter().flatten().collect();
        if problems.is_empty() && weights.iter().map(|&weight| u64::from(weight)).sum::<u64>() != u64::from(WHOLE) {
            problems.add("", "must sum to 100");
        }
        problems.none_or(Self(weights))
    }
}

/// A weight as a JSON number; an integer when it is whole.
fn percent(hundredths: u32) -> Number {
    if hundredths.is_multiple_of(100) {
        (hundredths / 100).into()
    } else {
        Number::from_f64(f64::from(hundredths) / 100.0).unwrap_or_else(|| 0.into())
    }
}

/// Reads a weight in percent, with up to two decimals. Returns it in hundredths.
fn hundredths(value: &Value) -> Result<u32, Flaw> {
    let flaw = || Flaw::new("must be a number from 0 to 100 with at most two decimals");
    let scaled = value.as_f64().ok_or_else(flaw)? * 100.0;
    let whole = scaled.round();
    if (scaled - whole).abs() > 1e-6 || !(0.0..=f64::from(WHOLE)).contains(&whole) {
        return Err(flaw());
    }
    Ok(whole as u32)
}

/// The team's choice of the arms' shares. The resulting weights depend on the number of arms; see
/// [`Distribution::weights`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Distribution {
    /// No choice: an even split. Published as null.
    #[default]
    Unset,
    /// An even split, chosen explicitly.
    Equal,
    /// Chosen weights.
    Weights(Weights),
}

impl Distribution {
    /// Effective weights for `arms` arms.
    pub fn weights(&self, arms: usize) -> Weights {
        match self {
            Self::Unset | Self::Equal => Weights::even(arms),
            Self::Weights(weights) => weights.resized(arms),
        }
    }

    /// Converts the choice to `arms` arms. Chosen weights are resized by [`Weights::resized`].
    pub fn resized(&self, arms: usize) -> Self {
        match self {
            Self::Weights(weights) => Self::Weights(weights.resized(arms)),
            other => other.clone(),
        }
    }
}

/// Serialised as `null`, `"equal"` or an object of weights.
impl Serialize for Distribution {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unset => serializer.serialize_none(),
            Self::Equal => serializer.serialize_str("equal"),
            Self::Weights(weights) => weights.to_object().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self::Unset),
            Value::String(word) if word == "equal" => Ok(Self::Equal),
            // The number of arms is not stored here, so every entry counts as an arm.
            Value::Object(object) => Weights::from_object(&object, object.len())
                .map(Self::Weights)
                .map_err(|problems| D::Error::custom(format!("{:?}", problems.first()))),
            _ => Err(D::Error::custom("not a distribution")),
        }
    }
}

/// A change of the distribution. It is checked against the arms when it is applied.
#[derive(Debug, Clone, PartialEq)]
pub enum DistributionPatch {
    /// Back to no choice: an even split.
    Unset,
    /// Even split.
    Equal,
    /// Keep the effective distribution (`"manual"`).
    InForce,
    /// Weights by arm name.
    Weights(Map<String, Value>),
    /// Percentages by arm name, merged into the effective ones; null removes an arm's percentage. After an even split
    /// there are no percentages to merge with, so all arms have to be named.
    Merge(Map<String, Value>),
}

impl DistributionPatch {
    /// Returns the distribution after this patch, for `arms` arms. `before` is the effective distribution, already
    /// resized to them.
    ///
    /// # Errors
    /// Weights that do not match the arms.
    pub fn apply(&self, before: &Distribution, arms: usize) -> Result<Distribution, Problems> {
        match self {
            Self::Unset => Ok(Distribution::Unset),
            Self::Equal => Ok(Distribution::Equal),
            Self::InForce => Ok(before.clone()),
            Self::Weights(object) => Weights::from_object(object, arms).map(Distribution::Weights),
            Self::Merge(object) => {
                let mut merged = match before {
                    Distribution::Weights(weights) => weights.to_object(),
                    _ => Map::new(),
                };
                for (name, value) in object {
                    if value.is_null() {
                        merged.shift_remove(name);
                    } else {
                        merged.insert(name.clone(), value.clone());
                    }
                }
                Weights::from_object(&merged, arms).map(Distribution::Weights)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn weights(parts: &[u32]) -> Weights {
        Weights(parts.to_vec())
    }

    #[test]
    fn even_splits_give_the_rest_to_the_control() {
        assert_eq!(Weights::even(2).0, [5_000, 5_000]);
        assert_eq!(Weights::even(3).0, [3_334, 3_333, 3_333]);
        assert_eq!(Weights::even(51).0[0], 10_000 - 50 * 196);
    }

    #[test]
    fn arms_come_and_go_in_proportion() {
        for (before, arms, expect) in [
            (&[5_000, 5_000][..], 3, &[3_334, 3_333, 3_333][..]),
            (&[8_000, 2_000], 4, &[4_000, 1_000, 2_500, 2_500]),
            (&[5_000, 2_500, 2_500], 2, &[6_667, 3_333]),
            (&[0, 0, 10_000], 2, &[5_000, 5_000]),
            (&[0, 5_000, 5_000], 2, &[0, 10_000]),
        ] {
            assert_eq!(weights(before).resized(arms).0, expect, "{before:?} to {arms}");
        }
    }

    #[test]
    fn objects_name_every_arm_and_sum_to_a_hundred() {
        for (object, expect) in [
            (json!({"Control": 50, "Variant 1": 25, "Variant 2": 25}), None),
            (json!({"Control": 33.34, "Variant 1": 33.33, "Variant 2": 33.33}), None),
            (json!({"Control": 50, "Variant 1": 50}), Some(" must name every variant; \"Variant 2\" is missing")),
            (json!({"Control": 50, "Variant 1": 25, "Variant 2": 24}), Some(" must sum to 100")),
            (
                json!({"Control": 50, "Variant 1": 25, "Variant 3": 25}),
                Some(".Variant 3 is not a variant of this experiment"),
            ),
            (
                json!({"Control": 33.333, "Variant 1": 33.333, "Variant 2": 33.334}),
                Some(".Control must be a number from 0 to 100 with at most two decimals"),
            ),
            (
                json!({"Control": "50", "Variant 1": 25, "Variant 2": 25}),
                Some(".Control must be a number from 0 to 100 with at most two decimals"),
            ),
            (
                json!({"Control": -1, "Variant 1": 76, "Variant 2": 25}),
                Some(".Control must be a number from 0 to 100 with at most two decimals"),
            ),
        ] {
            let got = Weights::from_object(object.as_object().unwrap(), 3);
            let problem = got.err().map(|problems| problems.first().unwrap().to_string());
            assert_eq!(problem.as_deref(), expect, "{object}");
        }
    }

    #[test]
    fn shares_become_weights() {
        for (shares, expect) in [
            (vec![0.5, 0.5], Some(vec![5_000, 5_000])),
            (vec![0.05, 0.95], Some(vec![500, 9_500])),
            (vec![0.33333, 0.33333, 0.33334], Some(vec![3_330, 3_330, 3_340])),
            (vec![0.0, 1.0], Some(vec![0, 10_000])),
            (vec![0.5, 0.4], None),
            (vec![1.5, -0.5], None),
            (vec![f64::NAN, 1.0], None),
            (vec![], None),
        ] {
            let weights = Weights::of_shares(&shares).map(|weights| weights.hundredths().to_vec());
            assert_eq!(weights, expect, "{shares:?}");
        }
    }

    proptest! {
        #[test]
        fn weights_always_sum_to_the_whole_and_read_back(parts in prop::collection::vec(0u32..1_000, 2..20), arms in 2usize..51) {
            let sum: u32 = parts.iter().sum::<u32>().max(1);
            let before = Weights::floored(parts.iter().map(|part| part * WHOLE / sum).collect());
            let after = before.resized(arms);
            prop_assert_eq!(after.0.iter().sum::<u32>(), WHOLE);
            prop_assert_eq!(after.arms(), arms);
            prop_assert_eq!(Weights::from_object(&after.to_object(), arms).unwrap(), after);
        }
    }
}
