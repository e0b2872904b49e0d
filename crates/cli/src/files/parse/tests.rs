use super::*;
use serde_json::json;

/// Files of a project with one experiment, with some replaced or added.
fn files(parts: &[(&str, &str)]) -> Files {
    let minimal = "test_name = \"A\"\nurl = \"https://a.example/\"\n\n[[variants]]\n";
    let mut files: Files = [("project.toml", "format = 1\n"), ("experiments/a/experiment.toml", minimal)]
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect();
    files.extend(parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
    files
}

#[test]
fn what_files_leave_out_has_its_default() {
    let tree = read(&files(&[
        ("project.toml", "format = 1\nproject_key = \"prj_1\"\n"),
        (
            "goals.toml",
            "[[goal]]\ngoal_key = \"bought\"\ngoal_name = \"Bought\"\ngoal_type = \"event\"\ngoal_value = \"b\"\n",
        ),
        ("hypotheses/idea.toml", "problem = \"Slow\"\n"),
        (
            "experiments/a/experiment.toml",
            "test_name = \"A\"\nurl = \"https://a.example/\"\nstatus = \"live\"\nhypothesis = \"idea\"\n\
             [configuration]\nstart_test_date = 2026-03-01\n[[variants]]\n[[variants]]\nnickname = \"Two\"\n",
        ),
        ("experiments/a/control.css", "c"),
        ("experiments/a/variant-2.js", "b()"),
        ("experiments/a/variant-2.changes.json", "[{\"rm\": \"#x\"}]"),
    ]))
    .unwrap();
    assert_eq!(tree.project.as_deref(), Some("prj_1"));
    let names: Vec<_> = tree.wanted.iter().map(|wanted| (wanted.kind, wanted.name.as_str())).collect();
    assert_eq!(names, [(Kind::Goal, "bought"), (Kind::Hypothesis, "idea"), (Kind::Experiment, "a")]);
    assert_eq!(tree.wanted[0].fields["min_count"], 1);
    assert_eq!(tree.wanted[1].fields["archived"], false);
    let experiment = &tree.wanted[2];
    let fields = Value::Object(experiment.fields.clone());
    assert_eq!(experiment.left_alone, ["plan.visitors", "variants_data_key"]);
    assert_eq!((&fields["status"], &fields["hypothesis"]), (&json!("live"), &json!("idea")));
    assert_eq!(fields["configuration"]["start_test_date"], "2026-03-01T00:00:00.000Z");
    assert_eq!(fields["control"]["customCSS"], "c");
    let two =
        json!({ "name": "Variant 2", "nickname": "Two", "customJS": "b()", "customCSS": "", "data": [{ "rm": "#x" }] });
    assert_eq!(fields["variants"][1], two);
}

#[test]
fn problems_name_file_and_line() {
    let experiment = "experiments/a/experiment.toml";
    for (parts, expect) in [
        (vec![("project.toml", "format = 2")], "project.toml:1: format must be 1"),
        (
            vec![("project.toml", "format = 1\nproject_keys = \"x\"")],
            "project.toml:2: project_keys is not a known field; did you mean \"project_key\"?",
        ),
        (vec![("goals.toml", "goals = 1")], "goals.toml:1: goals is not a known field; did you mean \"goal\"?"),
        (vec![("goals.toml", "[goal]\n")], "goals.toml:1: goals are written as [[goal]]"),
        (vec![("goals.toml", "[[goal]]\ngoal_name = \"x\"\n")], "goals.toml:1: goal_key is required"),
        (
            vec![(
                "goals.toml",
                "[[goal]]\ngoal_key = \"x\"\ngoal_name = \"x\"\ngoal_type = \"event\"\ngoal_value = \"v\"\nwindow_day = 3\n",
            )],
            "goals.toml:6: window_day is not a known field; did you mean \"window_days\"?",
        ),
        (
            vec![("goals.toml", "[[goal]]\ngoal_key = \"x\"\n[[goal]]\ngoal_key = \"x\"\n")],
            "goals.toml:4: goal_key \"x\" is used by another goal",
        ),
        (vec![("hypotheses/A.toml", "problem = \"p\"")], "hypotheses/A.toml: the name of the file is the slug"),
        (
            vec![("hypotheses/a.toml", "\nproblm = \"p\"")],
            "hypotheses/a.toml:2: problm is not a known field; did you mean \"problem\"?",
        ),
        (
            vec![("hypotheses/a.toml", "problem = \"p\"\nconfidence = 6")],
            "hypotheses/a.toml:2: confidence must be an integer from 1 to 5",
        ),
        (
            vec![("hypotheses/a.toml", "problem = \"p\"\nslug = \"b\"")],
            "hypotheses/a.toml:2: slug is the name of the file",
        ),
        (vec![("hypotheses/a.toml", "problem = \"p")], "hypotheses/a.toml:1: "),
        (vec![("experiments/a b/experiment.toml", "")], "experiments/a b: the name of the directory"),
        (vec![("experiments/%61/experiment.toml", "")], "experiments/a: experiments/%61 is the same experiment, a"),
        (vec![("experiments/b/custom.js", "")], "experiments/b/experiment.toml: the file is missing"),
        (
            vec![(experiment, "test_nme = \"A\"")],
            "experiment.toml:1: test_nme is not a known field; did you mean \"test_name\"?",
        ),
        (vec![(experiment, "test_name = \"A\"")], "experiment.toml:1: url is required"),
        (vec![(experiment, "\nhypothesis_id = 1")], "experiment.toml:2: hypothesis_id differs from project to project"),
        (vec![(experiment, "status = 1")], "experiment.toml:1: status must be \"draft\", \"live\" or \"inactive\""),
        (
            vec![(experiment, "[control]\nnicknames = \"x\"")],
            "experiment.toml:2: control.nicknames is not a known field; did you mean \"nickname\"?",
        ),
        (
            vec![(experiment, "[[variants]]\ncustomJS = \"x\"")],
            "experiment.toml:2: variants[0].customJS belongs in variant-1.js next to this file",
        ),
        (
            vec![(experiment, "[configuration]\n\ntrafic_allocation = 5")],
            "experiment.toml:3: configuration.trafic_allocation is not a known field; did you mean \"traffic_allocation\"?",
        ),
        (
            vec![(experiment, "[targeting]\ndevice_rule = [\n\"watch\"]")],
            "experiment.toml:3: targeting.device_rule[0] ",
        ),
        (
            vec![(experiment, "[configuration]\nis_mab = 1\ndistribution = { Control = 50, \"Variant 1\" = 50 }")],
            "experiment.toml:3: configuration.distribution is set by the clock",
        ),
        (vec![("experiments/a/variant-2.js", "x")], "experiments/a/variant-2.js: experiment.toml has 1 [[variants]]"),
        (
            vec![("experiments/a/variant-1.changes.json", "[{\"aim\": \"x\"}]")],
            "experiments/a/variant-1.changes.json: variants[0].data[0]",
        ),
        (
            vec![("experiments/a/variant-1.changes.json", "[{\"rm\": 1, \"rm\": 2}]")],
            "experiments/a/variant-1.changes.json: ",
        ),
        (vec![("experiments/a/custom.js", "a\0")], "experiments/a/custom.js: custom_js "),
    ] {
        let message = read(&files(&parts)).unwrap_err().to_string();
        assert!(message.contains(expect), "{expect}\n{message}");
    }
}

#[test]
fn problems_of_all_files_are_told_at_once() {
    let problems = read(&files(&[
        ("project.toml", "format = 3\nx = 1\n"),
        ("goals.toml", "[[goal]]\ngoal_key = \"x\"\ngoal_name = \"\"\ngoal_type = \"evnt\"\ngoal_value = \"v\"\n"),
        ("hypotheses/a.toml", "problem = 1\nconfidence = 9\n"),
        ("experiments/a/experiment.toml", "test_name = 1\nurl = \"x\"\nstatus = \"on\"\n[plan]\nmde = 0\n"),
        ("experiments/a/custom.js", "\0"),
        ("experiments/b/experiment.toml", "a = \nb = \n"),
    ]))
    .unwrap_err();
    let places: Vec<String> = problems.iter().map(|one| format!("{}:{}", one.file, one.line)).collect();
    for expect in [
        "project.toml:1",
        "project.toml:2",
        "goals.toml:3",
        "goals.toml:4",
        "hypotheses/a.toml:1",
        "hypotheses/a.toml:2",
        "experiments/a/experiment.toml:3",
        "experiments/b/experiment.toml:1",
    ] {
        assert!(places.iter().any(|place| place == expect), "{expect}: {problems}");
    }
    assert!(problems.to_string().starts_with("the files have "), "{problems}");
}
