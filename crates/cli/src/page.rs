//! The script on a project's pages: settings, and the tags to paste.

use crate::config::{Common, SiteFlags, StorageSettings};
use crate::named::no_project;
use crate::open::{Opened, open_existing};
use crate::say::say_stderr;
use crate::server_address::ServerAddress;
use crate::{Error, Result, say};
use clap::Args;
use muriel_context::Actor;
use muriel_context::clock::Clock;
use muriel_delivery::script::{SnippetKind, tags};
use muriel_domain::kept_query::KeepQuery;
use muriel_domain::page::{Base, ConsentMode, PageSettings, Percent};
use muriel_service::projects;
use muriel_store::tenants::{self, Project};

/// New values of settings; the others do not change.
#[derive(Debug, Clone, Default, Args)]
pub struct Changes {
    /// Behaviour before a visitor has answered the consent question: assumed (recorded unless denied), required
    /// (nothing is decided, stored or sent), or memory (decided and shown, not stored; sent once consent is granted).
    /// The server enforces it for events without an API key.
    #[arg(long, value_name = "MODE")]
    pub consent: Option<String>,
    /// Count Global Privacy Control as a denial of consent.
    #[arg(long, value_name = "on|off")]
    pub gpc: Option<String>,
    /// Include automated browsers and crawlers in experiments.
    #[arg(long, value_name = "on|off")]
    pub bots: Option<String>,
    /// Percentage of page views for which health is reported.
    #[arg(long, value_name = "0..100")]
    pub health: Option<String>,
    /// URL at which pages reach the server, such as `https://muriel.example` or /x; empty for the server that
    /// delivered the script.
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,
    /// Query parameters that events keep of addresses, separated by commas, such as `utm_*,ref`; `*` for all, empty for
    /// none. Those that goals and rules name are kept in any case.
    #[arg(long, value_name = "NAMES")]
    pub keep_query: Option<String>,
}

impl Changes {
    /// Returns the settings with these changes.
    ///
    /// # Errors
    /// A value that is not valid; the message names the flag.
    fn over(&self, before: PageSettings) -> Result<PageSettings> {
        let flawed = |flag: &str, flaw| Error::Refused(format!("--{flag} {flaw}"));
        let switch = |flag: &str, word: &Option<String>, before| match word.as_deref() {
            None => Ok(before),
            Some("on") => Ok(true),
            Some("off") => Ok(false),
            Some(_) => Err(Error::Refused(format!("--{flag} must be on or off"))),
        };
        Ok(PageSettings {
            consent: match &self.consent {
                None => before.consent,
                Some(word) => ConsentMode::parse(word).map_err(|flaw| flawed("consent", flaw))?,
            },
            gpc: switch("gpc", &self.gpc, before.gpc)?,
            bots: switch("bots", &self.bots, before.bots)?,
            health: match &self.health {
                None => before.health,
                // Text that is not a number becomes 255, which is out of range.
                Some(text) => Percent::new(text.parse().unwrap_or(u8::MAX)).map_err(|flaw| flawed("health", flaw))?,
            },
            base: match &self.base {
                None => before.base,
                Some(text) => Base::parse(text).map_err(|flaw| flawed("base", flaw))?,
            },
            keep_query: match &self.keep_query {
                None => before.keep_query,
                Some(names) => {
                    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
                    KeepQuery::new(names.collect()).map_err(|flaw| flawed("keep-query", flaw))?
                }
            },
        })
    }
}

/// Changes settings of the project with this key, and returns all its settings. Servers deliver them within a second.
///
/// # Errors
/// An unknown project, and a value that is not valid for its flag.
pub async fn set(opened: &Opened, key: String, changes: Changes) -> Result<PageSettings> {
    let change = move |before| changes.over(before).map_err(|error| muriel_context::Error::Unreadable(error.into()));
    let app = opened.app(Clock::System);
    let settings = projects::change_page_settings(&app, &Actor::COMMAND_LINE, &key, change).await;
    settings.map_err(|error| match error {
        muriel_context::Error::NotFound(_) => no_project(&key),
        other => other.into(),
    })
}

fn named(found: Option<Project>, key: &str) -> Result<Project> {
    found.ok_or_else(|| no_project(key))
}

/// Formats the settings that differ from the defaults on one line: `consent=required gpc=on`.
pub(crate) fn line(settings: &PageSettings) -> String {
    let default = PageSettings::default();
    let switch = |on| if on { "on" } else { "off" };
    let mut words = Vec::new();
    if settings.consent != default.consent {
        words.push(format!("consent={}", settings.consent.word()));
    }
    if settings.gpc != default.gpc {
        words.push(format!("gpc={}", switch(settings.gpc)));
    }
    if settings.bots != default.bots {
        words.push(format!("bots={}", switch(settings.bots)));
    }
    if settings.health != default.health {
        words.push(format!("health={}", settings.health.get()));
    }
    if settings.base != default.base {
        words.push(format!("base={}", settings.base.as_str()));
    }
    if settings.keep_query != default.keep_query {
        words.push(format!("keep-query={}", settings.keep_query.names().join(",")));
    }
    if words.is_empty() { "default".to_owned() } else { words.join(" ") }
}

/// `muriel project snippet`
#[derive(Debug, Clone, Args)]
pub struct Snippet {
    /// Data directory, database and settings file.
    #[command(flatten)]
    pub common: Common,
    /// Names that pages use for the server.
    #[command(flatten)]
    pub site: SiteFlags,
    /// Key of the project.
    pub key: String,
    /// Until the script has decided, for at most a second, hide only elements with the attribute data-muriel instead of
    /// the whole page.
    #[arg(long = "async", conflicts_with = "is_blocking")]
    pub is_async: bool,
    /// Print one tag that blocks the page until the script is loaded: nothing is hidden, but a server that hangs also
    /// blocks the page.
    #[arg(long = "blocking")]
    pub is_blocking: bool,
    /// URL at which pages reach the server, such as `https://muriel.example` [default: the project's setting base,
    /// else the address of the server that uses the data directory].
    #[arg(long, value_name = "URL")]
    pub base: Option<String>,
}

/// Prints the HTML to put into the head of every page.
///
/// # Errors
/// An unknown project, and an unknown server address.
pub async fn snippet(asked: Snippet) -> Result<()> {
    let place = StorageSettings::load(&asked.common)?;
    let site = asked.site.load(&asked.common)?;
    let opened = open_existing(&place).await?;
    let key = asked.key.clone();
    let found = opened.db.read::<_, Error, _>(move |tx| {
        Box::pin(async move {
            let project = named(tenants::project_by_key(tx, &key).await?, &key)?;
            Ok(tenants::settings(tx, project.id).await?.page())
        })
    });
    let found = found.await;
    opened.db.close().await?;
    let base = match &asked.base {
        None => found?.base,
        Some(text) => {
            found?;
            Base::parse(text).map_err(|flaw| Error::Refused(format!("--base {flaw}")))?
        }
    };
    let mut base = base;
    if base.as_str().is_empty()
        && site.visitor_prefix.as_str().is_empty()
        && let Some(server) = ServerAddress::read(&place.data_dir)
    {
        let here = server.public_url.clone().unwrap_or_else(|| server.api());
        say_stderr!("The server is at {here}. If pages reach it at another address, name that with --base.");
        base = Base::parse(&here).map_err(|flaw| Error::Refused(format!("--base {flaw}")))?;
    }
    if base.as_str().is_empty() && site.visitor_prefix.as_str().is_empty() {
        let message = "the address at which pages reach the server is not known: give it with --base https://…, or \
                       store it with muriel project set KEY --base https://…";
        return Err(Error::Refused(message.to_owned()));
    }
    let kind = match (asked.is_blocking, asked.is_async) {
        (true, _) => SnippetKind::Blocks,
        (false, true) => SnippetKind::HidesMarked,
        (false, false) => SnippetKind::HidesPage,
    };
    let html = tags(base.as_str(), site.visitor_prefix.as_str(), site.page_api.as_str(), &asked.key, kind);
    say::text(format_args!("{html}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_are_not_named_stay() {
        let set = |changes: Changes, before| changes.over(before);
        let gpc = Changes { gpc: Some("on".into()), ..Changes::default() };
        let before = set(gpc, PageSettings::default()).unwrap();
        let keep_query = Some("utm_*, ref".into());
        let changes = Changes { health: Some("25".into()), base: Some("/x".into()), keep_query, ..Changes::default() };
        let after = set(changes, before).unwrap();
        assert_eq!(line(&after), "gpc=on health=25 base=/x keep-query=utm_*,ref");
        assert_eq!(line(&PageSettings::default()), "default");
        for (changes, complaint) in [
            (Changes { consent: Some("yes".into()), ..Changes::default() }, "--consent must be"),
            (Changes { gpc: Some("yes".into()), ..Changes::default() }, "--gpc must be on or off"),
            (Changes { bots: Some("".into()), ..Changes::default() }, "--bots must be on or off"),
            (Changes { health: Some("101".into()), ..Changes::default() }, "--health must be from 0 to 100"),
            (Changes { health: Some("-1".into()), ..Changes::default() }, "--health must be from 0 to 100"),
            (Changes { keep_query: Some("a b".into()), ..Changes::default() }, "--keep-query must have names"),
            (Changes { base: Some("https://a/".into()), ..Changes::default() }, "--base must be"),
        ] {
            let error = set(changes, PageSettings::default()).unwrap_err().to_string();
            assert!(error.starts_with(complaint), "{error}");
        }
    }

    #[test]
    fn tags_of_all_kinds() {
        let at = "https://muriel.example";
        assert_eq!(
            tags(at, "", "muriel", "prj_1", SnippetKind::Blocks),
            "<script src=\"https://muriel.example/js/prj_1.js\"></script>\n"
        );
        for (kind, selector) in [(SnippetKind::HidesPage, "html"), (SnippetKind::HidesMarked, "[data-muriel]")] {
            let both = tags("", "/x", "shop", "prj_1", kind);
            let (inline, tag) = both.trim_end().split_once('\n').unwrap();
            assert_eq!(tag, "<script async fetchpriority=\"high\" src=\"/x/js/prj_1.js\"></script>");
            assert!(inline.contains("[\"shop\"]") && inline.contains(&format!("\"{selector}\"+")), "{inline}");
            assert!(!inline.contains("GLOBAL") && !inline.contains("SELECTORS"), "{inline}");
        }
    }
}
