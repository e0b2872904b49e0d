//! Tests of commands for projects, keys and explanations.

use crate::{Server, json_output, muriel, refuses, says};
use serde_json::{Value, json};
use std::path::Path;

/// Message of a command that fails.
#[track_caller]
fn refused(words: &[&str], directory: &Path) -> String {
    refuses(words, directory).1
}

#[test]
fn projects_and_their_keys_are_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let shop = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], at);
    let blog = json_output(&["project", "create", "--company", "Other", "--name", "Blog", "--json"], at);
    let (shop, blog) = (shop["project_key"].as_str().unwrap(), blog["project_key"].as_str().unwrap());
    let said = refused(&["project", "create", "--company", "Acme", "--name", "Shop"], at);
    assert_eq!(said, format!("muriel: the company \"Acme\" has a project \"Shop\" already; its key is {shop}\n"));

    let all = json_output(&["project", "list", "--json"], at);
    assert_eq!(all["projects"].as_array().unwrap().len(), 2);
    let of_other = json_output(&["project", "list", "--company", "Other", "--json"], at);
    let settings =
        json!({ "consent": "assumed", "gpc": false, "bots": false, "health": 10, "base": "", "keep_query": ["utm_*"] });
    assert_eq!(
        of_other["projects"],
        json!([{ "company_id": 2, "company": "Other", "name": "Blog", "project_key": blog, "settings": settings,
                "retention_days": null }])
    );
    let set = json_output(&["project", "set", blog, "--consent", "required", "--gpc", "on", "--json"], at);
    let settings =
        json!({ "consent": "required", "gpc": true, "bots": false, "health": 10, "base": "", "keep_query": ["utm_*"] });
    assert_eq!(set, json!({ "project_key": blog, "settings": settings }));
    let table = says(&["project", "list"], at);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(lines[0], format!("COMPANY  PROJECT  {:<26}  SETTINGS", "KEY"));
    assert_eq!(lines[1], format!("Acme     Shop     {shop}  default"));
    assert_eq!(lines[2], format!("Other    Blog     {blog}  consent=required gpc=on"));
    let said = refused(&["project", "set", "prj_nowhere", "--gpc", "on"], at);
    assert_eq!(said, "muriel: there is no project with the key prj_nowhere; muriel project list shows all projects\n");
    assert!(refused(&["project", "set", blog, "--health", "101"], at).contains("--health must be from 0 to 100"));

    assert!(refused(&["project", "snippet", shop], at).contains("--base"));
    let tag = says(&["project", "snippet", shop, "--blocking", "--base", "https://muriel.example"], at);
    assert_eq!(tag, format!("<script src=\"https://muriel.example/js/{shop}.js\"></script>\n"));
    let tags = says(&["project", "snippet", shop, "--base", "https://muriel.example"], at);
    let end = format!("<script async fetchpriority=\"high\" src=\"https://muriel.example/js/{shop}.js\"></script>\n");
    assert!(tags.contains("\"html\"+") && tags.ends_with(&end), "{tags}");
    json_output(&["project", "set", shop, "--base", "https://m.shop.example", "--json"], at);
    let tags = says(&["project", "snippet", shop, "--async", "--page-api", "shop"], at);
    assert!(tags.contains("[\"shop\"]") && tags.contains("\"[data-muriel]\""), "{tags}");
    assert!(tags.ends_with(&format!(" src=\"https://m.shop.example/js/{shop}.js\"></script>\n")), "{tags}");
    assert!(refused(&["project", "list", "--company", "Nobody"], at).contains("there is no company \"Nobody\""));

    json_output(&["key", "create", "--company", "Acme", "--project", shop, "--json"], at);
    let keys = json_output(&["key", "list", "--company", "Acme", "--json"], at);
    let of: Vec<_> = keys["keys"].as_array().unwrap().iter().map(|key| key["project_keys"].clone()).collect();
    assert!(of.contains(&Value::Null) && of.contains(&json!([shop])), "{of:?}");
}

#[test]
fn the_command_explains_as_the_api_does() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let made = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], at);
    let (project, key) = (made["project_key"].as_str().unwrap(), made["api_key"].as_str().unwrap());
    let server = Server::start(&[], at);
    let authorization = format!("Authorization: Bearer {key}");
    let ask = |what: &str, body: &str| -> Value {
        let (method, path) = what.split_once(' ').unwrap();
        let request = format!("{method} /v2/project/{project}/{path}");
        let answer = server.answer(&request, &[authorization.as_str(), "Content-Type: application/json"], body);
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let experiment = json!({
        "test_name": "Shorter form", "experiment_key": "short-form", "url": "https://shop.example/", "status": 1,
        "variants": [{ "name": "Variant 1", "nickname": "Four fields", "customCSS": ".x { color: red }" }],
        "targeting": { "allowed_country": [{ "name": "Germany", "code": "DE", "rule": "whitelist" }] },
    });
    let id = ask("POST create-experiment", &experiment.to_string())["test_id"].to_string();

    let file = at.join("context.json");
    std::fs::write(&file, r#"{"country": "FR", "targetingKey": "somebody-else"}"#).unwrap();
    let file = file.to_str().unwrap();
    for (context, query) in [
        (vec![], "visitor=v-1"),
        (vec!["--context", "country=DE"], "visitor=v-1&country=DE"),
        (vec!["--context-json", file], "visitor=v-1&country=FR"),
        (vec!["--context-json", file, "--context", "country=DE"], "visitor=v-1&country=DE"),
    ] {
        let api = ask(&format!("GET experiment/{id}/explain?{query}"), "");
        for which in ["short-form", id.as_str()] {
            let mut words = vec!["explain", "--project", project, "--experiment", which, "--visitor", "v-1", "--json"];
            words.extend(&context);
            assert_eq!(json_output(&words, at), api, "{words:?}");
        }
    }
    let words = ["explain", "--project", project, "--experiment", "short-form", "--visitor", "v-1"];
    let text = muriel(&words, at).env("LC_ALL", "C").output().unwrap().stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with(&format!("v-1 in experiment short-form (id {id}, epoch 1)\n\n  yes  status ")), "{text}");
    assert!(text.contains("?    allowed_country") && text.ends_with("(unknown)\n"), "{text}");

    let said = refused(&["explain", "--project", "prj_x", "--experiment", "a", "--visitor", "v"], at);
    assert_eq!(said, "muriel: there is no project with the key prj_x; muriel project list shows all projects\n");
    let said = refused(&["explain", "--project", project, "--experiment", "99", "--visitor", "v"], at);
    assert_eq!(said, "muriel: the project has no experiment 99\n");
    let said = refused(&["explain", "--project", project, "--experiment", &id, "--visitor", ""], at);
    assert!(said.contains("--visitor"), "{said}");
}
