//! Configuration: how an experiment runs and when it ends.

use super::distribution::{Distribution, DistributionPatch};
use super::integration::{self, Integration};
use crate::{Instant, Problems};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Passes every setting of a configuration to the macro `$with`, in the order in which they are published. This is the
/// only list of the settings: the types of this module, the request reader and the contract's schema are generated from
/// it.
///
/// An entry consists of a description for the contract, the setting's key, its type here and its default; the module
/// that stores and publishes it, when its type does not imply that; the type of a change, and how a change is applied.
/// Then follows how the interface publishes it: the function that reads it from a request, its type in the contract,
/// and its limits there.
#[macro_export]
macro_rules! configuration_settings {
    ($with:ident) => {
        $with! {
            /// Percentage of eligible visitors that enter.
            traffic_allocation: i64 = 100, patch i64 as replaced
                => percentage [i64] { nullable = false, minimum = 0, maximum = 100, default = 100 };
            /// Confidence threshold in percent.
            confidence_interval: i64 = 95, patch i64 as replaced
                => confidence [i64] { nullable = false, minimum = 50, maximum = 99, default = 95 };
            /// Start time of a draft or inactive experiment. A date that has passed when it is set has no effect.
            start_test_date: Option<Instant> = None, patch Option<Instant> as replaced
                => moment [Moment] { nullable = false };
            /// When it is deactivated. A date that has passed when the experiment is started has no effect.
            end_test_date: Option<Instant> = None, patch Option<Instant> as replaced
                => moment [Moment] { nullable = false };
            /// Multi-armed bandit: while the experiment is live, its weights follow the result of the primary goal.
            is_mab: bool = false, stored by "flag", patch bool as replaced
                => switch [Flag] { nullable = false };
            /// Automatically serves a winner to more and more visitors, and stops when it makes something worse.
            is_autopilot: bool = false, stored by "flag", patch bool as replaced
                => switch [Flag] { nullable = false };
            /// Shares of the arms.
            distribution: Distribution = Distribution::Unset, patch DistributionPatch as kept
                => shares [Distribution] {};
            /// 1 Bayesian statistics (the default), 0 frequentist.
            bayesian: bool = true, stored by "flag", patch bool as replaced
                => switch [Flag] { nullable = false };
            /// Options for applying changes to the page, separated by spaces. `early` runs code at once, `once` changes each element once,
            /// with `hydrated`, changes of text and nodes wait for a framework, and with `immediate` they never wait.
            dom_change_path: Option<String> = None, patch Option<String> as replaced
                => short_text [String] { max_length = 255 };
            /// When variant code runs on dynamic pages.
            trigger_variant_change: Option<String> = None, patch Option<String> as replaced
                => short_text [String] { max_length = 255 };
            /// Ends the experiment once this many visitors have entered, all arms together; 0 turns the rule
            /// off.
            completion_visitor: Option<i64> = None, stored by "limit", patch Option<i64> as replaced
                => limit [i64] { nullable = false, minimum = 0 };
            /// Ends the experiment once this many visitors have converted on the primary goal, all arms
            /// together; 0 turns the rule off.
            completion_conversion: Option<i64> = None, stored by "limit", patch Option<i64> as replaced
                => limit [i64] { nullable = false, minimum = 0 };
            /// 1: ends the experiment when the verdict on the primary goal is reached and no health check
            /// fails.
            completion_stats_significant_flag: bool = false, stored by "flag", patch bool as replaced
                => switch [Flag] { nullable = false };
            /// Ends the experiment this number of days after its first start; 0 turns the rule off.
            completion_after_period: Option<i64> = None, stored by "limit", patch Option<i64> as replaced
                => limit [i64] { nullable = false, minimum = 0 };
            /// Integrations to which a visitor's arm is sent: a name, or `{"name", "settings"}`. Unknown
            /// names are stored, but nothing is sent to them, and the response has a warning.
            integration: Vec<Value> = Vec::new(), patch Vec<Value> as replaced
                => integrations [Vec<Integration>] { nullable = false, max_items = 50 };
        }
    };
}

macro_rules! configuration_types {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr, $(stored by $stored:literal,)? patch $patch:ty as $merge:ident
            => $read:ident [$($published:tt)*] { $($schema:tt)* };
    )*) => {
        /// Keys of [`Configuration`], in the order of its fields.
        pub const CONFIGURATION_KEYS: &[&str] = &[$(stringify!($setting)),*];

        /// All settings of an experiment. A rule that is off is `None` here, and 0 in the published object, which is
        /// also the stored form.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Configuration {
            $($(#[doc = $doc])* $(#[serde(with = $stored)])? pub $setting: $type,)*
        }

        impl Default for Configuration {
            fn default() -> Self {
                Self { $($setting: $default,)* }
            }
        }

        /// Changes to a configuration: `None` keeps a setting. Ranges have been checked already;
        /// [`ConfigurationPatch::apply`] checks what depends on other settings.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct ConfigurationPatch {
            $(#[doc = concat!("See [`Configuration::", stringify!($setting), "`].")] pub $setting: Option<$patch>,)*
        }

        impl ConfigurationPatch {
            /// Returns the configuration after this patch, without the settings that depend on others.
            fn merged(self, before: &Configuration) -> Configuration {
                Configuration { $($setting: $merge(self.$setting, &before.$setting),)* }
            }
        }
    };
}
configuration_settings!(configuration_types);

/// Returns the setting that was sent, or else the previous one.
fn replaced<T: Clone>(sent: Option<T>, before: &T) -> T {
    sent.unwrap_or_else(|| before.clone())
}

/// Returns the previous setting. Used for settings whose change depends on others.
fn kept<P, T: Clone>(_: Option<P>, before: &T) -> T {
    before.clone()
}

impl Configuration {
    /// The integrations that are notified of a visitor's arm. Unknown entries and repeated names are left out.
    pub fn integrations(&self) -> Vec<Integration> {
        integration::integrations(&self.integration)
    }
}

/// Serialises flags as 0 or 1, as published.
pub(super) mod flag {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::experiment) fn serialize<S: Serializer>(flag: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(u8::from(*flag))
    }

    pub(in crate::experiment) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
        Ok(u8::deserialize(deserializer)? == 1)
    }
}

/// Serialises limits as published: 0 when off.
mod limit {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(limit: &Option<i64>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(limit.unwrap_or(0))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
        Ok(Some(i64::deserialize(deserializer)?).filter(|limit| *limit > 0))
    }
}

impl ConfigurationPatch {
    /// Returns the configuration after this patch, for `arms` arms. Existing weights are resized to them first.
    ///
    /// # Errors
    /// An end that is not after the start, and weights that do not match the arms. Reports all problems at once.
    pub fn apply(mut self, before: &Configuration, arms: usize) -> Result<Configuration, Problems> {
        let mut problems = Problems::default();
        let in_force = before.distribution.resized(arms);
        let distribution =
            match self.distribution.take().map_or(Ok(in_force.clone()), |patch| patch.apply(&in_force, arms)) {
                Ok(distribution) => distribution,
                Err(found) => {
                    for problem in found.iter() {
                        problems.add(format!("distribution{}", problem.field), &*problem.message);
                    }
                    in_force
                }
            };
        let after = Configuration { distribution, ..self.merged(before) };
        if let (Some(start), Some(end)) = (after.start_test_date, after.end_test_date)
            && end <= start
        {
            problems.add("end_test_date", "must be after start_test_date");
        }
        problems.none_or(after)
    }
}
