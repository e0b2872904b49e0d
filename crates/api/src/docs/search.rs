//! Search over the pages of the documentation.

use super::Page;
use super::html::Html;

/// Maximum number of results. A more specific query narrows them down.
const MAX_RESULTS: usize = 40;
/// Longer queries are cut.
const MAX_QUERY_CHARS: usize = 200;
/// Words beyond these are ignored.
const MAX_WORDS: usize = 8;
/// Characters of text around the first match.
const EXCERPT_CHARS: usize = 180;

/// Searchable text of all pages, by section.
pub(super) struct Index(Vec<Section>);

/// Target of a result: a page, or a part of it that has an anchor.
struct Section {
    path: String,
    /// Title of the page, followed by the section's.
    title: String,
    text: String,
    /// Title and text in lower case, for matching.
    folded_title: String,
    folded: String,
}

impl Index {
    pub(super) fn of(pages: Vec<Page>) -> Self {
        Self(pages.into_iter().flat_map(sections).collect())
    }

    /// Sections that contain every word, with those that have words in their
    /// title first.
    fn find(&self, words: &[String]) -> Vec<&Section> {
        let mut found: Vec<(usize, &Section)> = self
            .0
            .iter()
            .filter(|section| {
                words.iter().all(|word| section.folded_title.contains(word) || section.folded.contains(word))
            })
            .map(|section| (words.iter().filter(|word| !section.folded_title.contains(*word)).count(), section))
            .collect();
        found.sort_by_key(|(missing_in_title, section)| (*missing_in_title, section.title.len()));
        found.into_iter().map(|(_, section)| section).collect()
    }
}

/// Splits a page into parts: one for each second-level heading with an id.
fn sections(page: Page) -> Vec<Section> {
    let html = page.main.into_string();
    let mut starts: Vec<usize> = ["<h2 id=\"", "<section class=\"kind\" id=\"", "<section class=\"chapter\" id=\""]
        .iter()
        .flat_map(|mark| html.match_indices(mark).map(|(at, _)| at))
        .collect();
    starts.sort_unstable();
    starts.insert(0, 0);
    let ends = starts.iter().skip(1).copied().chain([html.len()]);
    let parts = starts.iter().zip(ends).map(|(from, to)| &html[*from..to]);
    parts
        .filter_map(|part| {
            let text = plain(part);
            let anchor = part.split_once(" id=\"").filter(|_| part.starts_with("<h2") || part.starts_with("<section"));
            let anchor = anchor.and_then(|(_, rest)| rest.split('"').next());
            let heading = anchor.and_then(|_| plain(part.split("</h2>").next()?).trim().to_owned().into());
            let title = match heading.filter(|heading| !heading.is_empty()) {
                Some(heading) => format!("{}: {heading}", page.title),
                None => page.title.clone(),
            };
            let path = anchor.map_or_else(|| page.path.clone(), |anchor| format!("{}#{anchor}", page.path));
            let (folded_title, folded) = (title.to_lowercase(), text.to_lowercase());
            (!text.trim().is_empty()).then_some(Section { path, title, text, folded_title, folded })
        })
        .collect()
}

/// Extracts the text of markup that this program made.
fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len() / 2);
    for (at, piece) in html.split('<').enumerate() {
        let after = if at == 0 { piece } else { piece.split_once('>').map_or("", |(_, after)| after) };
        // Separate the words of different elements.
        if !text.ends_with(char::is_whitespace) && !after.starts_with(|letter: char| ".,;:)!?".contains(letter)) {
            text.push(' ');
        }
        text.push_str(after);
    }
    for (escaped, letter) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
        text = text.replace(escaped, letter);
    }
    text
}

/// Page of results. `query` is the query of the URL.
pub(super) fn page(index: &Index, query: &str) -> Page {
    let asked = asked(query);
    let words: Vec<String> = asked.to_lowercase().split_whitespace().take(MAX_WORDS).map(str::to_owned).collect();
    let mut main = Html::default();
    main.tag("<header><h1>Search</h1></header>");
    let found = if words.is_empty() { Vec::new() } else { index.find(&words) };
    main.tag("<p class=\"lead\" role=\"status\">");
    match (words.is_empty(), found.len()) {
        (true, _) => main.tag("Enter a word, a field or an error code."),
        (_, 0) => main.tag("Nothing was found for “").text(&asked).tag("”. Fewer or shorter words find more."),
        (_, 1) => main.tag("One result for “").text(&asked).tag("”."),
        (_, count) => {
            main.text(&count.to_string()).tag(" results for “").text(&asked).tag("”");
            if count > MAX_RESULTS {
                main.tag(", the first ").text(&MAX_RESULTS.to_string()).tag(" of them:")
            } else {
                main.tag(":")
            }
        }
    };
    main.tag("</p><ul class=\"operations\">");
    for section in found.into_iter().take(MAX_RESULTS) {
        main.tag("<li><a href=\"site:").text(&section.path).tag("\">").text(&section.title).tag("</a><p>");
        main.text(&excerpt(section, &words)).tag("</p></li>");
    }
    main.tag("</ul>");
    Page { query: asked, ..Page::new("docs/search", "Search", main) }
}

/// Value of `q`, cut to the maximum length.
fn asked(query: &str) -> String {
    let value = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "q").map(|(_, value)| value);
    value.unwrap_or_default().trim().chars().take(MAX_QUERY_CHARS).collect()
}

/// Excerpt around the first match of a word.
fn excerpt(section: &Section, words: &[String]) -> String {
    let text: Vec<&str> = section.text.split_whitespace().collect();
    let matching = |part: &&str| words.iter().any(|word| part.to_lowercase().contains(word.as_str()));
    // Some words before the match give context.
    let from = text.iter().position(matching).unwrap_or(0).saturating_sub(8);
    let mut excerpt = String::from(if from > 0 { "…" } else { "" });
    for word in &text[from..] {
        if excerpt.chars().count() + word.chars().count() > EXCERPT_CHARS {
            excerpt.push('…');
            break;
        }
        if !excerpt.is_empty() && excerpt != "…" {
            excerpt.push(' ');
        }
        excerpt.push_str(word);
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded_and_bounded() {
        for (query, expect) in [
            ("q=a+b", "a b"),
            ("x=1&q=caf%C3%A9%2B", "café+"),
            ("q=%", "%"),
            ("q=%zz%2", "%zz%2"),
            ("q=%ff", "\u{fffd}"),
            ("", ""),
            ("qq=1", ""),
        ] {
            assert_eq!(asked(query), expect, "{query}");
        }
        assert_eq!(asked(&format!("q={}", "é".repeat(5_000))).chars().count(), MAX_QUERY_CHARS);
    }

    #[test]
    fn sections_have_their_text_and_their_anchor() {
        let mut main = Html::default();
        main.tag(
            "<h1>Top</h1><p>first &amp; <code>a</code>.</p><h2 id=\"b\"><a href=\"#b\">Second</a></h2><p>later</p>",
        );
        let found = sections(Page::new("docs/x", "X", main));
        let seen: Vec<_> = found.iter().map(|one| (one.path.as_str(), one.title.as_str(), one.text.trim())).collect();
        assert_eq!(seen, [("docs/x", "X", "Top first & a."), ("docs/x#b", "X: Second", "Second later")]);
    }
}
