//! Parses projects and their settings in request bodies.

use super::fields::{boolean, from_body, integer, parsed, word};
use crate::json::Json;
use muriel_domain::page::{Base, ConsentMode, Percent};
use muriel_domain::project::PROJECT_SETTING_KEYS;
use muriel_domain::{Flaw, Problems, project_settings, text as bounded};
use muriel_service::projects::{NAME_MAX, NamedSettings};

/// Parses the name of a new project.
pub(crate) fn project(body: &Json) -> Result<String, Problems> {
    from_body(body, |fields| {
        fields.only(&["name"], &[("project_key", "is made by the server")]);
        fields.needed("name", parsed(|text| bounded::name(text, NAME_MAX)))
    })
}

macro_rules! settings_patch {
    ($(
        $(#[doc = $doc:literal])*
        $setting:ident: $type:ty = $default:expr
            => $read:ident, takes [$($taken:tt)*] { $($limits:tt)* }, shows [$($shown:tt)*] { $($schema:tt)* };
    )*) => {
        /// Changes of a project's name and settings. `None` leaves a setting as it is.
        #[derive(Debug, Default)]
        pub(crate) struct SettingsPatch {
            name: Option<String>,
            $($setting: Option<$type>,)*
        }

        impl SettingsPatch {
            /// Returns the settings with these changes.
            pub(crate) fn over(self, before: NamedSettings) -> NamedSettings {
                let NamedSettings { name, mut settings } = before;
                $(settings.$setting = self.$setting.unwrap_or(settings.$setting);)*
                NamedSettings { name: self.name.unwrap_or(name), settings }
            }
        }

        /// Parses changes of a project's name and settings.
        pub(crate) fn settings(body: &Json) -> Result<SettingsPatch, Problems> {
            from_body(body, |fields| {
                let keys = [&["name"], PROJECT_SETTING_KEYS].concat();
                fields.only(&keys, &[("project_key", "identifies the project and cannot be changed")]);
                Some(SettingsPatch {
                    name: fields.read("name", parsed(|text| bounded::name(text, NAME_MAX))),
                    $($setting: fields.read(stringify!($setting), $read),)*
                })
            })
        }
    };
}
project_settings!(settings_patch);

fn consent_mode(value: &Json) -> Result<ConsentMode, Flaw> {
    word(&ConsentMode::WORDS)(value)
}

fn percent(value: &Json) -> Result<Percent, Flaw> {
    let number = integer(0..=100)(value)?;
    Percent::new(u8::try_from(number).unwrap_or(u8::MAX))
}

fn base(value: &Json) -> Result<Base, Flaw> {
    parsed(Base::parse)(value)
}
