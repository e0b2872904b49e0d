//! Installation of the script on a project's pages.

use crate::app::App;
use crate::report_error::report_error;
use crate::results::cache;
use muriel_context::error::Result;
use muriel_delivery::script::{self, SnippetKind};
use muriel_domain::Instant;
use muriel_domain::page::PageSettings;
use muriel_domain::time::DAY_US;
use muriel_store::tenants::{self, Project};
use muriel_warehouse::PagesQuestion;

/// Maximum age of the events that are considered.
const LOOK_BACK_US: i64 = 7 * DAY_US;
/// Most pages that are shown.
pub const PAGES_MAX: usize = 50;
/// Most addresses that are read: those of one page differ in their queries.
const ADDRESSES_MAX: usize = 1_000;
/// Stores the last fetch of each script.
///
/// # Errors
/// When the database cannot be reached; the next call stores them.
pub async fn write_fetches(app: &App) -> Result<()> {
    let unwritten = app.script_fetches.unwritten();
    if unwritten.is_empty() {
        return Ok(());
    }
    let rows = unwritten.clone();
    app.db
        .write::<_, muriel_context::Error, _>(move |tx| {
            Box::pin(async move { Ok(tenants::script_fetched(tx, &rows).await?) })
        })
        .await?;
    app.script_fetches.written(&unwritten);
    Ok(())
}

/// State of the script's installation on a project's pages.
#[derive(Debug, Clone)]
pub struct Installation {
    /// HTML for the head of pages, which hides the page until the script has loaded.
    pub snippet: String,
    /// HTML for the head of pages, which hides only marked elements.
    pub async_snippet: String,
    /// Last fetch of the script.
    pub last_script_fetch: Option<Instant>,
    /// Time of the last visitor event within the last seven days.
    pub last_event: Option<Instant>,
    /// Pages viewed in the last seven days, last viewed first.
    pub pages: Vec<SeenPage>,
    /// True when the server can derive visitors' countries.
    pub knows_places: bool,
    /// True when the server can also derive visitors' regions and cities.
    pub knows_regions: bool,
}

/// A page that has the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPage {
    /// Address of the page, without query and fragment.
    pub url: String,
    /// Time of the last view.
    pub last_seen: Instant,
}

/// Returns the state of the script's installation. `server` is the server's address, used where the
/// project has no setting for it.
///
/// # Errors
/// `Unavailable` and `NotYet` while events cannot be queried, and when the database cannot be reached.
pub async fn installation(app: &App, project: &Project, server: &str) -> Result<Installation> {
    let id = project.id;
    let (settings, stored): (PageSettings, Option<Instant>) = app
        .read(move |tx| {
            Box::pin(
                async move { Ok((tenants::settings(tx, id).await?.page(), tenants::last_script_fetch(tx, id).await?)) },
            )
        })
        .await?;
    let (pages, last_event) = seen(app, project).await?;
    let prefix = app.site.visitor_prefix.as_str();
    let base = match settings.base.as_str() {
        "" if prefix.is_empty() => server.to_owned(),
        base => base.to_owned(),
    };
    let tags = |kind| script::tags(&base, prefix, app.site.page_api.as_str(), &project.key, kind);
    Ok(Installation {
        snippet: tags(SnippetKind::HidesPage),
        async_snippet: tags(SnippetKind::HidesMarked),
        last_script_fetch: stored.max(app.script_fetches.last(id)),
        last_event,
        pages,
        knows_places: app.visitors.geography.is_on(),
        knows_regions: app.visitors.geography.has_regions(),
    })
}

/// Returns the pages viewed in the last seven days, and the time of the last event.
pub(crate) async fn seen(app: &App, project: &Project) -> Result<(Vec<SeenPage>, Option<Instant>)> {
    let now = app.clock.now();
    let question = PagesQuestion {
        project_key: project.key.as_str().into(),
        from: now.plus_us(-LOOK_BACK_US),
        // Visitors' clocks may be ahead.
        until: now.plus_us(DAY_US),
        limit: ADDRESSES_MAX,
    };
    let answer = cache(app)?.pages(question).await.map_err(report_error)?;
    let mut pages: Vec<SeenPage> = Vec::new();
    for (url, last_seen) in answer.pages {
        let url = without_query(&url);
        if !pages.iter().any(|page| page.url == url) {
            pages.push(SeenPage { url: url.to_owned(), last_seen });
        }
        if pages.len() == PAGES_MAX {
            break;
        }
    }
    Ok((pages, answer.last_event))
}

/// Removes query and fragment, which can contain what visitors entered.
pub fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}
