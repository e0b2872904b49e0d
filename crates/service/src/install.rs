//! Whether the script of a project is on its pages.

use crate::app::App;
use crate::error::Result;
use crate::results::{cache, report_error};
use crate::script::{self, SnippetKind};
use muriel_domain::Instant;
use muriel_domain::page::PageSettings;
use muriel_domain::time::DAY_US;
use muriel_store::tenants::{self, Project};
use muriel_warehouse::PagesQuestion;

/// Events are looked at that are not older.
const LOOK_BACK_US: i64 = 7 * DAY_US;
/// Pages that are shown at most.
pub const PAGES_MAX: usize = 50;
/// Addresses that are read at most: those of one page differ in their queries.
const ADDRESSES_MAX: usize = 1_000;
/// Stores when scripts were last fetched.
///
/// # Errors
/// When the database cannot be reached; they are stored with the next call.
pub async fn write_fetches(app: &App) -> Result<()> {
    let unwritten = app.script_fetches.unwritten();
    if unwritten.is_empty() {
        return Ok(());
    }
    let rows = unwritten.clone();
    app.db
        .write::<_, crate::Error, _>(move |tx| Box::pin(async move { Ok(tenants::script_fetched(tx, &rows).await?) }))
        .await?;
    app.script_fetches.written(&unwritten);
    Ok(())
}

/// Whether the script is on pages.
#[derive(Debug, Clone)]
pub struct Installation {
    /// What pages have in their head, so that the page waits for the script hidden.
    pub snippet: String,
    /// The same, where only marked elements are hidden.
    pub async_snippet: String,
    /// When the script was last fetched.
    pub last_script_fetch: Option<Instant>,
    /// When the last event of a visitor came, in the last seven days.
    pub last_event: Option<Instant>,
    /// Pages that were viewed in the last seven days, the one viewed last first.
    pub pages: Vec<SeenPage>,
    /// Whether the server knows the countries of visitors.
    pub knows_places: bool,
    /// Whether it knows their regions and cities, too.
    pub knows_regions: bool,
}

/// A page with the script on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenPage {
    /// Its address, without query and fragment.
    pub url: String,
    /// When it was viewed last.
    pub last_seen: Instant,
}

/// Whether the script of a project is on its pages. `server` is where the server is reached, which is used where the project
/// does not say it.
///
/// # Errors
/// `Unavailable` and `NotYet` while no events can be looked at, and when the database cannot be reached.
pub async fn installation(app: &App, project: &Project, server: &str) -> Result<Installation> {
    let id = project.id;
    let (settings, stored): (PageSettings, Option<Instant>) = app
        .read(move |tx| {
            Box::pin(
                async move { Ok((tenants::page_settings(tx, id).await?, tenants::last_script_fetch(tx, id).await?)) },
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

/// Pages that were viewed in the last seven days, and when the last event came.
pub(crate) async fn seen(app: &App, project: &Project) -> Result<(Vec<SeenPage>, Option<Instant>)> {
    let now = app.clock.now();
    let question = PagesQuestion {
        project_key: project.key.as_str().into(),
        from: now.plus_us(-LOOK_BACK_US),
        // Clocks of visitors may be ahead.
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

/// The address without query and fragment, which can hold what visitors entered.
pub fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or_default()
}
