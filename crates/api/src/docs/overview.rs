//! `/docs`: facts that apply to all requests, and the list of operations.

use super::basics::CHAPTERS;
use super::html::{Html, id};
use super::operations::{by_tag, route, tag_description};
use super::shell::info;
use super::{Documentation, Page};

pub(super) fn page(docs: &Documentation) -> Page {
    let contract = &docs.contract;
    let mut main = Html::default();
    main.tag("<header><h1>").text(info(contract, "title")).tag(" HTTP API</h1><p class=\"version\">Interface ");
    main.text(info(contract, "version")).tag(" · server ").text(env!("CARGO_PKG_VERSION"));
    main.tag(" · <a href=\"site:openapi.json\">OpenAPI 3.1 document</a></p>");
    for paragraph in info(contract, "description").split("\n\n") {
        main.tag("<p class=\"lead\">").prose(paragraph).tag("</p>");
    }
    main.tag("</header>");
    for (anchor, title, write) in CHAPTERS {
        chapter(&mut main, anchor, title);
        write(&mut main);
        main.tag("</section>");
    }
    for (tag, operations) in by_tag(contract) {
        chapter(&mut main, &format!("tag-{}", id(tag)), tag);
        if let Some(description) = tag_description(contract, tag) {
            main.tag("<p>").prose(description).tag("</p>");
        }
        main.tag("<ul class=\"operations\">");
        for one in operations {
            main.tag("<li id=\"").text(&one.id).tag("\"><a href=\"site:docs/operations/").text(&one.id).tag("\">");
            main.text(&one.title).tag("</a> <span class=\"route\">").tag(one.mark).tag(" <code>");
            route(&mut main, one.path);
            main.tag("</code></span><p>").prose(one.summary()).tag("</p></li>");
        }
        main.tag("</ul></section>");
    }
    Page::new("docs", "HTTP API", main)
}

fn chapter(html: &mut Html, anchor: &str, title: &str) {
    html.tag("<section class=\"chapter\" id=\"").text(anchor).tag("\"><h2><a href=\"#").text(anchor).tag("\">");
    html.text(title).tag("</a></h2>");
}
