//! `/docs/start`: start page for people who want to know what the server can do.

use super::html::Html;
use super::shell::info;
use super::{Documentation, Page, guides};

pub(super) fn page(docs: &Documentation) -> Page {
    let mut main = Html::default();
    main.tag("<header><h1>Start with ").text(info(&docs.contract, "title")).tag("</h1><p class=\"lead\">");
    main.tag("This server manages experiments, decides who sees which variant, records what visitors do and reports ");
    main.tag("results. People use the <a href=\"site:\">dashboard</a>; programs use the HTTP API, and operators the ");
    main.tag("command line.</p></header>");
    main.tag("<section class=\"chapter\"><h2>First steps of a program</h2><ol class=\"steps\">");
    main.tag(
        "<li>Create a project and its API key in the <a href=\"site:settings/keys\">dashboard</a>, or on the server's ",
    );
    main.tag("machine, with the server's <code>--data-dir</code> or <code>--config</code>, if it has one:");
    main.tag("<pre tabindex=\"0\" role=\"group\" aria-label=\"Command\"><code>");
    main.tag("muriel project create --company Acme --name Shop</code></pre></li>");
    main.tag(
        "<li><a href=\"site:docs/operations/createExperiment\">Create an experiment</a> with that key. The response ",
    );
    main.tag("has its <code>test_id</code>.</li>");
    main.tag(
        "<li>Put the script on your pages (<a href=\"site:docs/guides/runtime\">the script on pages</a>), or decide ",
    );
    main.tag("in your own code (<a href=\"site:docs/guides/openfeature\">OpenFeature clients</a>).</li>");
    main.tag("<li>Read the <a href=\"site:docs/operations/getResult\">result</a>, and how to interpret it ");
    main.tag("(<a href=\"site:docs/guides/results\">results</a>).</li></ol></section>");
    main.tag(
        "<section class=\"chapter\"><h2>Documentation</h2><ul class=\"operations\"><li><a href=\"site:docs\">HTTP ",
    );
    main.tag("API</a><p>Every operation with its fields, errors and an example.</p></li>");
    for guide in guides::GROUPS.iter().flat_map(|(_, guides)| *guides) {
        main.tag("<li><a href=\"site:docs/guides/").text(guide.name).tag("\">").text(guide.title).tag("</a><p>");
        main.prose(guide.about).tag("</p></li>");
    }
    main.tag("</ul></section>");
    Page::new("docs/start", "Start", main)
}
