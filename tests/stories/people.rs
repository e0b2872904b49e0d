//! People: invitations, the reach of their sessions, and the permissions of their roles.

use crate::scene::{Things, good_body, send};
use muriel_tests::{Answer, Client, Contract, On, PASSWORD, Session, TestApp, stories};
use serde_json::{Value, json};
use std::time::Duration;

stories! {
    always: [
        the_first_owner_comes_in_by_a_link_that_works_once,
        an_invitation_makes_a_person_once,
        a_session_counts_on_own_pages_only,
    ],
    postgres_at_night: [
        roles_hold_for_every_operation,
        a_session_is_of_no_use_where_visitors_are,
        the_key_wins_over_the_cookie,
        people_can_have_a_host_of_their_own,
    ],
}

pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// Sends a POST as a form on a page of the server does.
#[track_caller]
pub(crate) fn post(client: &Client, path: &str, body: Value) -> Answer {
    client.call("POST", path).header("origin", &client.origin()).json(body).send()
}

#[track_caller]
pub(crate) fn sign_in(app: &TestApp, email: &str, password: &str) -> Answer {
    post(&app.anyone(), "/v2/session", json!({ "email": email, "password": password }))
}

fn token(link: &str) -> String {
    let (place, token) = link.split_once("/invitation#").expect("a link");
    assert!(place.starts_with("http://127.0.0.1:"), "{place}");
    token.to_owned()
}

fn the_first_owner_comes_in_by_a_link_that_works_once(on: On) {
    let mut app = on.start();
    let link = app.first_owner().expect("nobody can sign in");
    let anyone = app.anyone();
    assert_eq!(anyone.get("/v2/session/methods").ok()["needs_first_owner"], true);
    let path = format!("/v2/invitation/{}", token(&link));
    let shown = anyone.get(&path).ok();
    assert_eq!(
        (&shown["purpose"], &shown["email"], &shown["company"]),
        (&json!("first_owner"), &Value::Null, &Value::Null)
    );
    assert_eq!(shown["takes"], json!(["email", "company", "name", "password"]));
    post(&anyone, &path, json!({ "password": "short", "name": "A" })).invalid(&["email", "company", "password"]);
    post(&anyone, "/v2/invitation/unknown", json!({ "password": PASSWORD })).refused(404, "not_found");
    let body = json!({ "email": "Ada@Example.com", "name": "Ada", "company": "Acme", "password": PASSWORD });
    // A page of another origin cannot use the link.
    anyone.call("POST", &path).json(body.clone()).send().refused(403, "csrf_failed");
    anyone
        .call("POST", &path)
        .header("origin", "http://evil.example")
        .json(body.clone())
        .send()
        .refused(403, "csrf_failed");

    let made = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..4).map(|_| scope.spawn(|| post(&app.anyone(), &path, body.clone()))).collect();
        tries.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
    });
    let (good, bad): (Vec<_>, Vec<_>) = made.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((good.len(), bad.len()), (1, 3));
    bad.into_iter().for_each(|answer| drop(answer.refused(404, "not_found")));
    let session = Session::of(&good[0]);
    let owner = anyone.signed_in(&session);
    let who = owner.get("/v2/session").ok();
    assert_eq!((&who["role"], &who["company"], &who["projects"]), (&json!("owner"), &json!("Acme"), &json!([])));
    assert_eq!(who["person"]["email"], "ada@example.com");
    anyone.get(&path).refused(404, "not_found");
    assert_eq!(anyone.get("/v2/session/methods").ok()["needs_first_owner"], false);

    // There is no link for a first owner any more, even after a restart, and the session is still valid.
    app.start_again();
    assert_eq!(app.first_owner(), None);
    app.anyone().signed_in(&session).get("/v2/session").ok();
    let shop = post(&app.anyone().signed_in(&session), "/v2/projects", json!({ "name": "Shop" })).created();
    let key = shop["project_key"].as_str().expect("a key");
    app.anyone().signed_in(&session).get(&format!("/v2/project/{key}/experiments")).ok();
}

fn an_invitation_makes_a_person_once(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner").outside();
    let admin = app.signed_in_as(&shop, "admin").outside();
    let invite = |by: &Client, body: Value| by.post("/v2/invitation", body);
    let body = json!({ "email": "Grace@example.com", "role": "editor" });
    let first = invite(&admin, body.clone()).created();
    let second = invite(&admin, body).created();
    let [old, new] = [&first, &second].map(|made| token(made["link"].as_str().expect("a link")));
    let anyone = app.anyone();
    anyone.get(&format!("/v2/invitation/{old}")).refused(404, "not_found");
    let path = format!("/v2/invitation/{new}");
    let shown = anyone.get(&path).ok();
    assert_eq!(
        (&shown["email"], &shown["company"], &shown["role"]),
        (&json!("grace@example.com"), &json!("Acme"), &json!("editor"))
    );
    assert_eq!(shown["takes"], json!(["name", "password"]));
    let open = owner.get("/v2/people").ok()["invitations"].clone();
    assert_eq!(open.as_array().map(Vec::len), Some(1));
    assert_eq!((&open[0]["email"], &open[0]["invited_by"]), (&json!("grace@example.com"), &json!("The admin")));

    post(&anyone, &path, json!({ "name": "G", "password": PASSWORD, "email": "other@example.com" }))
        .invalid(&["email"]);
    post(&anyone, &path, json!({ "name": "G", "password": "grace@example.com" })).invalid(&["password"]);
    let made = std::thread::scope(|scope| {
        let body = json!({ "name": "Grace", "password": PASSWORD });
        let (app, path) = (&app, &path);
        let tries: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn({
                    let body = body.clone();
                    move || post(&app.anyone(), path, body).status
                })
            })
            .collect();
        tries.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
    });
    assert_eq!(made.iter().filter(|status| **status == 201).count(), 1, "{made:?}");
    assert_eq!(made.iter().filter(|status| **status == 404).count(), 3, "{made:?}");
    sign_in(&app, "GRACE@example.com", PASSWORD).has_status(200);
    invite(&admin, json!({ "email": "grace@example.com", "role": "viewer" })).refused(409, "email_taken");
    invite(&admin, json!({ "email": "x@example.com", "role": "owner" })).refused(403, "role_too_low");
    invite(&owner, json!({ "email": "x@example.com", "role": "owner" })).created();
    invite(&admin, json!({ "email": "x", "role": "chief" })).invalid(&["email", "role"]);
    let limited = json!({ "email": "y@example.com", "role": "viewer", "projects": [{ "project_key": "prj_nowhere" }] });
    invite(&admin, limited).invalid(&["projects[0].project_key"]);

    // A withdrawn invitation, and one that is a week old.
    let withdrawn = invite(&admin, json!({ "email": "z@example.com", "role": "viewer" })).created();
    admin.delete(&format!("/v2/people/invitation/{}", withdrawn["invitation_id"])).ok();
    admin.delete(&format!("/v2/people/invitation/{}", withdrawn["invitation_id"])).refused(404, "not_found");
    anyone
        .get(&format!("/v2/invitation/{}", token(withdrawn["link"].as_str().expect("a link"))))
        .refused(404, "not_found");
    let late = invite(&admin, json!({ "email": "z@example.com", "role": "viewer" })).created();
    let late = format!("/v2/invitation/{}", token(late["link"].as_str().expect("a link")));
    app.pass(24 * 7 * HOUR - Duration::from_millis(1));
    anyone.get(&late).ok();
    app.pass(Duration::from_millis(1));
    anyone.get(&late).refused(404, "not_found");
    post(&anyone, &late, json!({ "name": "Z", "password": PASSWORD })).refused(404, "not_found");
}

fn roles_hold_for_every_operation(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let roles = ["viewer", "editor", "admin", "owner"];
    let people = roles.map(|role| (role, app.signed_in_as(&shop, role)));
    let elsewhere = app.project("Beta", "Shop");
    let stranger = app.signed_in_as(&elsewhere, "owner");
    let things = Things::make(&shop, "roles");
    let before = things.all(&shop);
    let mut seen = 0;
    for operation in &Contract::get().operations {
        let takes_people =
            operation.scope != "none" && !operation.is_ofrep() && !operation.path.starts_with("/events/");
        assert_eq!(!operation.roles.is_empty(), takes_people, "{}", operation.id);
        if !takes_people {
            continue;
        }
        let (path, is_below) = (operation.path.clone(), operation.is_below_project());
        // Operations that everybody may perform on their own account have their own stories.
        if !is_below && operation.roles.len() == roles.len() {
            continue;
        }
        seen += 1;
        for (role, client) in &people {
            let may = operation.roles.iter().any(|known| known == role);
            let (client, path) = match is_below {
                true => (client.clone(), things.path(operation)),
                false => (
                    client.outside(),
                    path.replace("{person_id}", "9999")
                        .replace("{invitation_id}", "9999")
                        .replace("{prefix}", "nosuchky"),
                ),
            };
            if may {
                // Other stories check the effect of writes, so nothing is changed here.
                // A stream has no end.
                if operation.method == "GET" && !operation.is_stream() {
                    client.call("GET", &path).send().has_status(200);
                }
                continue;
            }
            let refused = client.call(&operation.method, &path);
            let refused = match good_body(operation).filter(|_| operation.takes_body) {
                Some(body) => refused.json(body).send(),
                None => refused.send(),
            };
            assert_eq!(
                (refused.status, &refused.body["code"]),
                (403, &json!("missing_scope")),
                "{} as {role}: {}",
                operation.id,
                refused.text()
            );
        }
        if is_below {
            let path = things.path(operation);
            let theirs = stranger.in_project(&shop.project_key);
            theirs.call(&operation.method, &path).send().refused(404, "not_found");
            let nobody = shop.with_key(None);
            nobody.call(&operation.method, &path).send().refused(401, "unauthorized");
            if operation.callers == "session" {
                send(&shop, operation, &path).refused(403, "session_needed");
            }
        } else if operation.callers == "session" {
            let path = path.replace(['{', '}'], "");
            shop.outside().call(&operation.method, &path).send().refused(403, "session_needed");
        }
    }
    assert!(seen > 50, "{seen} operations");
    assert_eq!(things.all(&shop), before, "nobody without the role changed anything");
}

fn a_session_counts_on_own_pages_only(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let editor = app.signed_in_as(&shop, "editor");
    let own = editor.origin();
    editor.get("/experiments").ok();
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "https://127.0.0.1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("host", "evil.example"),
    ] {
        editor.call("GET", "/experiments").header(name, value).send().refused(401, "unauthorized");
        let refused = editor.call("POST", "/hypothesis").header(name, value).json(json!({ "problem": "P" })).send();
        assert!(matches!(refused.status, 401 | 403), "{name}: {value} was answered {}", refused.text());
    }
    for site in ["same-origin", "none"] {
        editor.call("GET", "/experiments").header("sec-fetch-site", site).send().ok();
    }
    // A change without its origin, without the CSRF token, or with the token of another session.
    let other = app.sign_in("editor@acme.example");
    let change = || editor.call("POST", "/hypothesis").json(json!({ "problem": "P" }));
    change().header("origin", "").send().refused(403, "csrf_failed");
    change().header("x-muriel-csrf", "").send().refused(403, "csrf_failed");
    change().header("x-muriel-csrf", &other.csrf).send().refused(403, "csrf_failed");
    change().header("x-muriel-csrf", "\u{e9}").send().refused(403, "csrf_failed");
    change().header("origin", &own).send().created();
    assert_eq!(editor.get("/hypotheses").ok()["total"], 1);

    let session = editor.session.clone().expect("a session");
    for cookie in [
        format!("{}; {}", session.cookie, other.cookie),
        format!("{}; {}", session.cookie, session.cookie),
        session.cookie.replace("muriel=", "Muriel="),
        session.cookie.replace("muriel=", "__Host-muriel="),
        format!("{}x", session.cookie),
        "muriel=".to_owned(),
        "muriel=\"\"".to_owned(),
        format!("muriel={}", "A".repeat(8_000)),
        format!("muriel={}", "\u{e9}".repeat(22)),
        session.device.replace("muriel-device=", "muriel="),
    ] {
        editor.call("GET", "/experiments").header("cookie", &cookie).send().refused(401, "unauthorized");
    }
    let with_others = format!("a=b; {}; muriel_id=v-1", session.cookie);
    editor.call("GET", "/experiments").header("cookie", &with_others).send().ok();
}

fn a_session_is_of_no_use_where_visitors_are(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner");
    let things = Things::make(&shop, "useless");
    let key = &shop.project_key;
    let (with, without) = (owner.outside(), app.anyone());
    for path in [format!("/js/{key}.js"), format!("/ruleset/{key}"), "/docs".to_owned(), "/openapi.json".to_owned()] {
        let [with, without] = [&with, &without].map(|client| client.get(&path));
        assert_eq!((with.status, &with.bytes), (without.status, &without.bytes), "{path}");
        let read =
            |answer: &Answer| answer.headers.iter().any(|(name, value)| name == "vary" && value.contains("cookie"));
        assert!(!read(&with), "{path} does not depend on cookies");
    }
    // A server's events need a key, and events of a page are not trusted more with a session.
    let flags = format!("/v2/project/{key}/ofrep/v1/evaluate/flags");
    let refused = [
        with.call("POST", &format!("/events/{key}/batch")).json(json!({})).send(),
        with.post(&flags, json!({ "context": { "targetingKey": "v" } })),
        with.post("/mcp", json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })),
    ];
    for answer in refused {
        let said = answer.has_status(401).text();
        assert!(said.contains("Bearer <key>") && !said.contains("session"), "{said}");
    }
    let preview = with.get(&format!("/preview/{key}?test={}&variant=1", things.test_id));
    assert_ne!(preview.status, 200, "{}", preview.text());
}

fn the_key_wins_over_the_cookie(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner");
    let reader = app.scoped(&shop, "read");
    let with_key = |key: Option<String>| {
        let mut both = owner.clone();
        both.api_key = key;
        both
    };
    let both = with_key(reader.api_key.clone());
    both.post("/hypothesis", json!({ "problem": "P" })).refused(403, "missing_scope");
    with_key(Some("mrl_wrong".to_owned())).get("/experiments").refused(401, "unauthorized");
    // Credentials for a proxy in front of the server are not ours.
    owner.call("GET", "/experiments").header("authorization", "Basic eDp5").send().ok();
}

fn people_can_have_a_host_of_their_own(on: On) {
    let app = on.start_with(|settings| {
        settings.dashboard_listen = Some(([127, 0, 0, 1], 0).into());
        settings.people.public_url = Some("https://muriel.example".parse().expect("an address"));
    });
    let shop = app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "owner");
    let dashboard = app.anyone().at(app.dashboard_address().expect("an address"));
    let body = json!({ "email": "ada@acme.example", "password": PASSWORD });
    let ask = |client: &Client, origin: &str| {
        client.call("POST", "/v2/session").header("origin", origin).json(body.clone()).send()
    };
    ask(&app.anyone(), "https://muriel.example").refused(404, "unknown_route");
    ask(&dashboard, &dashboard.origin()).refused(403, "csrf_failed");
    let answer = ask(&dashboard, "https://muriel.example").has_status(200);
    let set: Vec<_> =
        answer.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, line)| line.clone()).collect();
    assert_eq!(set.len(), 2);
    for line in &set {
        assert!(
            line.starts_with("__Host-muriel")
                && line.ends_with("; HttpOnly; SameSite=Strict; Secure")
                && line.contains("; Path=/; "),
            "{line}"
        );
        assert!(!line.contains("Domain"), "{line}");
    }
    let cookie = set[0].split(';').next().expect("a cookie");
    let list = format!("/v2/project/{}/experiments", shop.project_key);
    dashboard.call("GET", &list).header("cookie", cookie).send().ok();
    let plain = cookie.replace("__Host-muriel", "muriel");
    dashboard.call("GET", &list).header("cookie", &plain).send().refused(401, "unauthorized");
    app.anyone().call("GET", &list).header("cookie", cookie).send().refused(401, "unauthorized");
    shop.get("/experiments").ok();
    dashboard.get(&format!("/js/{}.js", shop.project_key)).refused(404, "unknown_route");
    dashboard.get(&format!("/ruleset/{}", shop.project_key)).refused(404, "unknown_route");
    let csrf = answer.body["csrf"].as_str().expect("a token");
    let invite =
        dashboard.call("POST", "/v2/invitation").header("cookie", cookie).header("origin", "https://muriel.example");
    let invite = invite.header("x-muriel-csrf", csrf).json(json!({ "email": "grace@acme.example", "role": "viewer" }));
    let link = invite.send().created()["link"].clone();
    assert!(link.as_str().is_some_and(|link| link.starts_with("https://muriel.example/invitation#")), "{link}");
}
