//! Tests the first experiment of README.md, as pasted.

use crate::{Server, json_output, run, says};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Commands of the section, split into words.
fn commands(values: &[(&str, &str)]) -> Vec<Vec<String>> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, section) = readme.split_once("## Your first experiment").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let code: String =
        section.split("```").skip(1).step_by(2).map(|block| block.strip_prefix("sh\n").unwrap()).collect();
    words(&code, values)
}

/// Splits like a shell, as far as the section needs it.
fn words(code: &str, values: &[(&str, &str)]) -> Vec<Vec<String>> {
    let (mut commands, mut command, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let mut rest = code.chars().peekable();
    let mut quote = None;
    while let Some(letter) = rest.next() {
        match (quote, letter) {
            (Some(mark), letter) if letter == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None | Some('"'), '$') => {
                let mut name = String::new();
                while let Some(letter) = rest.next_if(char::is_ascii_uppercase) {
                    name.push(letter);
                }
                let (_, value) = values.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("${name}"));
                word.get_or_insert_default().push_str(value);
            }
            (None, '\\') if rest.peek() == Some(&'\n') => drop(rest.next()),
            (None, '#') if word.is_none() => while rest.next_if(|letter| *letter != '\n').is_some() {},
            (None, ' ' | '\n' | ';') => {
                command.extend(word.take());
                if letter != ' ' && !command.is_empty() {
                    commands.push(std::mem::take(&mut command));
                }
            }
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    commands
}

#[test]
fn the_first_experiment_ends_with_a_visitor_who_bought() {
    let directory = tempfile::tempdir().unwrap();
    let made = json_output(&["project", "create", "--company", "Acme", "--name", "Shop", "--json"], directory.path());
    let text = |name: &str| made[name].as_str().unwrap().to_owned();
    let (key, project) = (text("api_key"), text("project_key"));
    let server = Server::start(&[], directory.path());
    let site = format!("http://{}", server.address);
    let url = format!("{site}/v2/project/{project}");
    let values = [("KEY", key.as_str()), ("PROJECT", &project), ("SITE", &site), ("URL", &url)];
    let result = directory.path().join("result.json");
    let (mut sent, mut verified) = (0, false);
    for command in commands(&values) {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["curl", words @ ..] => {
                let (mut fields, mut body, mut path, mut into) = (Vec::new(), "", "", None);
                let mut words = words.iter().copied();
                while let Some(word) = words.next() {
                    match word {
                        "-H" => fields.push(words.next().unwrap()),
                        "-d" => body = words.next().unwrap(),
                        word if word.starts_with('>') => into = Some(&word[1..]),
                        word => path = word.strip_prefix(&site).unwrap(),
                    }
                }
                let method = if body.is_empty() { "GET" } else { "POST" };
                let mut answer = server.answer(&format!("{method} {path}"), &fields, body);
                // The server answers 503 while it loads the data.
                while answer.starts_with("HTTP/1.1 503") && method == "GET" {
                    std::thread::sleep(std::time::Duration::from_millis(100));
                    answer = server.answer(&format!("{method} {path}"), &fields, body);
                }
                let (head, body) = answer.split_once("\r\n\r\n").unwrap();
                assert!(head.starts_with("HTTP/1.1 20"), "{path}: {answer}");
                assert!(!body.contains(r#""status":"invalid""#), "{path}: {body}");
                if into == Some("result.json") {
                    fs::write(&result, body).unwrap();
                }
                sent += 1;
            }
            [program, "verify", "result.json"] if program.ends_with("/muriel") => {
                let said = says(&["verify", result.to_str().unwrap()], directory.path());
                assert!(said.contains(" holds: "), "{said}");
                verified = true;
            }
            // Commands that end by themselves, and those that the test replaces.
            ["export", ..] => {}
            [program, "project" | "serve" | "log", ..] if program.ends_with("/muriel") => {
                let known = run(&[words[1], "--help"], directory.path());
                assert!(known.status.success(), "{words:?}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((sent, verified), (5, true));
    let result: Value = serde_json::from_slice(&fs::read(&result).unwrap()).unwrap();
    assert_eq!(
        (&result["total_visitors"], &result["total_conversions"], &result["total_revenue"]),
        (&1.into(), &1.into(), &59.9.into())
    );
    assert_eq!(result["health"]["bots"]["status"], "ok", "{}", result["health"]);
}
