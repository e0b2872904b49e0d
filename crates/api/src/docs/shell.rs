//! Frame of every page: the head, the table of contents, the search form.

use super::basics::CHAPTERS;
use super::guides;
use super::html::{Html, id};
use super::operations::{self, Operation};
use super::{Page, STYLE, version};
use serde_json::Value;

/// Page frame, made from the contract.
pub(super) struct Shell<'a> {
    title: &'a str,
    tags: Vec<(&'a str, Vec<Operation<'a>>)>,
}

impl<'a> Shell<'a> {
    pub(super) fn of(contract: &'a Value) -> Self {
        Self { title: info(contract, "title"), tags: operations::by_tag(contract) }
    }

    /// Renders the whole page. Links are written as `site:PATH` and made relative here, because the server may be
    /// reached under any prefix.
    pub(super) fn render(&self, page: Page) -> String {
        let mut html = Html::default();
        html.tag("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
        html.text(&page.title).tag(" · ").text(self.title).tag("</title>");
        html.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
        html.tag("<meta name=\"color-scheme\" content=\"light dark\">");
        html.tag("<link rel=\"icon\" type=\"image/svg+xml\" href=\"site:docs/icon.svg\">");
        // The query names the content, so a cached style sheet of another release is not used.
        html.tag("<link rel=\"stylesheet\" href=\"site:docs/style.css?").text(&version(STYLE));
        html.tag("\"></head><body><a class=\"skip\" href=\"#content\">Skip to content</a>");
        let contents = self.contents(&page.path);
        html.tag("<nav class=\"side\" aria-label=\"Contents\"><p class=\"brand\"><a href=\"site:docs/start\">")
            .text(self.title);
        html.tag("</a></p>");
        search_form(&mut html, &page.query);
        html.piece(&contents)
            .tag("</nav><nav class=\"top\" aria-label=\"Contents\"><p class=\"brand\"><a href=\"site:docs/start\">");
        html.text(self.title).tag("</a></p>");
        search_form(&mut html, &page.query);
        html.tag("<details><summary>Contents</summary>").piece(&contents).tag("</details></nav><main id=\"content\">");
        html.piece(&page.main).tag("</main></body></html>\n");
        let up = "../".repeat(page.path.matches('/').count());
        // From a page in the root directory, the root is `./`: an empty address would be the page itself.
        let root = if up.is_empty() { "./" } else { &up };
        let text = html.into_string().replace("=\"site:\"", &format!("=\"{root}\""));
        text.replace("=\"site:", &format!("=\"{up}"))
    }

    fn contents(&self, path: &str) -> Html {
        let mut html = Html::default();
        html.tag("<ul>");
        for (group, guides) in guides::GROUPS {
            html.tag("<li><span>").tag(group).tag("</span><ul>");
            for guide in *guides {
                link(&mut html, path, &format!("docs/guides/{}", guide.name));
                html.text(guide.title).tag("</a></li>");
            }
            html.tag("</ul></li>");
        }
        html.tag("<li><a href=\"site:docs\">HTTP API</a><ul>");
        for (anchor, title, _) in CHAPTERS {
            html.tag("<li><a href=\"site:docs#").tag(anchor).tag("\">").tag(title).tag("</a></li>");
        }
        for (place, title) in [("docs/errors", "Errors"), ("docs/types", "Types")] {
            link(&mut html, path, place);
            html.tag(title).tag("</a></li>");
        }
        html.tag("</ul></li>");
        for (tag, operations) in &self.tags {
            html.tag("<li><a href=\"site:docs#tag-").text(&id(tag)).tag("\">").text(tag).tag("</a><ul>");
            for one in operations {
                link(&mut html, path, &format!("docs/operations/{}", one.id));
                html.tag(one.mark).tag(" ").text(&one.title).tag("</a></li>");
            }
            html.tag("</ul></li>");
        }
        html.tag("</ul>");
        html
    }
}

/// Opens an entry of the table of contents, up to its text, and marks the current page.
fn link(html: &mut Html, path: &str, place: &str) {
    html.tag("<li><a href=\"site:").text(place);
    html.tag(if path == place { "\" aria-current=\"page\">" } else { "\">" });
}

/// `query` fills the search field.
fn search_form(html: &mut Html, query: &str) {
    html.tag(
        "<form class=\"find\" role=\"search\" action=\"site:docs/search\"><input type=\"search\" name=\"q\" required ",
    );
    html.tag("value=\"").text(query).tag("\" maxlength=\"200\" aria-label=\"Search the documentation\" placeholder=\"Search\"><button>Search</button></form>");
}

pub(super) fn info<'a>(contract: &'a Value, field: &str) -> &'a str {
    contract.pointer(&format!("/info/{field}")).and_then(Value::as_str).unwrap_or_default()
}
