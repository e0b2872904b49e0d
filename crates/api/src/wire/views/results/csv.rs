//! Results as CSV.

use super::ResultAnswer;
use super::arm::ArmResult;
use super::breakdown::PartResult;
use super::locked::Exploratory;
use muriel_domain::text::printable;
use muriel_results::Labels;

/// Columns, in order.
const COLUMNS: [&str; 32] = [
    "metric",
    "metric_name",
    "role",
    "breakdown",
    "value",
    "variant_id",
    "name",
    "nickname",
    "visitors",
    "conversions",
    "conversion_rate_percent",
    "improvement_percent",
    "revenue",
    "orders",
    "revenue_per_visitor",
    "average_order_value",
    "currency",
    "lift_percent",
    "lift_lower_percent",
    "lift_upper_percent",
    "p_value",
    "p_value_adjusted",
    "chance_to_beat_control_percent",
    "expected_loss_percent",
    "verdict",
    // Equal on every line, so that a line copied elsewhere still names its source.
    "test_id",
    "test_name",
    "as_of",
    "log_position",
    "health",
    "health_checks",
    // About this line; empty if it was planned, or no plan was locked.
    "exploratory",
];

impl ResultAnswer {
    /// Formats the result as CSV, with a line per metric, segment and arm.
    pub(crate) fn csv(&self) -> String {
        let mut csv = Csv::default();
        csv.line(COLUMNS.iter().map(|column| (*column).to_owned()));
        let name = |variant_id: &str| {
            let known = self.variants.iter().find(|variant| variant.variant_id == variant_id);
            known.map(|variant| (variant.name.clone(), variant.nickname.clone())).unwrap_or_default()
        };
        let manifest = &self.manifest;
        let origin = [
            self.test_id.to_string(),
            self.test_name.clone(),
            manifest.as_of.to_string(),
            manifest.logs.iter().map(|log| log.position.to_string()).collect::<Vec<_>>().join("; "),
            self.health.status().to_owned(),
            self.health.not_ok().map(|(name, status, _)| format!("{name}: {status}")).collect::<Vec<_>>().join("; "),
        ];
        let of_arm = |variant_id: &str| {
            let known = self.variants.iter().find(|variant| variant.variant_id == variant_id);
            known.and_then(|variant| variant.exploratory.reason())
        };
        let mut row = |metric: [&str; 3],
                       part: [&str; 2],
                       variant_id: &str,
                       arm: &ArmResult,
                       point: Option<&PartResult>,
                       exploratory: &[&Exploratory]| {
            let (name, nickname) = name(variant_id);
            let analysis = arm.analysis.as_ref();
            let lift = analysis.map_or(point.and_then(|p| p.lift), |a| a.lift);
            let interval = analysis.map_or(point.and_then(|p| p.lift_interval), |a| a.lift_interval);
            let p_value = analysis.map_or(point.and_then(|p| p.p_value), |a| a.p_value);
            let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
            let mut cells: Vec<String> = metric.iter().chain(&part).map(|text| (*text).to_owned()).collect();
            cells.extend([
                variant_id.to_owned(),
                name,
                nickname,
                arm.visitors.to_string(),
                arm.conversions.to_string(),
                number(arm.conversion_rate),
                number(arm.improvement.flatten()),
                number(arm.revenue.total_revenue),
                arm.revenue.total_orders.map(|orders| orders.to_string()).unwrap_or_default(),
                number(arm.revenue.rpv.flatten()),
                number(arm.revenue.aov.flatten()),
                arm.revenue.currency.clone().flatten().unwrap_or_default(),
                number(lift),
                number(interval.map(|ends| ends[0])),
                number(interval.map(|ends| ends[1])),
                number(p_value),
                number(analysis.and_then(|a| a.p_value_adjusted)),
                number(analysis.and_then(|a| a.chance_to_beat_control)),
                number(analysis.and_then(|a| a.expected_loss)),
                analysis.map(|a| a.verdict.to_owned()).unwrap_or_default(),
            ]);
            cells.extend(origin.iter().cloned());
            let reasons = exploratory.iter().filter_map(|label| label.reason()).chain(of_arm(variant_id));
            cells.push(Labels::joined(reasons).unwrap_or_default());
            csv.line(cells.into_iter());
        };
        let top = self.manifest.top();
        let metric = top.map_or(["", "", ""], |top| [top.key.as_str(), top.name.as_str(), top.role.as_str()]);
        for variant in &self.variants {
            row(metric, ["", ""], &variant.variant_id, &variant.result, None, &[&self.exploratory]);
        }
        for part in &self.breakdowns {
            let value = part.value.as_deref().unwrap_or(if part.is_rest { "(rest)" } else { "(unknown)" });
            for variant in &part.variants {
                let labels = [&self.exploratory, &part.exploratory];
                row(metric, [&part.dimension, value], &variant.variant_id, &variant.result, Some(variant), &labels);
            }
        }
        for metric in &self.metrics {
            for variant in &metric.variants {
                let names = [&*metric.key, &*metric.name, &*metric.role];
                row(names, ["", ""], &variant.variant_id, &variant.result, None, &[&metric.exploratory]);
            }
        }
        csv.finish()
    }
}

/// CSV with quoted cells (RFC 4180).
#[derive(Default)]
pub(crate) struct Csv(String);

impl Csv {
    /// Returns the CSV text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, cells: impl Iterator<Item = String>) {
        for (at, cell) in cells.enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            // Control and invisible characters are made visible, so that a table in a terminal shows
            // the actual text.
            let cell = printable(&cell);
            // Spreadsheets execute cells that look like formulas, including some with full-width
            // characters. Numbers are safe.
            let begins = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r', '\n'];
            let formula = cell.starts_with(begins) && cell.parse::<f64>().is_err();
            let cell = if formula { format!("'{cell}").into() } else { cell };
            if cell.contains([',', '"', '\n', '\r']) {
                self.0.push('"');
                self.0.push_str(&cell.replace('"', "\"\""));
                self.0.push('"');
            } else {
                self.0.push_str(&cell);
            }
        }
        self.0.push_str("\r\n");
    }
}
