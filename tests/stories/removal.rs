//! Access that ends with the removal of a person or with a newer password, and the characters that names may contain.

use crate::people::{post, sign_in};
use crate::recompute::{muriel, says};
use crate::scene::{Collector, id};
use muriel_tests::{Client, DEADLINE, On, PASSWORD, TestApp, eventually, stories};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;

stories! {
    always: [
        names_have_no_hidden_characters,
        old_names_are_read_and_shown_with_escapes,
    ],
    postgres_at_night: [
        who_is_removed_leaves_nothing_behind_that_works,
        a_newer_password_ends_older_links,
        one_company_does_not_withdraw_invitations_of_another,
    ],
}

fn token(made: &Value) -> String {
    made["link"].as_str().and_then(|link| link.split_once("/invitation#")).expect("a link").1.to_owned()
}

/// Accepts an invitation.
fn accept(app: &TestApp, token: &str, body: Value) -> muriel_tests::Answer {
    post(&app.anyone(), &format!("/v2/invitation/{token}"), body)
}

fn person_id(client: &Client) -> i64 {
    client.get("/v2/session").ok()["person"]["person_id"].as_i64().expect("an id")
}

fn made_key(client: &Client, shop: &Client, name: &str) -> Client {
    let made =
        client.outside().post("/v2/keys", json!({ "name": name, "scopes": ["read", "write", "admin"] })).created();
    shop.with_key(made["api_key"].as_str())
}

/// Opens a stream of a visitor's events, with a key.
fn watching(app: &TestApp, client: &Client) -> TcpStream {
    let mut stream = TcpStream::connect(app.address).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a socket");
    let (base, key) = (&client.base, client.api_key.as_deref().expect("a key"));
    let request = format!(
        "GET {base}/live?visitor=v HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).expect("a request");
    let mut first = [0; 15];
    stream.read_exact(&mut first).expect("an answer");
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    stream
}

fn who_is_removed_leaves_nothing_behind_that_works(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner");
    let admin = app.signed_in_as(&shop, "admin");
    let id = person_id(&admin.outside());
    let test_id = shop.experiment(json!({ "test_name": "Checkout" }));
    let shares = format!("/experiment/{test_id}/shares");
    let previews = format!("/experiment/{test_id}/preview-urls");

    // Objects that the admin creates, with a session and with a key, and objects of other people.
    let invitation = |by: &Client, email: &str| {
        let made = by.outside().post("/v2/invitation", json!({ "email": email, "role": "admin" })).created();
        token(&made)
    };
    let theirs = invitation(&admin, "x@example.com");
    let others = invitation(&owner, "y@example.com");
    let key = made_key(&admin, &shop, "deploys");
    let kept = made_key(&owner, &shop, "events");
    let share = |by: &Client| {
        let made = by.post(&shares, json!({})).created();
        made["url"].as_str().and_then(|url| url.rsplit_once('/')).expect("a link").1.to_owned()
    };
    let preview = |by: &Client| {
        let links = by.get(&previews).ok();
        let url = links["variants"][0]["preview_url"].as_str().expect("a link").to_owned();
        url.rsplit_once("test-token=").expect("a token").1.to_owned()
    };
    let mut watched = watching(&app, &key);
    let (their_shares, other_share) = ([share(&admin), share(&key)], share(&owner));
    let (their_previews, other_previews) = ([preview(&admin), preview(&key)], [preview(&owner), preview(&kept)]);
    let anyone = app.anyone();
    let shared = |token: &str| anyone.get(&format!("/share/{token}/result"));
    let previewed = |token: &str| anyone.get(&format!("/preview/{}/{test_id}?token={token}", shop.project_key));
    for token in &their_previews {
        // The visitor endpoints learn of a new project a moment later.
        eventually("the preview", DEADLINE, || previewed(token).status == 200);
    }
    for token in &their_shares {
        assert_ne!(shared(token).status, 404, "the link opens something");
        assert_ne!(shared(token).status, 410, "the link opens something");
    }

    let removed = owner.outside().delete(&format!("/v2/person/{id}")).ok();
    let prefix = key.api_key.as_deref().expect("a key")[4..12].to_owned();
    assert_eq!(
        removed["ended"],
        json!({
            "sessions": 1, "password_links": 0, "invitations": 1, "shares": 2,
            "keys": [{ "prefix": prefix, "name": "deploys" }],
        })
    );
    admin.outside().get("/v2/session").refused(401, "unauthorized");
    accept(&app, &theirs, json!({ "name": "X", "password": PASSWORD })).refused(404, "not_found");
    accept(&app, &others, json!({ "name": "Y", "password": PASSWORD })).has_status(201);
    key.get("/goals").refused(401, "unauthorized");
    kept.get("/goals").ok();
    for token in &their_shares {
        shared(token).refused(410, "share_revoked");
    }
    assert_ne!(shared(&other_share).status, 410);
    for token in &their_previews {
        previewed(token).refused(404, "not_found");
    }
    for token in &other_previews {
        previewed(token).has_status(200);
    }
    // Access to a live view is checked again with each heartbeat, every 15 seconds.
    let mut rest = String::new();
    watched.read_to_string(&mut rest).expect("the end of the stream");
    // Changing the maker in a token makes it invalid.
    previewed(&their_previews[0].replacen(&format!(".p{id}."), "..", 1)).refused(404, "not_found");

    // The audit log records it, and the makers of keys can be looked up beforehand.
    let log = owner.outside().get("/v2/audit?limit=20").ok();
    let entries = log["entries"].as_array().expect("entries");
    let of = |action: &str, kind: &str| {
        let found = entries.iter().find(|one| one["action"] == action && one["object"]["kind"] == kind);
        found.unwrap_or_else(|| panic!("{action} {kind} in {entries:?}")).clone()
    };
    assert_eq!(of("remove", "person")["after"]["ended"]["keys"], json!([prefix]));
    assert_eq!(of("revoke", "key")["object"]["id"], json!(prefix));
    let keys = owner.outside().get("/v2/keys").ok();
    let maker = |prefix: &str| {
        let all = keys["keys"].as_array().expect("keys");
        all.iter().find(|one| one["prefix"] == prefix).expect("the key")["created_by"].clone()
    };
    assert_eq!(maker(&prefix), json!(id));
    assert_eq!(maker(&shop.api_key.as_deref().expect("a key")[4..12]), Value::Null);
}

fn a_newer_password_ends_older_links(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "editor");
    let works = |token: &str| app.anyone().get(&format!("/v2/invitation/{token}"));
    let first = app.reset_link("ada@acme.example");
    works(&first).ok();
    // The person's own password, chosen after the link was made.
    let ada = shop.outside().signed_in(&app.sign_in("ada@acme.example"));
    let change =
        |current: &str, new: &str| ada.post("/v2/person/me/password", json!({ "current": current, "password": new }));
    // It must not be the person's address or name.
    change(PASSWORD, "ada@acme.example").invalid(&["password"]);
    change(PASSWORD, "ADA@Acme.Example").invalid(&["password"]);
    let second = "another horse, also right";
    change(PASSWORD, second).ok();
    works(&first).refused(404, "not_found");
    accept(&app, &first, json!({ "password": "a third horse, not right" })).refused(404, "not_found");
    sign_in(&app, "ada@acme.example", second).has_status(200);
    // A password that another link has set: only one link is valid at a time.
    let (older, newer) = (app.reset_link("ada@acme.example"), app.reset_link("ada@acme.example"));
    works(&older).refused(404, "not_found");
    accept(&app, &newer, json!({ "password": PASSWORD })).has_status(201);
    works(&newer).refused(404, "not_found");
    sign_in(&app, "ada@acme.example", PASSWORD).has_status(200);
}

fn one_company_does_not_withdraw_invitations_of_another(on: On) {
    let app = on.start();
    let (acme, beta) = (app.project("Acme", "Shop"), app.project("Beta", "Shop"));
    let [ours, theirs] = [&acme, &beta].map(|of| app.signed_in_as(of, "owner").outside());
    let body = json!({ "email": "grace@example.com", "role": "editor" });
    let made = token(&ours.post("/v2/invitation", body.clone()).created());
    theirs.post("/v2/invitation", body).created();
    accept(&app, &made, json!({ "name": "Grace", "password": PASSWORD })).has_status(201);
}

fn names_have_no_hidden_characters(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner");
    let outside = owner.outside();
    let id = person_id(&outside);
    let test_id = shop.experiment(json!({ "test_name": "Checkout" }));
    let group = |name: &str| json!({ "name": name, "kind": "holdout", "percent": 5, "scope": "project" });
    let variants = |name: &str| json!({ "variants": [{ "name": "Variant 1", "nickname": name }] });
    for bad in
        ["Ada\u{200b}", "A\u{1b}[31mda", "A\u{202e}da", "Ada\u{9b}", "\u{feff}Ada", "A\u{e0041}da", "A\u{200d}da"]
    {
        let project = format!("/v2/project/{}/settings", shop.project_key);
        let said = outside.patch(&format!("/v2/person/{id}"), json!({ "name": bad })).invalid(&["name"]);
        assert!(said.message("name").contains("U+"), "{}", said.text());
        outside.post("/v2/projects", json!({ "name": bad })).invalid(&["name"]);
        outside.patch(&project, json!({ "name": bad })).invalid(&["name"]);
        outside.post("/v2/keys", json!({ "name": bad, "scopes": ["read"] })).invalid(&["name"]);
        owner.post("/exclusion-group", group(bad)).invalid(&["name"]);
        let goal = json!({ "goal_name": bad, "goal_type": "event", "goal_value": "bought" });
        owner.post("/goal", goal).invalid(&["goal_name"]);
        let path = format!("/experiment/{test_id}");
        owner.patch(&path, json!({ "test_name": bad })).invalid(&["test_name"]);
        owner.patch(&path, json!({ "tags": ["fine", bad] })).invalid(&["tags[1]"]);
        owner.patch(&path, variants(bad)).invalid(&["variants[0].nickname"]);
        let link = outside.post("/v2/invitation", json!({ "email": "grace@example.com", "role": "viewer" })).created();
        accept(&app, &token(&link), json!({ "name": bad, "password": PASSWORD })).invalid(&["name"]);
    }
    outside.post("/v2/invitation", json!({ "email": "ada\u{200b}@example.com", "role": "viewer" })).invalid(&["email"]);
    for good in ["علی\u{200c}رضا", "ක්\u{200d}රිස්ටීන්", "\u{1f469}\u{1f3fd}\u{200d}\u{1f680}", "辻\u{e0100}", "Zoë O’Brien"]
    {
        assert_eq!(outside.patch(&format!("/v2/person/{id}"), json!({ "name": good })).ok()["person"]["name"], good);
        owner.patch(&format!("/experiment/{test_id}"), json!({ "test_name": good, "tags": [good] })).ok();
        assert_eq!(shop.details(test_id)["test_name"], good);
    }
}

fn old_names_are_read_and_shown_with_escapes(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner").outside();
    let person = person_id(&owner);
    let test_id = shop.experiment(json!({ "test_name": "Checkout" }));
    // As an earlier version would have stored them, with ESC and a zero-width space.
    app.tamper(match on {
        On::Sqlite => {
            "UPDATE person SET name = '＝A' || char(27) || '[31m' || char(8203);
             UPDATE project SET name = '＝A' || char(27) || '[31m' || char(8203);
             UPDATE api_key SET name = '＝A' || char(27) || '[31m' || char(8203);
             UPDATE experiment SET name = '＝A' || char(27) || '[31m' || char(8203);"
        }
        On::Postgres => {
            "UPDATE person SET name = '＝A' || chr(27) || '[31m' || chr(8203);
             UPDATE project SET name = '＝A' || chr(27) || '[31m' || chr(8203);
             UPDATE api_key SET name = '＝A' || chr(27) || '[31m' || chr(8203);
             UPDATE experiment SET name = '＝A' || chr(27) || '[31m' || chr(8203);"
        }
    });
    const OLD: &str = "＝A\u{1b}[31m\u{200b}";
    app.pass(std::time::Duration::from_secs(1));
    assert_eq!(shop.details(test_id)["test_name"], OLD);
    assert_eq!(owner.get("/v2/people").ok()["people"][0]["name"], OLD);
    for words in [&["person", "list"][..], &["project", "list"], &["key", "list", "--company", "Acme"]] {
        for json in [&[][..], &["--json"]] {
            let url = app.settings.storage.database_url.as_ref().map(ToString::to_string);
            let database = url.iter().flat_map(|url| ["--database-url", url]);
            let words: Vec<&str> = words.iter().chain(json).copied().chain(database).collect();
            let said = muriel(&words, &app.settings.storage.data_dir);
            let said = says(&said);
            assert!(said.contains("＝A\\u001b[31m\\u200b"), "{words:?} {said}");
            assert!(!said.contains('\u{1b}') && !said.contains('\u{200b}'), "{words:?} {said}");
        }
    }
    // The log has the text of strangers as sent, and its export has escapes, also in a file.
    let event = json!({ "id": id(), "type": "custom", "name": "x\u{9b}31m\u{202e}y" });
    assert_eq!(Collector::of(&shop).take(&[event]).statuses(), ["ok"]);
    let export = muriel(&["log", "export"], &app.settings.storage.data_dir);
    let export = String::from_utf8(export.stdout).expect("text");
    assert!(export.contains("x\\u009b31m\\u202ey"), "{export}");
    // The names can be left unchanged, or changed.
    shop.patch(&format!("/experiment/{test_id}"), json!({ "tags": ["t"] })).ok();
    owner.patch(&format!("/v2/person/{person}"), json!({ "name": "Ada" })).ok();
    let csv = owner.get("/v2/audit.csv").has_status(200).text();
    assert!(!csv.contains('\u{1b}') && !csv.contains('\u{200b}'), "{csv}");
    assert!(csv.contains("'＝A\\u001b[31m\\u200b"), "{csv}");
}
