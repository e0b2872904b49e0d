//! From exact sums to moments: rounded once, so that equal sums give equal bits.

use muriel_stats::{JointMoments, Moments};

use super::answer::{Totals, UNITS};

impl Totals {
    /// Value per visitor, in units.
    pub fn moments(&self) -> Moments {
        let n = self.visitors;
        let unit = UNITS as f64;
        Moments {
            n,
            mean: mean(self.value, n) / unit,
            m2: spread(self.value, self.value, self.value_squared, n) / (unit * unit),
        }
    }

    /// The outcome of each visitor (`x`) with the same outcome before entry (`y`):
    /// the value in units where `is_value`, else 0 or 1.
    pub fn adjusted(&self, is_value: bool) -> JointMoments {
        let n = self.visitors;
        let converted = i128::from(self.converted);
        let (x, x_squared) = if is_value { (self.value, self.value_squared) } else { (converted, converted) };
        let unit = if is_value { UNITS as f64 } else { 1.0 };
        JointMoments {
            n,
            mean_x: mean(x, n) / unit,
            mean_y: mean(self.before, n) / unit,
            m2_x: spread(x, x, x_squared, n) / (unit * unit),
            m2_y: spread(self.before, self.before, self.before_squared, n) / (unit * unit),
            c: spread(x, self.before, self.outcome_before, n) / (unit * unit),
        }
    }
}

/// `sum / n`; 0 without visitors.
fn mean(sum: i128, n: u64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let (whole, rest) = (sum.div_euclid(i128::from(n)), sum.rem_euclid(i128::from(n)));
    if rest == 0 { whole as f64 } else { sum as f64 / n as f64 }
}

/// `products − x·y/n`: the sum of products of deviations; 0 without visitors.
///
/// With `x = q·n + r` and `y = p·n + s` the quotient is `q·p·n + q·s + p·r + r·s/n`, of
/// which all but the last part is whole: what cancels cancels among integers.
fn spread(x: i128, y: i128, products: i128, n: u64) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let n = i128::from(n);
    let (q, r) = (x.div_euclid(n), x.rem_euclid(n));
    let (p, s) = (y.div_euclid(n), y.rem_euclid(n));
    let (whole, rest) = ((r * s) / n, (r * s) % n);
    // Sums of a few billion visitors with the largest values stay within 128 bits;
    // beyond them doubles are as good as anything.
    let exact = q
        .checked_mul(p)
        .and_then(|product| product.checked_mul(n))
        .and_then(|sum| sum.checked_add(q.checked_mul(s)?))
        .and_then(|sum| sum.checked_add(p.checked_mul(r)?))
        .and_then(|sum| sum.checked_add(whole))
        .and_then(|sum| products.checked_sub(sum));
    match exact {
        Some(difference) => difference as f64 - rest as f64 / n as f64,
        None => products as f64 - (x as f64) * (y as f64) / n as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn totals(values: &[(i64, i64)]) -> Totals {
        values.iter().fold(Totals::default(), |sum, (value, before)| {
            let (value, before) = (i128::from(*value), i128::from(*before));
            sum.merge(&Totals {
                visitors: 1,
                value,
                value_squared: value * value,
                before,
                before_squared: before * before,
                outcome_before: value * before,
                ..Totals::default()
            })
        })
    }

    proptest! {
        #[test]
        fn moments_are_those_of_the_values(
            values in prop::collection::vec((-1_000_000_i64..100_000_000, 0_i64..100_000), 1..50),
        ) {
            let totals = totals(&values);
            let mut one_by_one = JointMoments::default();
            for (value, before) in &values {
                one_by_one.push(*value as f64 / 10_000.0, *before as f64 / 10_000.0);
            }
            let (moments, joint) = (totals.moments(), totals.adjusted(true));
            let near = |a: f64, b: f64, scale: f64| (a - b).abs() <= 1e-12 * scale.max(1.0);
            prop_assert!(near(moments.mean, one_by_one.mean_x, 1e4));
            prop_assert!(near(moments.m2, one_by_one.m2_x, one_by_one.m2_x));
            prop_assert_eq!(joint.m2_x, moments.m2);
            prop_assert!(near(joint.m2_y, one_by_one.m2_y, one_by_one.m2_y));
            prop_assert!(near(joint.c, one_by_one.c, (one_by_one.m2_x * one_by_one.m2_y).sqrt()));
        }

        /// A large mean does not eat the variance.
        #[test]
        fn a_shift_changes_nothing(
            values in prop::collection::vec(0_i64..1_000, 2..50),
            shift in 0_i64..900_000_000_000_000,
        ) {
            let plain: Vec<_> = values.iter().map(|value| (*value, 0)).collect();
            let shifted: Vec<_> = values.iter().map(|value| (*value + shift, 0)).collect();
            prop_assert_eq!(totals(&plain).moments().m2, totals(&shifted).moments().m2);
        }
    }

    #[test]
    fn conversions_are_zero_or_one() {
        let totals = Totals { visitors: 4, converted: 1, ..Totals::default() };
        let joint = totals.adjusted(false);
        assert_eq!((joint.n, joint.mean_x, joint.m2_x), (4, 0.25, 0.75));
    }
}
