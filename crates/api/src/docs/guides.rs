//! Renders the guides of `docs/*.md` as pages.

use super::Page;
use super::html::Html;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;

/// Guide that is embedded in the program.
pub(super) struct Guide {
    /// Name in URLs, equal to the file's name.
    pub(super) name: &'static str,
    /// Title in the table of contents.
    pub(super) title: &'static str,
    /// Summary for the list of guides.
    pub(super) about: &'static str,
    text: &'static str,
}

macro_rules! guide {
    ($name:literal, $title:literal, $about:literal) => {
        Guide {
            name: $name,
            title: $title,
            about: $about,
            text: include_str!(concat!("../../../../docs/", $name, ".md")),
        }
    };
}

/// Guides, grouped by audience.
pub(super) const GROUPS: &[(&str, &[Guide])] = &[
    (
        "Run experiments",
        &[
            guide!("results", "Results", "The contents of a result, its freshness, and how to verify it."),
            guide!("schedule", "Dates and rules", "Automatic starts and ends of experiments, and their limits."),
            guide!(
                "groups",
                "Exclusion groups and holdouts",
                "Experiments that share no visitors, and visitors who are kept out of all experiments."
            ),
            guide!("dashboard", "The dashboard", "The purpose of each page."),
            guide!(
                "dashboard-operations",
                "Working together",
                "All experiments at a glance, history, the checklist before a start, and changes that a second person approves."
            ),
            guide!("inbox", "The inbox", "Notifications, watching, and mentions in comments."),
            guide!("methods", "Statistical methods", "How verdicts, intervals and health checks are computed."),
            guide!("glossary", "Glossary", "The terms of this documentation."),
        ],
    ),
    (
        "Integrate",
        &[
            guide!(
                "runtime",
                "The script on pages",
                "The snippet, changes, goals, consent, previews and content security policies."
            ),
            guide!(
                "visitors",
                "Events and visitors",
                "Interfaces for pages and servers, events, identity, and which events count."
            ),
            guide!("integrations", "Integrations", "Tools on the page that receive the variant of a visitor."),
            guide!("webhooks", "Webhooks", "Messages to other systems, their signatures, and when they are retried."),
            guide!("openfeature", "OpenFeature clients", "Decide in your own code, and record exposures."),
            guide!("files", "Experiments as files", "Keep experiments in a repository: export, plan, apply."),
            guide!("mcp", "Tools for agents", "Connect agents over the Model Context Protocol, and limit access."),
            guide!("api", "Using the API", "Keys, PATCH, retries and limits, across all operations."),
            guide!("assignment", "Assignment", "The specification of assignment, for your own clients."),
            guide!("assignment-pages", "Assignment on pages", "Rules about pages: addresses, sources, cookies."),
        ],
    ),
    (
        "Operate",
        &[
            guide!("running", "Running a server", "Settings, storage, PostgreSQL, backups, metrics and upgrades."),
            guide!("backup", "Backup and restore", "Backups while the server runs, checking and restoring them."),
            guide!(
                "visitor-data",
                "Data of one visitor",
                "Exporting and deleting the data of a visitor, and the retention of a project."
            ),
            guide!("security", "Security", "What strangers and members of a team can do, and what prevents the rest."),
            guide!("reliability", "Reliability", "Guarantees about data, and how they are tested."),
            guide!("performance", "Performance", "Measurements, and how to repeat them."),
        ],
    ),
];

/// Pictures that the guides show.
const PICTURES: &[(&str, &str)] = &[
    ("boundary.svg", include_str!("../../../../docs/pictures/boundary.svg")),
    ("fieller.svg", include_str!("../../../../docs/pictures/fieller.svg")),
    ("peeking.svg", include_str!("../../../../docs/pictures/peeking.svg")),
    ("programme.svg", include_str!("../../../../docs/pictures/programme.svg")),
];

pub(super) fn picture(name: &str) -> Option<&'static str> {
    PICTURES.iter().find(|(known, _)| *known == name).map(|(_, picture)| *picture)
}

fn guides() -> impl Iterator<Item = &'static Guide> {
    GROUPS.iter().flat_map(|(_, guides)| *guides)
}

pub(super) fn all() -> impl Iterator<Item = Page> {
    guides().map(Guide::page)
}

pub(super) fn page(name: &str) -> Option<Page> {
    guides().find(|guide| guide.name == name).map(Guide::page)
}

impl Guide {
    fn page(&self) -> Page {
        let mut main = Html::default();
        main.tag("<article class=\"guide\">").piece(&rendered(self.text)).tag("</article>");
        Page::new(format!("docs/guides/{}", self.name), self.title, main)
    }
}

/// Renders Markdown as HTML. HTML within it is escaped.
fn rendered(text: &str) -> Html {
    let mut events: Vec<Event<'_>> = Vec::new();
    let mut anchors = BTreeSet::new();
    // Links to files that are not served are shown as plain text. Links cannot be nested, so one
    // flag is enough.
    let mut is_dropped = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match address(&dest_url) {
                Some(dest_url) => events.push(Event::Start(Tag::Link { link_type, dest_url, title, id })),
                None => is_dropped = true,
            },
            Event::End(TagEnd::Link) if is_dropped => is_dropped = false,
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = CowStr::from(format!("site:docs/{dest_url}"));
                events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::Html(html) | Event::InlineHtml(html) => events.push(Event::Text(html)),
            Event::End(TagEnd::Heading(level)) => {
                let start = events.iter().rposition(|event| matches!(event, Event::Start(Tag::Heading { .. })));
                if let Some(start) = start {
                    let name = unique(&mut anchors, slug(&events[start + 1..]));
                    if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                        *id = Some(name.into());
                    }
                }
                events.push(Event::End(TagEnd::Heading(level)));
            }
            other => events.push(other),
        }
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    // `tabindex` makes long lines scrollable with the keyboard.
    Html::trusted(html.replace("<pre><code", "<pre tabindex=\"0\"><code"))
}

/// Target of a guide's link on this server; `None` for files that are not part of the program.
fn address(target: &str) -> Option<CowStr<'static>> {
    if target.starts_with('#') || target.starts_with("https://") {
        return Some(target.to_owned().into());
    }
    let (file, anchor) = target.split_once('#').map_or((target, String::new()), |(file, to)| (file, format!("#{to}")));
    let name = file.strip_suffix(".md")?;
    guides().find(|guide| guide.name == name)?;
    Some(format!("site:docs/guides/{name}{anchor}").into())
}

/// Anchor of a heading, as code hosts make it: lower case, with `-` between words.
fn slug(heading: &[Event<'_>]) -> String {
    let mut slug = String::new();
    for event in heading {
        if let Event::Text(text) | Event::Code(text) = event {
            for letter in text.chars() {
                match letter {
                    ' ' | '-' => slug.push('-'),
                    '_' => slug.push('_'),
                    _ if letter.is_alphanumeric() => slug.extend(letter.to_lowercase()),
                    _ => {}
                }
            }
        }
    }
    slug
}

fn unique(anchors: &mut BTreeSet<String>, slug: String) -> String {
    let mut name = slug.clone();
    let mut count = 0;
    while !anchors.insert(name.clone()) {
        count += 1;
        name = format!("{slug}-{count}");
    }
    name
}
