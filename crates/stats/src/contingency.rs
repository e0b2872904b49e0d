//! Contingency tables: tests whether two classifications of the same units are independent.

use crate::special::chi_squared_sf;
use crate::{Result, Undefined};

/// Smallest expected count in each cell of a row. With fewer, the χ² approximation of the row's contribution fails.
const MIN_EXPECTED: f64 = 5.0;

/// P-value of Pearson's χ² test that rows and columns are independent, valid for a single check.
///
/// `rows[i][j]` units are in row `i` and column `j`; all rows have the same length. Columns without units do not count.
/// By Cochran's rule, rows with an expected count below five in some cell are left out of the statistic, but their
/// units stay in the column totals. Degrees of freedom are (rows - 1) (columns - 1) of the rows and columns that count.
///
/// # Errors
/// `InvalidInput` when rows differ in length or a count is negative or not finite; `TooFewUnits` when fewer than two
/// rows or two columns are left.
///
/// # Source
/// Pearson 1900; Cochran, Some methods for strengthening the common χ² tests, Biometrics 1954.
///
/// # Examples
/// ```
/// let p = muriel_stats::contingency::independence(&[&[10.0, 20.0], &[20.0, 10.0]]).unwrap();
/// assert!((p - 0.009823274507519247).abs() < 1e-14); // SciPy, chi2_contingency without correction
/// ```
pub fn independence(rows: &[&[f64]]) -> Result<f64> {
    let columns = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != columns || row.iter().any(|n| !(n.is_finite() && *n >= 0.0))) {
        return Err(Undefined::InvalidInput);
    }
    let of_columns: Vec<f64> = (0..columns).map(|at| rows.iter().map(|row| row[at]).sum()).collect();
    let all: f64 = of_columns.iter().sum();
    let used: Vec<usize> = (0..columns).filter(|at| of_columns[*at] > 0.0).collect();
    let (mut statistic, mut kept) = (0.0, 0u32);
    for row in rows {
        let of_row: f64 = row.iter().sum();
        let expected = |at: usize| of_row * of_columns[at] / all;
        if used.iter().any(|at| expected(*at) < MIN_EXPECTED) {
            continue;
        }
        kept += 1;
        statistic += used.iter().map(|at| (row[*at] - expected(*at)).powi(2) / expected(*at)).sum::<f64>();
    }
    let df = (used.len() as f64 - 1.0) * (f64::from(kept) - 1.0);
    if used.len() < 2 || kept < 2 { Err(Undefined::TooFewUnits) } else { Ok(chi_squared_sf(statistic, df)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_are_met() {
        // With one degree of freedom p is erfc(√(χ²/2)), with two it is e^(-χ²/2).
        let p = independence(&[&[10.0, 20.0], &[20.0, 10.0]]).unwrap();
        assert!((p / libm::erfc((20.0f64 / 3.0 / 2.0).sqrt()) - 1.0).abs() < 1e-12, "{p}");
        let p = independence(&[&[30.0, 20.0, 10.0], &[10.0, 20.0, 30.0]]).unwrap();
        assert!((p / (-10.0f64).exp() - 1.0).abs() < 1e-12, "{p}");
        assert_eq!(independence(&[&[10.0, 20.0], &[20.0, 40.0]]).unwrap(), 1.0);
    }

    #[test]
    fn what_says_nothing_takes_no_part() {
        let plain = independence(&[&[10.0, 20.0], &[20.0, 10.0]]).unwrap();
        assert_eq!(independence(&[&[10.0, 0.0, 20.0], &[20.0, 0.0, 10.0]]).unwrap(), plain);
        for rows in [&[&[10.0, 20.0][..]][..], &[&[10.0], &[20.0]], &[], &[&[1.0, 2.0], &[2.0, 1.0]]] {
            assert_eq!(independence(rows), Err(Undefined::TooFewUnits), "{rows:?}");
        }
        assert_eq!(independence(&[&[1.0, 2.0], &[1.0]]), Err(Undefined::InvalidInput));
        assert_eq!(independence(&[&[1.0, -2.0], &[1.0, 1.0]]), Err(Undefined::InvalidInput));
    }
}
