//! The inbox: which events people are notified of, and which entries stay.

use crate::results::{Shop, bought};
use crate::scene::Collector;
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        those_who_watch_are_told_once,
        an_inbox_is_read_in_pages,
        who_stops_watching_is_told_nothing,
        an_inbox_has_a_bound,
        the_clock_tells_watchers,
        findings_are_told_to_watchers,
    ],
    postgres_at_night: [
        comments_tell_watchers_and_mention_people,
        names_of_several_people_need_an_id,
        what_one_does_not_see_is_not_told,
        proposals_wait_for_those_who_may_approve_them,
    ],
}

const MINUTE: Duration = Duration::from_secs(60);

/// A project, and a company to which people are added.
struct Team {
    app: TestApp,
    shop: Client,
}

impl Team {
    fn start(on: On) -> Self {
        let app = on.start();
        let shop = app.project("Acme", "Shop");
        Self { app, shop }
    }

    /// Adds a person with this name and role, and signs them in.
    fn joins(&self, name: &str, role: &str) -> Client {
        let number = self.shop.get("/people").ok()["people"].as_array().expect("people").len();
        let email = format!("p{number}@acme.example");
        self.app.person("Acme", &email, role);
        let client = self.shop.signed_in(&self.app.sign_in(&email));
        client.outside().patch(&format!("/v2/person/{}", id_of(&client)), json!({ "name": name })).ok();
        client
    }
}

fn id_of(person: &Client) -> i64 {
    person.outside().get("/v2/session").ok()["person"]["person_id"].as_i64().expect("an id")
}

fn inbox(person: &Client) -> Vec<Value> {
    person.outside().get("/v2/inbox").ok()["entries"].as_array().expect("entries").clone()
}

/// Returns the events of an inbox, oldest first.
fn events_of(person: &Client) -> Vec<String> {
    let events = inbox(person).into_iter().rev();
    events.map(|entry| entry["event"].as_str().expect("an event").to_owned()).collect()
}

fn unread(person: &Client) -> i64 {
    person.outside().get("/v2/inbox/unread").ok()["unread"].as_i64().expect("a number")
}

/// Returns whether a person watches an experiment, and the number of watchers.
fn watch(person: &Client, test_id: i64) -> (bool, i64) {
    let state = person.get(&format!("/experiment/{test_id}/watch")).ok();
    (state["watching"].as_bool().expect("a flag"), state["watchers"].as_i64().expect("a number"))
}

fn begins(person: &Client, test_id: i64) {
    let state = person.call("PUT", &format!("/experiment/{test_id}/watch")).send().ok();
    assert_eq!(state["watching"], true);
}

fn stops(person: &Client, test_id: i64) {
    let state = person.delete(&format!("/experiment/{test_id}/watch")).ok();
    assert_eq!(state["watching"], false);
}

fn comments(person: &Client, test_id: i64, text: &str) -> Value {
    person.post(&format!("/experiment/{test_id}/comments"), json!({ "text": text })).created()
}

fn those_who_watch_are_told_once(on: On) {
    let mut team = Team::start(on);
    let (ada, grace, lin) = (team.joins("Ada", "editor"), team.joins("Grace", "viewer"), team.joins("Lin", "editor"));
    let test_id = ada.experiment(json!({ "test_name": "Free shipping" }));
    let path = format!("/experiment/{test_id}");
    assert_eq!((watch(&ada, test_id), watch(&grace, test_id)), ((true, 1), (false, 1)), "who makes it watches it");
    begins(&grace, test_id);
    begins(&grace, test_id);
    assert_eq!(watch(&ada, test_id), (true, 2));

    team.shop.set_status(test_id, 1).ok();
    assert_eq!((events_of(&ada), events_of(&grace)), (vec!["experiment.started".to_owned()], events_of(&ada)));
    let entry = inbox(&grace)[0].clone();
    for (field, expect) in [
        ("test_id", json!(test_id)),
        ("hypothesis_id", Value::Null),
        ("name", json!("Free shipping")),
        ("project_key", json!(team.shop.project_key)),
        ("project_name", json!("Shop")),
        ("sentence", json!("the experiment was started")),
        ("at", json!("2026-03-01T10:00:00.000Z")),
        ("read", json!(false)),
        ("deleted", json!(false)),
        ("excerpt", Value::Null),
    ] {
        assert_eq!(entry[field], expect, "{field}");
    }
    assert_eq!(entry["actor"]["kind"], "key");

    // The actor is not notified, and a write without changes notifies nobody.
    ada.patch(&path, json!({ "tags": ["a"] })).ok();
    ada.patch(&path, json!({ "tags": ["a"] })).ok();
    assert_eq!(events_of(&grace).last().map(String::as_str), Some("experiment.changed"));
    assert_eq!(inbox(&grace)[0]["actor"]["name"], "Ada");
    assert_eq!((events_of(&ada).len(), events_of(&grace).len(), events_of(&lin).len()), (1, 2, 0));
    // A repeated request notifies once.
    let serve = || {
        let call = lin.call("POST", &format!("{path}/serve-winner")).header("idempotency-key", "once");
        call.json(json!({ "variant_id": "1" })).send().ok()
    };
    assert_eq!(serve(), serve());
    assert_eq!(events_of(&ada), ["experiment.started", "winner.served"]);

    // A restart and, on PostgreSQL, another node do not repeat notifications.
    team.app.start_again();
    let (ada, grace) = (ada.at(team.app.address), grace.at(team.app.address));
    team.shop = team.shop.at(team.app.address);
    assert_eq!((events_of(&ada).len(), events_of(&grace).len()), (2, 3));
    if matches!(on, On::Postgres) {
        let beside = team.app.start_beside();
        team.shop.at(beside.address).call("POST", &format!("{path}/stop-serving")).send().ok();
        assert_eq!((events_of(&ada).len(), events_of(&ada.at(beside.address)).len()), (3, 3));
    } else {
        team.shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    }
    let done = json!({ "outcome": "stopped_early", "note": "No time." });
    ada.post(&format!("{path}/conclude"), done).ok();
    ada.call("POST", &format!("{path}/reopen")).send().ok();
    ada.delete(&path).ok();
    let mut all = events_of(&grace);
    // The order of several entries of one act is not defined.
    all[4..6].sort();
    assert_eq!(
        all,
        [
            "experiment.started",
            "experiment.changed",
            "winner.served",
            "winner.stopped",
            "experiment.concluded",
            "experiment.stopped",
            "experiment.reopened",
            "experiment.changed",
        ]
    );
    assert!(inbox(&grace).iter().all(|entry| entry["deleted"] == true), "its link leads nowhere");
    assert_eq!(events_of(&ada).len(), 3);
    grace.get(&format!("{path}/watch")).refused(404, "not_found");
    grace.call("PUT", &format!("{path}/watch")).send().refused(404, "not_found");
}

fn an_inbox_is_read_in_pages(on: On) {
    let team = Team::start(on);
    let (ada, grace) = (team.joins("Ada", "editor"), team.joins("Grace", "viewer"));
    let test_id = ada.experiment(json!({}));
    let person = ada.outside();
    assert_eq!(
        person.get("/v2/inbox").ok(),
        json!({ "success": true, "unread": 0, "entries": [], "next_cursor": null })
    );
    for number in 0..5 {
        team.app.pass(MINUTE);
        comments(&team.shop, test_id, &format!("comment {number}"));
    }
    let all = inbox(&ada);
    let excerpts: Vec<_> = all.iter().map(|entry| entry["excerpt"].as_str().expect("a text")).collect();
    assert_eq!(excerpts, ["comment 4", "comment 3", "comment 2", "comment 1", "comment 0"]);
    let mut paged = Vec::new();
    let mut path = "/v2/inbox?limit=2".to_owned();
    loop {
        let page = person.get(&path).ok();
        paged.extend(page["entries"].as_array().expect("entries").iter().cloned());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v2/inbox?limit=2&cursor={cursor}");
    }
    assert_eq!(paged, all);

    let id = |at: usize| all[at]["entry_id"].as_i64().expect("an id");
    let entry = |at: usize| format!("/v2/inbox/{}", id(at));
    let marked = person.patch(&entry(1), json!({ "read": true })).ok();
    assert_eq!((&marked["read"], &marked["unread"], &marked["entry_id"]), (&json!(true), &json!(4), &json!(id(1))));
    person.patch(&entry(1), json!({ "read": true })).ok();
    let left = person.get("/v2/inbox?unread=true").ok();
    assert_eq!((left["entries"].as_array().map(Vec::len), &left["unread"]), (Some(4), &json!(4)));
    assert_eq!(person.patch(&entry(1), json!({ "read": false })).ok()["unread"], 5);
    // Later entries stay unread.
    assert_eq!(person.get("/v2/inbox/unread").ok()["newest_unread"], id(0));
    comments(&team.shop, test_id, "late");
    let read = person.post("/v2/inbox/read", json!({ "until": id(0) })).ok();
    assert_eq!((&read["marked"], &read["unread"]), (&json!(5), &json!(1)));
    assert_eq!(person.post("/v2/inbox/read", json!({})).ok()["marked"], 1);
    assert_eq!(person.post("/v2/inbox/read", json!({})).ok()["marked"], 0);
    assert_eq!((unread(&ada), inbox(&ada).len()), (0, 6));
    assert_eq!(person.get("/v2/inbox/unread").ok()["newest_unread"], Value::Null);

    person.get("/v2/inbox?cursor=x&limit=0&unread=maybe").refused(400, "invalid_parameter");
    for body in [json!({}), json!({ "read": 1 }), json!({ "read": true, "x": 1 })] {
        person.patch(&entry(0), body).refused(400, "invalid_field");
    }
    person.post("/v2/inbox/read", json!({ "until": 0 })).invalid(&["until"]);
    // Nobody can access the inbox of another person.
    grace.outside().patch(&entry(0), json!({ "read": false })).refused(404, "not_found");
    person.patch("/v2/inbox/9999", json!({})).refused(404, "not_found");
    assert_eq!(unread(&ada), 0);
    for path in ["/v2/inbox", "/v2/inbox/unread"] {
        team.shop.outside().get(path).refused(403, "session_needed");
        team.app.anyone().get(path).refused(401, "unauthorized");
    }
    team.shop.outside().post("/v2/inbox/read", json!({})).refused(403, "session_needed");
    team.shop.get(&format!("/experiment/{test_id}/watch")).refused(403, "session_needed");
}

fn comments_tell_watchers_and_mention_people(on: On) {
    let team = Team::start(on);
    let (ada, grace, lin) =
        (team.joins("Ada", "editor"), team.joins("Grace Hopper", "viewer"), team.joins("Lin", "editor"));
    let test_id = ada.experiment(json!({ "test_name": "Checkout" }));
    let path = format!("/experiment/{test_id}/comments");
    let text = "Look at Tuesday, @grace hopper, and mail sales@ada.example. <b>@Nobody</b>";
    let written = comments(&lin, test_id, text);
    let by_name = json!([{ "person_id": id_of(&grace), "name": "Grace Hopper" }]);
    assert_eq!(written["mentioned"], by_name);
    assert_eq!(
        (events_of(&ada), events_of(&grace)),
        (vec!["comment.added".to_owned()], vec!["comment.mentioned".to_owned()])
    );
    assert_eq!(events_of(&lin), Vec::<String>::new(), "who writes knows");
    let entry = inbox(&grace)[0].clone();
    assert_eq!((&entry["excerpt"], &entry["comment_id"]), (&json!(text), &written["comment_id"]));
    assert_eq!((&entry["actor"]["name"], &entry["name"]), (&json!("Lin"), &json!("Checkout")));
    // Authors of comments and people mentioned in them watch the experiment from then on.
    assert_eq!((watch(&lin, test_id), watch(&grace, test_id)), ((true, 3), (true, 3)));
    comments(&ada, test_id, "@Lin: done, says @Ada");
    assert_eq!(events_of(&lin), ["comment.mentioned"], "a mention is told in place of the comment");
    assert_eq!((events_of(&grace).len(), events_of(&ada).len()), (2, 1), "nobody is told that they mention themselves");

    // A comment of a program, sent twice.
    let body = json!({ "text": "A result is in", "mentions": [id_of(&ada), id_of(&ada)] });
    let send = || team.shop.call("POST", &path).header("idempotency-key", "c").json(body.clone()).send().created();
    assert_eq!(send(), send());
    assert_eq!(events_of(&ada), ["comment.added", "comment.mentioned"]);
    assert_eq!(inbox(&ada)[0]["actor"]["kind"], "key");
    let page = grace.get(&path).ok();
    assert_eq!(page["comments"][0]["mentions"], json!([{ "person_id": id_of(&ada), "name": "Ada" }]));
    // A comment keeps the name that it mentions.
    grace.outside().patch(&format!("/v2/person/{}", id_of(&grace)), json!({ "name": "Admiral" })).ok();
    assert_eq!(grace.get(&path).ok()["comments"][2]["mentions"], by_name);
    comments(&lin, test_id, "@Grace Hopper @Admiral");
    assert_eq!(events_of(&grace).last().map(String::as_str), Some("comment.mentioned"));

    // A hypothesis has no watchers, but people mentioned there are notified.
    let hypothesis = ada.hypothesis(json!({ "solution": "A shorter form" }));
    let written = ada.post(&format!("/hypothesis/{hypothesis}/comments"), json!({ "text": "@Lin?" })).created();
    assert_eq!(written["mentioned"][0]["name"], "Lin");
    let entry = inbox(&lin)[0].clone();
    assert_eq!((&entry["hypothesis_id"], &entry["test_id"]), (&json!(hypothesis), &Value::Null));
    assert_eq!((&entry["name"], &entry["event"]), (&json!("A shorter form"), &json!("comment.mentioned")));

    for (body, field) in [
        (json!({ "text": "x", "mentions": [9999] }), "mentions[0]"),
        (json!({ "text": "x", "mentions": ["1"] }), "mentions[0]"),
        (json!({ "text": "x", "mentions": "all" }), "mentions"),
        (json!({ "text": "x", "mentions": vec![1; 51] }), "mentions"),
        (json!({ "text": " ", "mentions": [] }), "text"),
    ] {
        ada.post(&path, body).invalid(&[field]);
    }
    grace.post(&path, json!({ "text": "@Ada" })).refused(403, "missing_scope");
}

fn names_of_several_people_need_an_id(on: On) {
    let team = Team::start(on);
    let (ada, first, second) = (team.joins("Ada", "editor"), team.joins("Kim", "viewer"), team.joins("KIM", "editor"));
    let test_id = ada.experiment(json!({}));
    let path = format!("/experiment/{test_id}/comments");
    let refused = ada.post(&path, json!({ "text": "@kim, please" })).invalid(&["text"]);
    let why = refused.message("text").to_owned();
    assert!(why.contains("2 people are called") && why.contains("`mentions`"), "{why}");
    assert!(why.contains(&format!("{}, {}", id_of(&first), id_of(&second))), "{why}");
    assert_eq!(ada.get(&path).ok()["total"], 0);
    let written = ada.post(&path, json!({ "text": "@kim, please", "mentions": [id_of(&second)] })).created();
    assert_eq!(written["mentioned"], json!([{ "person_id": id_of(&second), "name": "KIM" }]));
    assert_eq!((events_of(&first).len(), events_of(&second).len()), (0, 1));

    // Any member can find the people to mention.
    let found = first.get("/people?search=ki").ok();
    let people = found["people"].as_array().expect("people");
    let ids: Vec<_> = people.iter().map(|person| person["person_id"].as_i64().expect("an id")).collect();
    assert_eq!(ids, [id_of(&first), id_of(&second)]);
    assert_eq!((&people[1]["role"], &people[1]["name"]), (&json!("editor"), &json!("KIM")));
    assert_eq!(people[0].get("email"), None);
    let page = first.get("/people?limit=2").ok();
    assert_eq!((page["people"].as_array().map(Vec::len), &page["has_more"]), (Some(2), &json!(true)));
    assert_eq!(team.app.scoped(&team.shop, "read").get("/people?search=%25").ok()["people"], json!([]));
    first.get(&format!("/people?search={}&limit=no", "x".repeat(256))).refused(400, "invalid_parameter");
}

fn who_stops_watching_is_told_nothing(on: On) {
    let team = Team::start(on);
    let (ada, grace) = (team.joins("Ada", "editor"), team.joins("Grace", "editor"));
    let test_id = ada.experiment(json!({}));
    stops(&ada, test_id);
    stops(&ada, test_id);
    assert_eq!(watch(&ada, test_id), (false, 0));
    comments(&ada, test_id, "I have said it");
    comments(&grace, test_id, "You have");
    assert_eq!(
        (watch(&ada, test_id), events_of(&ada).len()),
        ((false, 1), 0),
        "a comment does not make one watch again"
    );
    comments(&grace, test_id, "@Ada!");
    assert_eq!(
        (events_of(&ada), watch(&ada, test_id).0),
        (vec!["comment.mentioned".to_owned()], false),
        "a mention is told"
    );
    team.shop.set_status(test_id, 1).ok();
    assert_eq!(events_of(&ada).len(), 1);
    begins(&ada, test_id);
    team.shop.set_status(test_id, 0).ok();
    assert_eq!(events_of(&ada), ["comment.mentioned", "experiment.stopped"]);
    // A person who stopped watching beforehand does not start to watch by taking part.
    let other = grace.experiment(json!({ "test_name": "Other" }));
    stops(&ada, other);
    comments(&ada, other, "Hm");
    assert_eq!(watch(&ada, other), (false, 1));
}

fn what_one_does_not_see_is_not_told(on: On) {
    let team = Team::start(on);
    let blog = team.app.project("Acme", "Blog");
    let (owner, grace) = (team.joins("Ada", "owner"), team.joins("Grace", "editor"));
    let test_id = grace.experiment(json!({}));
    comments(&owner, test_id, "one");
    assert_eq!((unread(&grace), watch(&owner, test_id).1), (1, 2));
    let entry = format!("/v2/inbox/{}", inbox(&grace)[0]["entry_id"]);
    let proposed = grace.post(&format!("/experiment/{test_id}/proposals"), json!({ "test_name": "Other" })).created();
    let access = |projects: Value| {
        owner.outside().patch(&format!("/v2/person/{}", id_of(&grace)), json!({ "projects": projects })).ok()
    };
    access(json!([{ "project_key": blog.project_key }]));
    assert_eq!((unread(&grace), inbox(&grace).len(), watch(&owner, test_id)), (0, 0, (true, 1)));
    grace.outside().patch(&entry, json!({ "read": true })).refused(404, "not_found");
    assert_eq!(grace.outside().post("/v2/inbox/read", json!({})).ok()["marked"], 0);
    grace.get(&format!("/experiment/{test_id}/watch")).refused(404, "not_found");
    grace.call("PUT", &format!("/experiment/{test_id}/watch")).send().refused(404, "not_found");
    grace.get("/people").refused(404, "not_found");
    // Nobody can mention them there.
    let written = comments(&owner, test_id, "two, @Grace");
    assert_eq!(written["mentioned"], json!([]));
    let body = json!({ "text": "three", "mentions": [id_of(&grace)] });
    owner.post(&format!("/experiment/{test_id}/comments"), body).invalid(&["mentions[0]"]);
    let names = |client: &Client| client.get("/people").ok()["people"].as_array().expect("people").len();
    assert_eq!((names(&owner), names(&blog)), (1, 2));
    team.shop.set_status(test_id, 1).ok();
    let rejected = format!("/proposals/{}/reject", proposed["proposal_id"]);
    owner.post(&rejected, json!({ "reason": "Not now" })).ok();
    // Events during that time caused no notification, and earlier entries are visible again.
    access(json!(null));
    assert_eq!((unread(&grace), watch(&grace, test_id)), (1, (true, 2)));
    team.shop.set_status(test_id, 0).ok();
    assert_eq!(events_of(&grace), ["comment.added", "experiment.stopped"]);

    // A removed person is no longer notified or mentioned.
    owner.outside().delete(&format!("/v2/person/{}", id_of(&grace))).ok();
    assert_eq!(watch(&owner, test_id), (true, 1));
    assert_eq!(comments(&owner, test_id, "@Grace")["mentioned"], json!([]));
    let stranger = team.app.project("Beta", "Shop");
    let stranger = team.app.signed_in_as(&stranger, "owner");
    assert_eq!((unread(&stranger), inbox(&stranger).len()), (0, 0));
    stranger.in_project(&team.shop.project_key).get("/people").refused(404, "not_found");
}

fn proposals_wait_for_those_who_may_approve_them(on: On) {
    let team = Team::start(on);
    let (ada, grace, vera) = (team.joins("Ada", "admin"), team.joins("Grace", "editor"), team.joins("Vera", "viewer"));
    let second = team.joins("Second", "admin");
    let test_id = grace.experiment(json!({}));
    let path = format!("/experiment/{test_id}");
    let propose = |who: &Client, body: Value| {
        who.post(&format!("{path}/proposals"), body).created()["proposal_id"].as_i64().expect("an id")
    };
    let id = propose(&ada, json!({ "custom_js": "a()", "note": "Faster" }));
    // Editors cannot change code here, and viewers cannot approve.
    assert_eq!((events_of(&second), events_of(&ada).len()), (vec!["proposal.opened".to_owned()], 0));
    assert_eq!((events_of(&grace).len(), events_of(&vera).len()), (0, 0));
    let entry = inbox(&second)[0].clone();
    assert_eq!((&entry["proposal_id"], &entry["excerpt"]), (&json!(id), &json!("Faster")));
    second.post(&format!("/proposals/{id}/reject"), json!({ "reason": "Not now" })).ok();
    assert_eq!((unread(&second), inbox(&second)[0]["read"] == true), (0, true), "it waits for nobody any more");
    assert_eq!(events_of(&ada), ["proposal.rejected"]);
    assert_eq!((&inbox(&ada)[0]["excerpt"], &inbox(&ada)[0]["actor"]["name"]), (&json!("Not now"), &json!("Second")));

    // A person who stopped watching is not asked; a withdrawn proposal waits for nobody and notifies nobody.
    stops(&second, test_id);
    let id = propose(&grace, json!({ "tags": ["a"] }));
    assert_eq!((events_of(&second).len(), events_of(&ada).len()), (1, 2));
    let asked = unread(&ada);
    grace.post(&format!("/proposals/{id}/withdraw"), json!({})).ok();
    assert_eq!((unread(&ada), events_of(&grace).len()), (asked - 1, 0));

    // An approval notifies the author of the proposal, and watchers of the change.
    let id = propose(&grace, json!({ "tags": ["b"] }));
    begins(&vera, test_id);
    ada.post(&format!("/proposals/{id}/approve"), json!({ "reason": "" })).ok();
    let mut of_author = events_of(&grace);
    of_author.sort();
    assert_eq!(
        (of_author, events_of(&vera)),
        (vec!["experiment.changed".to_owned(), "proposal.approved".to_owned()], vec!["experiment.changed".to_owned()])
    );
    // A proposal of a program is sent to everybody who may approve it.
    propose(&team.shop, json!({ "tags": ["c"] }));
    assert_eq!(events_of(&grace).last().map(String::as_str), Some("proposal.opened"));
}

fn findings_are_told_to_watchers(on: On) {
    let mut scene = Shop::open(on, json!({}));
    let test_id = scene.test_id;
    let ada = scene.app.signed_in_as(&scene.client, "editor");
    let wait = |person: &Client, count: usize| {
        eventually(&format!("entry {count}"), DEADLINE, || inbox(person).len() >= count);
        inbox(person)[0].clone()
    };
    // One arm has far too few visitors.
    scene.crowd("early", &[("0", 300, 60), ("1", 90, 60)], "2026-03-01T10:01:00Z", &bought());
    begins(&ada, test_id);
    scene.app.pass(5 * MINUTE);
    let failed = wait(&ada, 1);
    assert_eq!((&failed["event"], &failed["test_id"]), (&json!("health.failed"), &json!(test_id)));
    assert_eq!(failed["sentence"], scene.result("")["health"]["sample_ratio"]["message"]);
    assert_eq!(failed["actor"], json!({ "kind": "system", "id": "clock", "name": "clock" }));
    // The check still fails, and the server is restarted: nothing is repeated.
    scene.crowd("more", &[("0", 5, 0)], "2026-03-01T10:02:00Z", &bought());
    scene.app.start_again();
    let (shop, ada) = (scene.client.at(scene.app.address), ada.at(scene.app.address));
    scene.client = shop.clone();
    scene.collector = Collector::of(&shop);
    scene.app.pass(5 * MINUTE);
    scene.crowd("late", &[("1", 215, 100)], "2026-03-01T10:03:00Z", &bought());
    scene.app.pass(5 * MINUTE);
    assert_eq!(wait(&ada, 2)["event"], "health.recovered");
    assert_eq!(events_of(&ada), ["health.failed", "health.recovered"]);
    // A day later there is a verdict. A person who no longer watches is not notified of it.
    let grace = {
        scene.app.person("Acme", "grace@acme.example", "viewer");
        shop.signed_in(&scene.app.sign_in("grace@acme.example"))
    };
    begins(&grace, test_id);
    stops(&ada, test_id);
    scene.app.pass(25 * 60 * MINUTE);
    let ada = shop.signed_in(&scene.app.sign_in("editor@acme.example"));
    let grace = shop.signed_in(&scene.app.sign_in("grace@acme.example"));
    let verdict = wait(&grace, 1);
    assert_eq!(verdict["event"], "verdict.reached");
    assert_eq!(verdict["sentence"], scene.result("")["variants"][1]["analysis"]["reason"]);
    assert_eq!(events_of(&ada).len(), 2);
}

fn an_inbox_has_a_bound(on: On) {
    let team = Team::start(on);
    let (owner, grace, ada) = (team.joins("Lin", "owner"), team.joins("Grace", "editor"), team.joins("Ada", "editor"));
    let test_id = ada.experiment(json!({}));
    begins(&grace, test_id);
    team.app.tamper(
        "INSERT INTO inbox_entry (person_id, project_id, kind, object_id, name, event, at, actor, sentence, is_read) \
         WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 500) \
         SELECT w.person_id, e.project_id, 'experiment', e.experiment_id, 'x', 'experiment.changed', c.n, 'clock', 'x', \
           CASE WHEN c.n IN (3, 5) THEN 1 ELSE 0 END \
         FROM counted c CROSS JOIN watch w JOIN experiment e ON e.experiment_id = w.experiment_id ORDER BY c.n",
    );
    let person = ada.outside();
    let all = || {
        let (mut all, mut path) = (Vec::new(), "/v2/inbox?limit=1000".to_owned());
        loop {
            let page = person.get(&path).ok();
            all.extend(page["entries"].as_array().expect("entries").iter().map(|entry| entry["entry_id"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else { return all };
            path = format!("/v2/inbox?limit=100&cursor={cursor}");
        }
    };
    let before = all();
    assert_eq!((before.len(), unread(&ada)), (500, 100), "more than a hundred are not counted");
    // Entries that Grace can no longer see are deleted before visible ones, although she cannot read them.
    let blog = team.app.project("Acme", "Blog");
    let projects = json!({ "projects": [{ "project_key": blog.project_key }] });
    owner.outside().patch(&format!("/v2/person/{}", id_of(&grace)), projects).ok();
    let elsewhere = blog.experiment(json!({}));
    begins(&grace.in_project(&blog.project_key), elsewhere);
    for _ in 0..3 {
        comments(&blog, elsewhere, "more");
    }
    assert_eq!(grace.outside().post("/v2/inbox/read", json!({})).ok()["marked"], 3);
    comments(&blog, elsewhere, "more");
    // The oldest read entries are deleted first, and then the oldest ones.
    for _ in 0..4 {
        comments(&team.shop, test_id, "more");
    }
    team.app.pass(MINUTE);
    let below = |place: &Value| person.get(&format!("/v2/inbox?limit=1&cursor={place}")).ok()["entries"].clone();
    // The task's own period is a minute of real time, not of the story's clock.
    eventually("the oldest is gone", DEADLINE, || {
        team.app.run_task("trim_inboxes");
        below(&before[498]) == json!([])
    });
    let after = all();
    assert_eq!(after.len(), 500);
    for (oldest, stays) in [(1, false), (2, false), (3, false), (4, true), (5, false), (6, true)] {
        assert_eq!(after.contains(&before[before.len() - oldest]), stays, "the oldest but {oldest}");
    }
    // Grace's inbox was trimmed before Ada's, because Grace joined first.
    assert_eq!(inbox(&grace).len(), 4);
}

fn the_clock_tells_watchers(on: On) {
    let team = Team::start(on);
    let ada = team.joins("Ada", "admin");
    let dated = |besides: Value| {
        let mut body = json!({ "configuration": { "start_test_date": "2026-03-01T11:00:00.000Z" } });
        for (field, value) in besides.as_object().expect("fields") {
            body[field] = value.clone();
        }
        ada.experiment(body)
    };
    let good = dated(json!({ "test_name": "Good" }));
    let broken = dated(json!({ "test_name": "Broken", "variants": [{ "name": "Variant 1", "customJS": "let = {" }] }));
    team.app.pass(60 * MINUTE);
    eventually("both are told", DEADLINE, || inbox(&ada).len() >= 2);
    let found = |test_id: i64| inbox(&ada).into_iter().find(|entry| entry["test_id"] == test_id).expect("an entry");
    assert_eq!((&found(good)["event"], &found(good)["actor"]["name"]), (&json!("experiment.started"), &json!("clock")));
    assert_eq!(found(broken)["event"], "experiment.start_failed");
    let last = team.shop.details(broken)["schedule"]["last"].clone();
    assert_eq!(found(broken)["sentence"], last["detail"], "the sentence that people read");
    assert_eq!(inbox(&ada).len(), 2);
}
