//! Power of tests at their planned size.

use super::data::{Metric, binomial, normal_moments};
use super::path::ALPHA;
use super::{Accept, Row, Seen, count};
use muriel_stats::boundary::{Mode, decide};
use muriel_stats::power::{
    Baseline, DecisionRule, Looks, TreatmentVariance, units_for_lift, units_for_mean, units_for_proportion, whole_units,
};
use muriel_stats::{Effect, Sample, Sides};

const TARGET: f64 = 0.8;

fn rule(looks: Looks) -> DecisionRule {
    DecisionRule { alpha: ALPHA, sides: Sides::Two, looks }
}

/// Share of tests that find the effect with the planned number of units.
fn row(test: &str, looks: usize, units: [u64; 2], mode: Mode, accept: Accept, metric: Planned) -> Row {
    let sizes = format!("{test}, {} and {} units", count(units[0]), count(units[1]));
    Row::new(sizes, looks, &[("effect found, planned 80 %", accept)], move |rng, seen| {
        let (mut control, mut treatment) = (metric.nobody(), metric.nobody());
        let mut found = false;
        for look in 0..looks as u64 {
            let part = |arm: usize| units[arm] * (look + 1) / looks as u64 - units[arm] * look / looks as u64;
            metric.more(&mut control, part(0), false, rng);
            metric.more(&mut treatment, part(1), true, rng);
            let effect = metric.effect(&control, &treatment);
            found |= decide(&effect, &mode, ALPHA).is_ok_and(|decision| decision.interval.excludes(0.0));
        }
        seen[0] = Seen::event(found);
    })
}

/// A metric with the planned effect.
#[derive(Clone, Copy)]
enum Planned {
    /// Mean with standard deviation 2: control 1, treatment larger by this much.
    Mean(f64),
    /// Conversion rates of control and treatment.
    Share(f64, f64),
}

impl Planned {
    fn nobody(self) -> super::data::Arm {
        match self {
            Planned::Share(..) => Metric::Binary(0.5).nobody(),
            _ => Metric::Normal.nobody(),
        }
    }

    fn more(self, arm: &mut super::data::Arm, units: u64, treated: bool, rng: &mut super::Rng) {
        use super::data::Arm;
        match (self, arm) {
            (Planned::Share(control, treatment), Arm::Share { n, successes }) => {
                *n += units;
                *successes += binomial(rng, units, if treated { treatment } else { control });
            }
            (Planned::Mean(difference), Arm::Mean(moments)) => {
                let mean = if treated { 1.0 + difference } else { 1.0 };
                *moments = moments.merge(&normal_moments(rng, units, mean, 2.0));
            }
            _ => unreachable!("an arm is of its metric"),
        }
    }

    fn effect(self, control: &super::data::Arm, treatment: &super::data::Arm) -> Effect {
        use super::data::Arm;
        let sample = |arm: &Arm| match arm {
            Arm::Share { n, successes } => Sample::of_proportion(*n, *successes),
            Arm::Mean(moments) => Sample::of_mean(moments),
            _ => unreachable!("an arm is of its metric"),
        };
        Effect::of_samples(&sample(control).expect("units"), &sample(treatment).expect("units")).expect("real numbers")
    }
}

fn whole(units: muriel_stats::power::Units) -> [u64; 2] {
    [whole_units(units.control), whole_units(units.treatment)]
}

pub(crate) fn rows() -> Vec<Row> {
    let once = rule(Looks::Once);
    let always = rule(Looks::Any { planned_units: None });
    let mean = |share, rule| whole(units_for_mean(0.1, 2.0, share, rule, TARGET).expect("a plan").exact);
    let shares = |rule| {
        let variance = TreatmentVariance::Own;
        whole(units_for_proportion(0.05, 0.01, variance, 0.5, rule, TARGET).expect("a plan").exact)
    };
    let always_mode = |units: [u64; 2]| Mode::AlwaysValid { planned_units: (units[0] + units[1]) as f64 };
    let (near, least) = (Accept::Near(TARGET), Accept::AtLeast(TARGET));
    let lift = whole(units_for_lift(&Baseline { mean: 1.0, sd: 2.0 }, 0.1, 0.5, &once, TARGET).expect("a plan").exact);
    let sequential = mean(0.5, &always);
    vec![
        row("mean, fixed", 1, mean(0.5, &once), Mode::Fixed, near, Planned::Mean(0.1)),
        row("mean, fixed, a fifth treated", 1, mean(0.2, &once), Mode::Fixed, near, Planned::Mean(0.1)),
        row("conversions, fixed", 1, shares(&once), Mode::Fixed, near, Planned::Share(0.05, 0.06)),
        // Planned with the noise of the lift, which is larger than that of the tested difference.
        row("lift, fixed", 1, lift, Mode::Fixed, least, Planned::Mean(0.1)),
        row("mean, always valid, read once", 1, sequential, always_mode(sequential), near, Planned::Mean(0.1)),
        row("mean, always valid, read daily", 14, sequential, always_mode(sequential), least, Planned::Mean(0.1)),
        row(
            "conversions, always valid, read daily",
            14,
            shares(&always),
            always_mode(shares(&always)),
            least,
            Planned::Share(0.05, 0.06),
        ),
    ]
}

/// Fails on purpose: half the planned units.
pub(crate) fn broken() -> Row {
    let units = whole(units_for_mean(0.1, 2.0, 0.5, &rule(Looks::Once), TARGET).expect("a plan").exact);
    let half = [units[0] / 2, units[1] / 2];
    row("half the plan", 1, half, Mode::Fixed, Accept::Near(TARGET), Planned::Mean(0.1))
}
