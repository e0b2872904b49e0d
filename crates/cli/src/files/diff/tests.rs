use super::*;
use crate::files::content::Files;
use crate::files::parse;
use std::collections::HashMap;

const EXPERIMENT: &str = "test_name = \"A\"\nurl = \"https://a.example/\"\n";

fn tree(parts: &[(&str, &str)]) -> Tree {
    let mut files = Files::from([("project.toml".to_owned(), "format = 1\n".to_owned())]);
    files.extend(parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    parse::read(&files).unwrap_or_else(|found| panic!("{found}"))
}

/// Project with the content of these files.
fn project(tree: &Tree) -> Project {
    let objects: Vec<Stored> = tree
        .wanted
        .iter()
        .zip(1..)
        .map(|(wanted, id)| Stored {
            kind: wanted.kind,
            id,
            name: wanted.name.clone(),
            fields: wanted.fields.clone(),
            has_run: false,
            is_concluded: false,
        })
        .collect();
    Project { names: objects.iter().map(|object| (object.kind, object.name.clone())).collect(), objects }
}

fn experiment(more: &str) -> Tree {
    tree(&[("experiments/a/experiment.toml", &format!("{EXPERIMENT}{more}"))])
}

#[test]
fn statuses_move_as_people_would_have_them() {
    let note = |part: &str| Err(part.to_owned());
    let to = |word: &str| Ok(Some(word.to_owned()));
    for (from, has_run, is_concluded, wanted, resume, expect) in [
        ("draft", false, false, "draft", false, Ok(None)),
        ("draft", false, false, "live", false, to("live")),
        ("draft", false, false, "inactive", false, to("inactive")),
        ("live", true, false, "inactive", false, to("inactive")),
        ("live", true, false, "draft", false, note("is live and stays live")),
        ("inactive", false, false, "live", false, to("live")),
        ("inactive", false, false, "draft", false, to("draft")),
        ("inactive", true, false, "live", false, note("--resume")),
        ("inactive", true, false, "live", true, to("live")),
        ("inactive", true, false, "draft", true, note("has run and was stopped")),
        ("inactive", true, true, "live", true, note("is concluded")),
        ("live", true, false, "", false, Ok(None)),
    ] {
        let line = if wanted.is_empty() { String::new() } else { format!("status = \"{wanted}\"\n") };
        let tree = experiment(&format!("{line}[[variants]]\n"));
        let mut project = project(&tree);
        let stored = &mut project.objects[0];
        stored.fields.insert("status".to_owned(), from.into());
        (stored.has_run, stored.is_concluded) = (has_run, is_concluded);
        let all = changes(&tree, &project, Choices { resume, prune: false }).unwrap();
        let status = all.changes.first().and_then(|change| change.status.clone());
        match expect {
            Ok(status_expected) => {
                assert_eq!((status, all.notes.len()), (status_expected, 0), "{from} {wanted}");
            }
            Err(part) => {
                assert!(all.notes[0].contains(&part) && all.changes.is_empty(), "{from} {wanted}: {:?}", all.notes)
            }
        }
    }
}

#[test]
fn bodies_have_what_differs_and_what_the_interface_needs() {
    let before = experiment("[plan]\nmde = 2\n[[variants]]\n");
    let bandit = "[configuration]\nis_mab = 1\n[[variants]]\n";
    for (has, wants, expect) in [
        ("[[variants]]\n", "tags = [\"x\"]\n[[variants]]\n", json!({ "tags": ["x"] })),
        ("[[variants]]\n", "hypothesis = \"idea\"\n[[variants]]\n", json!({ "hypothesis_id": 9 })),
        ("hypothesis = \"idea\"\n[[variants]]\n", "[[variants]]\n", json!({ "hypothesis_id": null })),
        (
            "variants_data_key = \"https://*/\"\n[[variants]]\n",
            "[[variants]]\nnickname = \"n\"\n",
            json!({
                "variants_data_key": "https://*/",
                "variants": [{ "name": "Variant 1", "nickname": "n", "customJS": "", "customCSS": "", "data": [] }],
            }),
        ),
        // The server chooses the planned visitors if no file sets them.
        (
            "[plan]\nvisitors = 500\n[[variants]]\n",
            "[plan]\nmde = 3\n[[variants]]\n",
            json!({ "plan": { "mde": 3.0, "visitors": 500 } }),
        ),
    ] {
        let idea = ("hypotheses/idea.toml", "problem = \"p\"\n");
        let (has, wants) = (format!("{EXPERIMENT}{has}"), format!("{EXPERIMENT}{wants}"));
        let (has, wants) = (
            tree(&[("experiments/a/experiment.toml", &has), idea]),
            tree(&[("experiments/a/experiment.toml", &wants), idea]),
        );
        let all = changes(&wants, &project(&has), Choices::default()).unwrap();
        let ids = HashMap::from([((Kind::Hypothesis, "idea".to_owned()), 9)]);
        assert_eq!(Value::Object(resolved(&all.changes[0], all.changes[0].body(), &ids)), expect);
    }
    // The clock sets a bandit's weights, so they stay when its configuration is
    // sent.
    let wants = experiment(&bandit.replace("is_mab = 1", "is_mab = 1\ntraffic_allocation = 50"));
    let all = changes(&wants, &project(&experiment(bandit)), Choices::default()).unwrap();
    assert_eq!(all.changes[0].differences.len(), 1);
    assert_eq!(all.changes[0].body()["configuration"]["distribution"], "manual");
    assert_eq!(changes(&before, &project(&before), Choices::default()).unwrap().changes, []);
}

#[test]
fn files_that_do_not_fit_the_project_are_refused() {
    let line = |more: &str| experiment(&format!("{more}[[variants]]\n"));
    for (has, wants, prune, expect) in [
        (
            line("test_type = \"split\"\n"),
            line(""),
            false,
            "a/experiment.toml:1: test_type cannot be changed: it is \"split\" in the project",
        ),
        (line(""), line("variants_data_key = \"https://*/\"\n"), false, ":3: variants_data_key cannot be changed"),
        (
            line(""),
            line("primary_goal_key = \"x\"\n"),
            false,
            ":3: primary_goal_key: there is no goal \"x\" in goals.toml or in the project",
        ),
        (
            line(""),
            line("secondary_goal_keys = [\n\"g\",\n\"x\"]\n"),
            false,
            ":5: secondary_goal_keys[1]: there is no goal \"x\"",
        ),
        (
            line(""),
            line("primary_goal_key = \"g\"\n"),
            true,
            ":3: primary_goal_key: there is no goal \"g\" in goals.toml, and --prune deletes it",
        ),
        (line(""), line("hypothesis = \"x\"\n"), false, ":3: hypothesis: there is no hypothesis \"x\""),
    ] {
        let mut project = project(&has);
        project.names.insert((Kind::Goal, "g".to_owned()));
        let message = changes(&wants, &project, Choices { prune, resume: false }).unwrap_err().to_string();
        assert!(message.contains(expect), "{expect}\n{message}");
    }
    let many: Vec<(String, String)> =
        (1..6).map(|n| (format!("experiments/a/variant-{n}.js"), "x".repeat(510 << 10))).collect();
    let settings = format!("{EXPERIMENT}{}", "[[variants]]\n".repeat(5));
    let mut parts: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    parts.push(("experiments/a/experiment.toml", &settings));
    let large = tree(&parts);
    let message = changes(&large, &Project::default(), Choices::default()).unwrap_err().to_string();
    assert!(message.contains("as one request, which must be below 2097152"), "{message}");
    // An experiment that was created in parts is accepted as long as it does not
    // change.
    assert_eq!(changes(&large, &project(&large), Choices::default()).unwrap().changes, []);
}

#[test]
fn what_files_do_not_have_goes_only_when_asked() {
    let goal = "[[goal]]\ngoal_key = \"g\"\ngoal_name = \"G\"\ngoal_type = \"event\"\ngoal_value = \"g\"\n";
    let whole = format!("{EXPERIMENT}primary_goal_key = \"g\"\n[[variants]]\n");
    let has = project(&tree(&[
        ("goals.toml", goal),
        ("hypotheses/open.toml", "problem = \"p\"\n"),
        ("hypotheses/old.toml", "problem = \"p\"\narchived = true\n"),
        ("experiments/a/experiment.toml", &whole),
    ]));
    let nothing = tree(&[]);
    assert_eq!(changes(&nothing, &has, Choices::default()).unwrap().changes, []);
    let all = changes(&nothing, &has, Choices { prune: true, resume: false }).unwrap().changes;
    let gone: Vec<_> = all.iter().map(|change| (change.kind, change.name.as_str(), change.act.clone())).collect();
    assert_eq!(
        gone,
        [(Kind::Experiment, "a", Act::Remove), (Kind::Hypothesis, "open", Act::Remove), (Kind::Goal, "g", Act::Remove)]
    );
}
