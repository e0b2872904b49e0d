//! Settings of a project.

use crate::page::PageSettings;
use serde::{Deserialize, Serialize};

/// Hands every setting of a project to the macro `$with`, in the order in which they are published.
/// This is the one list of them: the type of this module, which is stored, recorded in the audit log
/// and answered, the reader of requests and the contract's schemas are made from it.
///
/// An entry is a sentence for the contract, the setting's key, its type here and its default. Then
/// follow the function that reads it from a request, its type and limits in requests, and its type and
/// limits in answers.
#[macro_export]
macro_rules! project_settings {
    ($with:ident) => {
        $with! {
            /// Behaviour before a visitor has answered the consent question.
            consent: $crate::page::ConsentMode = $crate::page::ConsentMode::Assumed
                => consent_mode, takes [ConsentMode] {}, shows [ConsentMode] {};
            /// True when Global Privacy Control counts as a denial of consent.
            gpc: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// True when automated browsers and crawlers take part in experiments.
            bots: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// Percentage of page views for which health is reported.
            health: $crate::page::Percent = $crate::page::Percent::TEN
                => percent, takes [i64] { minimum = 0, maximum = 100 }, shows [u8] { minimum = 0, maximum = 100 };
            /// URL at which pages reach the server, such as `https://muriel.example` or `/x`; empty for the server that
            /// delivered the script.
            base: $crate::page::Base = $crate::page::Base::default()
                => base, takes [String] { max_length = 512, example = "https://muriel.example.com" },
                shows [String] { example = "https://muriel.example.com" };
            /// Names of the query parameters that events keep of addresses; `utm_*` stands for all that begin with `utm_`,
            /// and `*` for all. Those that goals and rules name are kept in any case.
            keep_query: $crate::kept_query::KeepQuery = $crate::kept_query::KeepQuery::default()
                => keep_query, takes [Vec<String>] { max_items = 50, example = json!(["utm_*", "ref"]) },
                shows [Vec<String>] { example = json!(["utm_*", "ref"]) };
            /// True when editors may change code that runs on pages.
            editors_have_code: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// True when a second person must approve changes of code.
            approve_code: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// True when a second person must approve changes of live experiments.
            approve_live: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// True when experiments that are known to harm their pages are ended automatically: see `page_health` of a result.
            stop_on_page_harm: bool = false => boolean, takes [bool] {}, shows [bool] {};
            /// Visitors that results count, by who sent their exposures: see `health.unvouched` of a result.
            visitors: $crate::trust::TrustPolicy = $crate::trust::TrustPolicy::Any
                => trust_policy, takes [TrustPolicy] {}, shows [TrustPolicy] {};
            /// Orders and refunds that results count, by who sent them.
            orders: $crate::trust::TrustPolicy = $crate::trust::TrustPolicy::Any
                => trust_policy, takes [TrustPolicy] {}, shows [TrustPolicy] {};
            /// Origins of pages on which visitors enter experiments, such as `https://shop.example`; exposures on other
            /// pages do not count. Empty: all pages.
            page_origins: $crate::page_origins::PageOrigins = $crate::page_origins::PageOrigins::default()
                => page_origins, takes [Vec<String>] { max_items = 50, example = json!(["https://shop.example"]) },
                shows [Vec<String>] { example = json!(["https://shop.example"]) };
        }
    };
}

macro_rules! project_settings_type {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr
            => $read:ident, takes [$($taken:tt)*] { $($limits:tt)* }, shows [$($shown:tt)*] { $($schema:tt)* };
    )*) => {
        /// The keys of [`ProjectSettings`], in their order.
        pub const PROJECT_SETTING_KEYS: &[&str] = &[$(stringify!($setting)),*];

        /// Settings of a project, all of them. The published object is also how they are stored; a setting that is newer
        /// than what is stored has its default.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct ProjectSettings {
            $($(#[doc = $doc])* pub $setting: $type,)*
        }

        impl Default for ProjectSettings {
            fn default() -> Self {
                Self { $($setting: $default,)* }
            }
        }
    };
}
project_settings!(project_settings_type);

impl ProjectSettings {
    /// The settings of the script and the events of the project's pages. A change of these changes what is delivered.
    pub fn page(&self) -> PageSettings {
        let Self { consent, gpc, bots, health, base, keep_query, .. } = self;
        PageSettings {
            consent: *consent,
            gpc: *gpc,
            bots: *bots,
            health: *health,
            base: base.clone(),
            keep_query: keep_query.clone(),
        }
    }

    /// These settings, with those of the script on the project's pages replaced.
    #[must_use]
    pub fn with_page(self, page: PageSettings) -> Self {
        let PageSettings { consent, gpc, bots, health, base, keep_query } = page;
        Self { consent, gpc, bots, health, base, keep_query, ..self }
    }
}

impl Default for PageSettings {
    fn default() -> Self {
        ProjectSettings::default().page()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_settings_are_read_back_and_checked() {
        let default = ProjectSettings::default();
        assert_eq!(serde_json::from_str::<ProjectSettings>("{}").unwrap(), default);
        let text = serde_json::to_string(&default).unwrap();
        let expect = r#"{"consent":"assumed","gpc":false,"bots":false,"health":10,"base":"","keep_query":["utm_*"],"editors_have_code":false,"approve_code":false,"approve_live":false,"stop_on_page_harm":false,"visitors":"any","orders":"any","page_origins":[]}"#;
        assert_eq!(text, expect);
        assert_eq!(serde_json::from_str::<ProjectSettings>(&text).unwrap(), default);
        for bad in [
            r#"{"health":101}"#,
            r#"{"health":-1}"#,
            r#"{"base":"//x"}"#,
            r#"{"consent":"maybe"}"#,
            r#"{"keep_query":["a b"]}"#,
            r#"{"page_origins":["x"]}"#,
        ] {
            assert!(serde_json::from_str::<ProjectSettings>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn page_settings_are_taken_out_and_put_back() {
        let page = PageSettings { gpc: true, bots: true, ..PageSettings::default() };
        let settings = ProjectSettings { approve_code: true, ..ProjectSettings::default() }.with_page(page.clone());
        assert_eq!((settings.page(), settings.approve_code), (page, true));
    }
}
