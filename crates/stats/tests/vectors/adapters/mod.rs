//! One adapter per method: its inputs to the crate's types, the crate's answer to named outputs.
//!
//! Nothing here calculates beyond what a table of results would: choosing a scale, taking a root of a variance, naming
//! a reason.

use muriel_stats::bayes::{Posterior, Prior, beta_binomial, posterior, posterior_relative};
use muriel_stats::best_arm::{self, Arm, Goal};
use muriel_stats::boundary::{Mixture, Side, sequential, sequential_bound};
use muriel_stats::cap::{self, Rule};
use muriel_stats::group_sequential::{self, Recursion, Spending};
use muriel_stats::interval::{self, Alternative, Share, Test};
use muriel_stats::lift::{delta_lift, fieller};
use muriel_stats::multiplicity::{self, Correction};
use muriel_stats::power::{self, Baseline, Looks, NullVariance, TreatmentVariance, Units};
use muriel_stats::srm::{self, ChiSquared, SampleRatio};
use muriel_stats::strata::post_stratified;
use muriel_stats::{
    Effect, Epochs, JointMoments, Moments, QuantileSample, Sample, Sides, Undefined, both, quantile, special,
};
use serde_json::Value;

use super::{Output, Outputs};

/// Why an adapter stopped.
enum Stop {
    /// The answer is that there is none.
    Undefined(Undefined),
    /// The case asks for something this harness cannot read or the crate does not have.
    Unreadable(String),
}

impl From<Undefined> for Stop {
    fn from(reason: Undefined) -> Stop {
        Stop::Undefined(reason)
    }
}

type Read<T> = Result<T, Stop>;

/// The crate's outputs for one case.
///
/// # Errors
/// A sentence when the method or an input is not known.
pub(super) fn answer(method: &str, inputs: &Value) -> Result<Outputs, String> {
    let adapter: fn(&Input<'_>, &mut Table) -> Read<()> = match method {
        "special" => special_function,
        "moments" => moments,
        "proportion_z" => proportion_z,
        "proportion_interval" => proportion_interval,
        "proportion_difference_interval" => proportion_difference_interval,
        "welch_t" => welch_t,
        "effect_t" => effect_t,
        "lift_fieller" => lift_fieller,
        "beta_binomial" => beta_binomial_case,
        "bayes_lift" => bayes_lift,
        "asymptotic_cs" => asymptotic_cs,
        "asymptotic_cs_fieller" => asymptotic_cs_fieller,
        "mixture_boundary" => mixture_boundary,
        "cuped" => cuped,
        "ratio" => ratio,
        "srm_chi2" => srm_chi2,
        "srm_sequential" => srm_sequential,
        "srm_sequential_interval" => srm_sequential_interval,
        "srm_epochs" => srm_epochs,
        "p_adjust" => p_adjust,
        "e_bh" => e_bh,
        "power" => power_case,
        "winsorize" => winsorize,
        "quantile_effect" => quantile_effect,
        "quantile_ranks" => quantile_ranks,
        "group_sequential" => group_sequential_case,
        "post_stratified" => post_stratified_case,
        "epochs_effect" => epochs_effect,
        "best_arm" => best_arm_case,
        other => return Err(format!("method {other} is not known")),
    };
    let mut table = Table(Outputs::new());
    match adapter(&Input(inputs), &mut table) {
        Ok(()) => {}
        Err(Stop::Undefined(reason)) => {
            table.text("status", "undefined");
            table.text("reason", reason.reason());
        }
        Err(Stop::Unreadable(problem)) => return Err(problem),
    }
    Ok(table.0)
}

/// Named outputs under construction.
struct Table(Outputs);

impl Table {
    fn number(&mut self, name: &'static str, value: f64) {
        self.0.insert(name, Output::Number(value));
    }

    fn text(&mut self, name: &'static str, value: &'static str) {
        self.0.insert(name, Output::Text(value));
    }

    fn numbers(&mut self, name: &'static str, values: impl IntoIterator<Item = f64>) {
        self.0.insert(name, Output::List(values.into_iter().map(Output::Number).collect()));
    }

    fn optional(value: Option<f64>) -> Output {
        value.map_or(Output::Absent, Output::Number)
    }

    fn interval(&mut self, interval: muriel_stats::Interval) {
        self.number("ci_lower", interval.lower);
        self.number("ci_upper", interval.upper);
    }

    fn test(&mut self, test: &Test) {
        self.number("std_error", test.std_error);
        self.number("df", test.df);
        self.number("p_value", test.p_value);
        self.interval(test.interval);
    }
}

/// An object of inputs.
#[derive(Clone, Copy)]
struct Input<'a>(&'a Value);

impl<'a> Input<'a> {
    fn get(&self, name: &str) -> Read<&'a Value> {
        self.0.get(name).ok_or_else(|| Stop::Unreadable(format!("input {name} is missing")))
    }

    fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    fn object(&self, name: &str) -> Read<Input<'a>> {
        self.get(name).map(Input)
    }

    fn f64(&self, name: &str) -> Read<f64> {
        number(name, self.get(name)?)
    }

    fn count(&self, name: &str) -> Read<u64> {
        whole(name, self.get(name)?)
    }

    fn text(&self, name: &str) -> Read<&'a str> {
        self.get(name)?.as_str().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a text")))
    }

    fn flag(&self, name: &str) -> Read<bool> {
        match self.0.get(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a flag"))),
        }
    }

    fn list<T>(&self, name: &str, item: impl Fn(&str, &'a Value) -> Read<T>) -> Read<Vec<T>> {
        list(name, self.get(name)?, item)
    }

    fn f64s(&self, name: &str) -> Read<Vec<f64>> {
        self.list(name, number)
    }
}

fn list<'a, T>(name: &str, value: &'a Value, item: impl Fn(&str, &'a Value) -> Read<T>) -> Read<Vec<T>> {
    let items = value.as_array().ok_or_else(|| Stop::Unreadable(format!("input {name} is not a list")))?;
    items.iter().map(|value| item(name, value)).collect()
}

fn number(name: &str, value: &Value) -> Read<f64> {
    match value {
        Value::Number(n) => n.as_f64().ok_or_else(|| Stop::Unreadable(format!("input {name} is no double"))),
        Value::String(s) if s == "inf" => Ok(f64::INFINITY),
        Value::String(s) if s == "-inf" => Ok(f64::NEG_INFINITY),
        _ => Err(Stop::Unreadable(format!("input {name} is not a number"))),
    }
}

fn optional_number(name: &str, value: &Value) -> Read<Option<f64>> {
    if value.is_null() { Ok(None) } else { number(name, value).map(Some) }
}

/// A count. What is a number but counts nothing cannot come from real data.
fn whole(name: &str, value: &Value) -> Read<u64> {
    if let Some(n) = value.as_u64() {
        return Ok(n);
    }
    let x = number(name, value)?;
    let exact = x >= 0.0 && x.fract() == 0.0 && x < 18_446_744_073_709_551_616.0;
    if exact { Ok(x as u64) } else { Err(Undefined::InvalidInput.into()) }
}

fn counts(name: &str, value: &Value) -> Read<Vec<u64>> {
    list(name, value, whole)
}

fn unknown(name: &str, value: &str) -> Stop {
    Stop::Unreadable(format!("{name} {value} is not known"))
}

/// Both, or the stop that comes first: unreadable before undefined, then by the order of the reasons.
fn pair<A, B>(a: Read<A>, b: Read<B>) -> Read<(A, B)> {
    match (a, b) {
        (Err(Stop::Unreadable(problem)), _) | (_, Err(Stop::Unreadable(problem))) => Err(Stop::Unreadable(problem)),
        (a, b) => {
            let reason = |stop| match stop {
                Stop::Undefined(reason) => reason,
                Stop::Unreadable(_) => Undefined::InvalidInput,
            };
            Ok(both(a.map_err(reason), b.map_err(reason))?)
        }
    }
}

/// Both arms of a comparison.
fn arms<'a, T>(input: &Input<'a>, arm: impl Fn(&Input<'a>) -> Read<T>) -> Read<(T, T)> {
    pair(arm(&input.object("control")?), arm(&input.object("treatment")?))
}

fn sample(arm: &Input<'_>) -> Read<Sample> {
    let n = arm.count("n")?;
    Ok(if arm.has("conversions") {
        Sample::of_proportion(n, arm.count("conversions")?)?
    } else {
        Sample::of_mean(&Moments::from_sums(n, arm.f64("sum")?, arm.f64("sum_squares")?)?)?
    })
}

fn share(arm: &Input<'_>) -> Read<Share> {
    Ok(Share { n: arm.count("n")?, successes: arm.count("conversions")? })
}

fn effect(input: &Input<'_>) -> Read<Effect> {
    let (control, treatment) = arms(input, sample)?;
    Ok(Effect::of_samples(&control, &treatment)?)
}

/// The effect on the scale that `difference` asks for.
fn scaled(input: &Input<'_>, effect: &Effect) -> Read<Effect> {
    if is_relative(input)? { Ok(effect.relative()?) } else { Ok(*effect) }
}

fn is_relative(input: &Input<'_>) -> Read<bool> {
    match input.text("difference")? {
        "relative" => Ok(true),
        "absolute" => Ok(false),
        other => Err(unknown("difference", other)),
    }
}

fn alternative(input: &Input<'_>) -> Read<Alternative> {
    match if input.has("alternative") { input.text("alternative")? } else { "two-sided" } {
        "two-sided" => Ok(Alternative::TwoSided),
        "larger" => Ok(Alternative::Larger),
        "smaller" => Ok(Alternative::Smaller),
        other => Err(unknown("alternative", other)),
    }
}

/// Two sides unless stated.
fn sides(input: &Input<'_>) -> Read<Sides> {
    match if input.has("sides") { input.count("sides")? } else { 2 } {
        1 => Ok(Sides::One),
        2 => Ok(Sides::Two),
        other => Err(unknown("sides", &other.to_string())),
    }
}

fn special_function(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let args = input.f64s("args")?;
    let value = match (input.text("function")?, args.as_slice()) {
        ("normal_cdf", &[x]) => special::normal_cdf(x),
        ("normal_ppf", &[p]) => special::normal_ppf(p),
        ("student_t_sf", &[t, df]) => special::student_t_sf(t, df),
        ("student_t_ppf", &[p, df]) => special::student_t_ppf(p, df),
        ("chi_squared_sf", &[x, k]) => special::chi_squared_sf(x, k),
        ("beta_cdf", &[x, a, b]) => special::beta_cdf(x, a, b),
        ("ln_gamma", &[x]) => special::ln_gamma(x),
        (other, args) => return Err(unknown("function", &format!("{other} of {} arguments", args.len()))),
    };
    out.number("value", value);
    Ok(())
}

fn moments(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let moments = Moments::from_sums(input.count("n")?, input.f64("sum")?, input.f64("sum_squares")?)?;
    if moments.n > 0 {
        out.number("mean", moments.mean);
    }
    out.number("variance", moments.variance()?);
    out.number("std_error", moments.std_error()?);
    Ok(())
}

fn proportion_z(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let alternative = alternative(input)?;
    match input.text("variance")? {
        "pooled" => {
            let (control, treatment) = arms(input, share)?;
            let test = interval::pooled_z_test(&control, &treatment, alternative)?;
            out.number("difference", test.difference);
            out.number("std_error", test.std_error);
            out.number("z", test.z);
            out.number("p_value", test.p_value);
        }
        "unpooled" => {
            let effect = effect(input)?;
            out.number("difference", effect.num);
            // Without an alpha only the interval, which is then not given, would depend on it.
            let alpha = if input.has("alpha") { Some(input.f64("alpha")?) } else { None };
            let test = interval::z_test(&effect, alpha.unwrap_or(0.05), alternative)?;
            out.number("std_error", test.std_error);
            out.number("z", test.statistic);
            out.number("p_value", test.p_value);
            if alpha.is_some() {
                out.interval(test.interval);
            }
        }
        other => return Err(unknown("variance", other)),
    }
    Ok(())
}

fn proportion_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let method = match input.text("interval")? {
        "wilson" => interval::wilson,
        "clopper_pearson" => interval::clopper_pearson,
        "jeffreys" => interval::jeffreys,
        other => return Err(unknown("interval", other)),
    };
    out.interval(method(&share(input)?, input.f64("alpha")?)?);
    Ok(())
}

fn proportion_difference_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let method = match input.text("interval")? {
        "newcombe" => interval::newcombe,
        "agresti_caffo" => interval::agresti_caffo,
        other => return Err(unknown("interval", other)),
    };
    let (control, treatment) = arms(input, share)?;
    out.interval(method(&control, &treatment, input.f64("alpha")?)?);
    Ok(())
}

fn welch_t(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("difference", effect.num);
    let test = interval::t_test(&effect, input.f64("alpha")?, alternative(input)?)?;
    out.number("t", test.statistic);
    out.test(&test);
    Ok(())
}

/// The t test of an effect on the scale asked for.
fn effect_outputs(input: &Input<'_>, out: &mut Table, effect: &Effect) -> Read<()> {
    let effect = scaled(input, effect)?;
    out.number("effect", effect.num);
    out.test(&interval::t_test(&effect, input.f64("alpha")?, alternative(input)?)?);
    Ok(())
}

fn effect_t(input: &Input<'_>, out: &mut Table) -> Read<()> {
    effect_outputs(input, out, &effect(input)?)
}

fn lift_fieller(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("effect", effect.lift()?);
    let critical = match input.text("critical")? {
        "normal" => interval::z_test(&effect, input.f64("alpha")?, Alternative::TwoSided)?.critical,
        "t" | "student_t" => interval::t_test(&effect, input.f64("alpha")?, Alternative::TwoSided)?.critical,
        other => return Err(unknown("critical", other)),
    };
    let fieller = fieller(&effect, critical)?;
    out.number("g", fieller.g);
    out.interval(fieller.interval?);
    Ok(())
}

fn beta_binomial_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, share)?;
    let prior = input.object("prior")?;
    let got = beta_binomial(&control, &treatment, (prior.f64("alpha")?, prior.f64("beta")?))?;
    out.number("chance_to_win", got.chance_to_win);
    out.number("expected_loss_control", got.expected_loss_control);
    out.number("expected_loss_treatment", got.expected_loss_treatment);
    Ok(())
}

fn bayes_lift(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    let of = input.object("prior")?;
    let prior = match of.text("kind")? {
        "flat" => Prior::Flat,
        "normal" if of.has("scale") && of.text("scale")? != "relative" => {
            return Err(unknown("prior scale", of.text("scale")?));
        }
        "normal" => Prior::Normal { mean: of.f64("mean")?, sd: of.f64("sd")? },
        other => return Err(unknown("prior", other)),
    };
    let view = if is_relative(input)? { posterior_relative } else { posterior };
    let Posterior { mean, sd, interval, chance_to_win, expected_loss_control, expected_loss_treatment } =
        view(&effect, &prior, input.f64("alpha")?, input.flag("lower_is_better")?)?;
    out.number("posterior_mean", mean);
    out.number("posterior_sd", sd);
    out.interval(interval);
    out.number("chance_to_win", chance_to_win);
    out.number("expected_loss_control", expected_loss_control);
    out.number("expected_loss_treatment", expected_loss_treatment);
    Ok(())
}

fn asymptotic_cs(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = scaled(input, &effect(input)?)?;
    out.number("effect", effect.num);
    let (planned, alpha) = (input.f64("tuning_n")?, input.f64("alpha")?);
    match sides(input)? {
        Sides::Two => {
            let got = sequential(&effect, &Mixture::tuned(planned, alpha)?)?;
            out.number("std_error", got.std_error);
            out.number("multiplier", got.multiplier);
            out.number("log_e_value", got.log_e);
            out.number("p_value", got.p_value);
            out.interval(got.interval);
        }
        Sides::One => {
            let side = match input.text("bound")? {
                "lower" => Side::Lower,
                "upper" => Side::Upper,
                other => return Err(unknown("bound", other)),
            };
            let got = sequential_bound(&effect, &Mixture::tuned_one_sided(planned, alpha)?, side)?;
            out.number("std_error", got.std_error);
            out.number("multiplier", got.multiplier);
            out.number("bound", got.bound);
        }
    }
    Ok(())
}

fn asymptotic_cs_fieller(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let effect = effect(input)?;
    out.number("effect", effect.lift()?);
    let got = sequential(&effect, &Mixture::tuned(input.f64("tuning_n")?, input.f64("alpha")?)?)?;
    out.number("multiplier", got.multiplier);
    out.number("g", got.g);
    out.interval(got.lift_interval?);
    Ok(())
}

fn mixture_boundary(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let alpha = input.f64("alpha")?;
    let t = input.f64("t")?;
    let (mixture, multiplier) = match (input.text("rule")?, sides(input)?) {
        ("closed_form", Sides::One) => {
            let mixture = Mixture::tuned_one_sided(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier_one_sided(t))
        }
        ("closed_form", Sides::Two) => {
            let mixture = Mixture::tuned(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        ("exact", Sides::Two) => {
            let mixture = Mixture::exact(input.f64("tuning_n")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        ("msprt", Sides::Two) => {
            let mixture = Mixture::msprt(input.f64("msprt_mixing_variance")?, input.f64("unit_variance")?, alpha)?;
            (mixture, mixture.multiplier(t))
        }
        (other, _) => return Err(unknown("rule", other)),
    };
    out.number("rho", mixture.r);
    out.number("multiplier", multiplier);
    Ok(())
}

/// Joint moments of two values per unit, named by their prefixes.
fn joint(arm: &Input<'_>, n: &str, x: &str, y: &str) -> Read<JointMoments> {
    Ok(JointMoments::from_sums(
        arm.count(n)?,
        arm.f64(&format!("{x}_sum"))?,
        arm.f64(&format!("{x}_sum_squares"))?,
        arm.f64(&format!("{y}_sum"))?,
        arm.f64(&format!("{y}_sum_squares"))?,
        arm.f64("sum_of_products")?,
    )?)
}

fn cuped(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, |arm| joint(arm, "n", "post", "pre"))?;
    let adjusted = Effect::of_adjusted(&control, &treatment)?;
    out.number("theta", adjusted.theta);
    out.number("variance_ratio", adjusted.variance_ratio);
    effect_outputs(input, out, &adjusted.effect)
}

fn ratio(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (control, treatment) = arms(input, |arm| joint(arm, "n", "num", "den"))?;
    let effect = Effect::of_ratios(&control, &treatment)?;
    out.number("ratio_control", control.ratio()?);
    out.number("ratio_treatment", treatment.ratio()?);
    effect_outputs(input, out, &effect)
}

fn srm_chi2(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let got = srm::chi_squared(&counts("counts", input.get("counts")?)?, &input.f64s("weights")?)?;
    match got {
        ChiSquared::Tested { statistic, df, .. } => {
            out.number("chi2", statistic);
            out.number("df", f64::from(df));
        }
        ChiSquared::UnitsInZeroWeightArm => {
            out.text("status", "mismatch");
            out.text("reason", "units_in_zero_weight_arm");
        }
    }
    out.number("p_value", got.p_value());
    Ok(())
}

fn sample_ratio(out: &mut Table, got: &SampleRatio) {
    out.number("log_bayes_factor", got.log_bayes_factor);
    out.numbers("p_values", got.p_values.iter().copied());
    out.number("p_value", got.p_value());
}

fn srm_sequential(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let batches = input.list("batches", counts)?;
    sample_ratio(out, &srm::sequential(&input.f64s("weights")?, &batches, input.f64("concentration")?)?);
    Ok(())
}

fn srm_sequential_interval(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (counts, weights) = (counts("counts", input.get("counts")?)?, input.f64s("weights")?);
    let (&[first, second], &[a, b]) = (counts.as_slice(), weights.as_slice()) else {
        return Err(unknown("number of arms", &counts.len().to_string()));
    };
    let got = srm::share_interval([a, b], [first, second], input.f64("concentration")?, input.f64("alpha")?)?;
    let total = first as f64 + second as f64;
    out.number("share", first as f64 / total);
    out.interval(got);
    Ok(())
}

fn srm_epochs(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let epochs = input.list("epochs", |_, epoch| {
        let epoch = Input(epoch);
        Ok(srm::Epoch { weights: epoch.f64s("weights")?, counts: counts("counts", epoch.get("counts")?)? })
    })?;
    sample_ratio(out, &srm::over_epochs(&epochs, input.f64("concentration")?)?);
    Ok(())
}

fn p_adjust(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let correction = match input.text("correction")? {
        "bonferroni" => Correction::Bonferroni,
        "holm" => Correction::Holm,
        "benjamini_hochberg" => Correction::BenjaminiHochberg,
        "benjamini_yekutieli" => Correction::BenjaminiYekutieli,
        other => return Err(unknown("correction", other)),
    };
    let adjusted = multiplicity::adjust(&input.list("p_values", optional_number)?, correction)?;
    out.0.insert("adjusted", Output::List(adjusted.into_iter().map(Table::optional).collect()));
    Ok(())
}

fn e_bh(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let rejected = multiplicity::e_bh(&input.list("log_e_values", optional_number)?, input.f64("fdr")?)?;
    out.numbers("rejected", rejected.into_iter().map(|i| i as f64));
    Ok(())
}

fn power_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let kind = input.text("kind")?;
    // Every kind may be asked of a rule that may be looked at any time.
    let (kind, looks) = match kind.strip_suffix("_sequential") {
        Some(kind) if input.has("tuning_n") => (kind, Looks::Any { planned_units: Some(input.f64("tuning_n")?) }),
        Some(kind) => (kind, Looks::Any { planned_units: None }),
        None => (kind, Looks::Once),
    };
    let rule = power::Rule { alpha: input.f64("alpha")?, sides: sides(input)?, looks };
    let units = || -> Read<Units> {
        Ok(if input.has("n_per_arm") {
            let n = input.f64("n_per_arm")?;
            Units { control: n, treatment: n }
        } else {
            Units { control: input.f64("n_control")?, treatment: input.f64("n_treatment")? }
        })
    };
    let treatment_share = if input.has("treatment_share") { input.f64("treatment_share")? } else { 0.5 };
    let baseline = || -> Read<Baseline> { Ok(Baseline { mean: input.f64("mean")?, sd: input.f64("sd")? }) };
    let target = || input.f64("target_power");
    let multiplier = |out: &mut Table, units: &Units| -> Read<()> {
        if matches!(looks, Looks::Any { .. }) {
            out.number("multiplier", rule.critical(units.total())?);
        }
        Ok(())
    };
    let sizes = |out: &mut Table, solved: power::Solved<Units>| {
        out.number("n_per_arm", solved.exact.treatment);
        out.number("n_per_arm_rounded", power::whole_units(solved.exact.treatment) as f64);
        out.number("n_per_arm_approx", solved.approximate.treatment);
        // The packages that give totals use the formula without the far tail.
        out.number("n_total", power::whole_units(solved.approximate.total()) as f64);
    };
    match kind {
        "power_mean" => {
            let units = units()?;
            let power = power::power_of_mean(input.f64("effect")?, input.f64("sd")?, &units, &rule)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "power_mean_t" if looks == Looks::Once => {
            let (effect, sd) = (input.f64("effect")?, input.f64("sd")?);
            out.number("power", power::power_of_mean_t(effect, sd, &units()?, rule.alpha, rule.sides)?);
        }
        "power_proportion" => {
            let null = match input.text("variance")? {
                "unpooled" => NullVariance::Unpooled,
                "pooled_null" => NullVariance::Pooled,
                other => return Err(unknown("variance", other)),
            };
            let (control, treatment) = (input.f64("p_control")?, input.f64("p_treatment")?);
            let units = units()?;
            let power = power::power_of_proportion(control, treatment, &units, &rule, null)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "power_lift" => {
            let units = units()?;
            let power = power::power_of_lift(&baseline()?, input.f64("lift")?, &units, &rule)?;
            multiplier(out, &units)?;
            out.number("power", power);
        }
        "mde_mean" => {
            let units = units()?;
            let mde = power::mde_of_mean(input.f64("sd")?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde.exact);
            out.number("mde_approx", mde.approximate);
        }
        "mde_proportion" => {
            let units = units()?;
            let mde = power::mde_of_proportion(input.f64("p_control")?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde.exact);
            out.number("mde_approx", mde.approximate);
        }
        "mde_lift" => {
            let units = units()?;
            let mde = power::mde_of_lift(&baseline()?, &units, &rule, target()?)?;
            multiplier(out, &units)?;
            out.number("mde", mde);
        }
        "sample_size_mean" | "sample_size_total_mean" => {
            let (effect, sd) = (input.f64("effect")?, input.f64("sd")?);
            sizes(out, power::units_for_mean(effect, sd, treatment_share, &rule, target()?)?);
        }
        "sample_size_proportion" | "sample_size_total_proportion" => {
            let variance = match input.text("variance")? {
                "unpooled" => TreatmentVariance::Own,
                "baseline_both_arms" => TreatmentVariance::OfControl,
                other => return Err(unknown("variance", other)),
            };
            let control = input.f64("p_control")?;
            let rise = if input.has("effect") { input.f64("effect")? } else { input.f64("p_treatment")? - control };
            sizes(out, power::units_for_proportion(control, rise, variance, treatment_share, &rule, target()?)?);
        }
        "sample_size_lift" | "sample_size_total_lift" => {
            let lift = input.f64("lift")?;
            sizes(out, power::units_for_lift(&baseline()?, lift, treatment_share, &rule, target()?)?);
        }
        other => return Err(unknown("kind", other)),
    }
    Ok(())
}

fn winsorize(input: &Input<'_>, out: &mut Table) -> Read<()> {
    if input.has("pool") && input.text("pool")? != "all_arms" {
        return Err(unknown("pool", input.text("pool")?));
    }
    let rule = match input.text("rule")? {
        "linear" => Rule::Linear,
        "nearest_rank" => Rule::NearestRank,
        other => return Err(unknown("rule", other)),
    };
    let (control, treatment) = (input.f64s("control")?, input.f64s("treatment")?);
    let cap = cap::threshold(&[&control, &treatment], input.f64("quantile")?, rule, input.flag("ignore_zeros")?)?;
    out.number("cap", cap);
    let mut capped_units = 0;
    for (name, values) in [("control", control), ("treatment", treatment)] {
        let capped = cap::winsorize(&values, cap);
        capped_units += capped.capped_units;
        let (n, mean) = (capped.moments.n as f64, capped.moments.mean);
        let mut group = Table(Outputs::new());
        group.number("n", n);
        group.number("sum", n * mean);
        group.number("sum_squares", capped.moments.m2 + n * mean * mean);
        out.0.insert(name, Output::Group(group.0));
    }
    out.number("capped_units", capped_units as f64);
    Ok(())
}

fn quantile_effect(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let clustered = input.flag("clustered")?;
    let (control, treatment) = arms(input, |arm| {
        let clusters = if clustered { Some(joint(arm, "n_clusters", "at_or_below", "size")?) } else { None };
        Ok(QuantileSample {
            n: arm.count("n")?,
            n_star: arm.count("n_star")?,
            level: arm.f64("quantile_level")?,
            value: arm.f64("quantile")?,
            lower: arm.f64("quantile_lower")?,
            upper: arm.f64("quantile_upper")?,
            clusters,
        })
    })?;
    effect_outputs(input, out, &Effect::of_quantiles(&control, &treatment)?)
}

fn quantile_ranks(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let got = quantile::ranks(input.count("n")?, input.f64("quantile_level")?, input.f64("alpha")?)?;
    out.0.insert("lower_rank", Table::optional(got.lower.map(|rank| rank as f64)));
    out.0.insert("upper_rank", Table::optional(got.upper.map(|rank| rank as f64)));
    Ok(())
}

fn group_sequential_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let of = input.object("spending")?;
    let spending = match of.text("family")? {
        "power" => Spending::Power { rho: of.f64("rho")? },
        "obrien_fleming" => Spending::ObrienFleming,
        "pocock" => Spending::Pocock,
        other => return Err(unknown("spending family", other)),
    };
    let recursion = match input.text("recursion")? {
        "one_sided_per_tail" => Recursion::OneSidedPerTail,
        "two_sided_symmetric" => Recursion::TwoSidedSymmetric,
        other => return Err(unknown("recursion", other)),
    };
    let information = input.f64s("information")?;
    let got = group_sequential::bounds(&information, input.f64("alpha")?, sides(input)?, spending, recursion)?;
    out.numbers("bounds", got.z);
    out.numbers("nominal_p", got.nominal_p);
    Ok(())
}

fn post_stratified_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let strata = input.list("strata", |_, stratum| Ok(effect(&Input(stratum))))?;
    // Every stratum is asked before one's reason is given, for the first in the order of reasons wins.
    let mut all = Ok(Vec::new());
    for stratum in strata {
        all = pair(all, stratum).map(|(mut all, stratum)| {
            all.push(stratum);
            all
        });
    }
    let all = all?;
    let whole = post_stratified(&all)?;
    out.number("control_mean", whole.den);
    if is_relative(input)? {
        out.number("effect", whole.lift()?);
        out.number("std_error", delta_lift(&whole)?.1);
    } else {
        out.number("effect", whole.num);
        out.number("std_error", whole.std_error()?);
    }
    Ok(())
}

fn epochs_effect(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let epochs = input.list("epochs", |_, epoch| {
        let effect = effect(&Input(epoch)).and_then(|effect| scaled(input, &effect));
        match effect {
            Ok(effect) => Ok(Ok(effect)),
            Err(Stop::Undefined(reason)) => Ok(Err(reason)),
            Err(unreadable) => Err(unreadable),
        }
    })?;
    let got = Epochs::combine(&epochs)?;
    out.number("epochs_used", got.used as f64);
    out.number("z", got.studentised.z()?);
    out.number("p_value", got.p_value()?);
    out.number("effect", got.studentised.num);
    out.number("std_error", got.studentised.std_error()?);
    out.number("share_weighted_effect", got.share_weighted.num);
    out.number("share_weighted_std_error", got.share_weighted.std_error()?);
    Ok(())
}

fn best_arm_case(input: &Input<'_>, out: &mut Table) -> Read<()> {
    let (means, std_errors) = (input.f64s("means")?, input.f64s("std_errors")?);
    if means.len() != std_errors.len() {
        return Err(Undefined::InvalidInput.into());
    }
    let arms: Vec<Arm> = means.iter().zip(&std_errors).map(|(&mean, &std_error)| Arm { mean, std_error }).collect();
    let goal = match input.text("goal")? {
        "max" => Goal::Max,
        "min" => Goal::Min,
        other => return Err(unknown("goal", other)),
    };
    let probabilities = best_arm::probabilities(&arms, goal)?;
    out.numbers("weights", best_arm::allocation(&probabilities, input.f64("floor")?)?);
    out.numbers("probabilities", probabilities);
    Ok(())
}
