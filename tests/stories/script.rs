//! The script on pages.

use muriel_tests::{Answer, Client, DEADLINE, On, TestApp, eventually, raw, scratch, stories};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

stories! {
    always: [
        the_script_follows_what_changes_at_once,
        types_are_served_beside_it,
        a_prefix_serves_the_same_under_another_name,
        settings_reach_the_script,
    ],
    postgres_at_night: [
        the_script_is_the_ruleset_with_what_runs_it,
        drafts_are_never_in_the_script,
        a_script_without_experiments_is_small,
        parts_come_with_what_needs_them,
        customers_texts_end_no_element,
        previews_say_what_they_need,
    ],
}

const KEPT: &str = "public, max-age=30, stale-while-revalidate=30";

fn known(app: &TestApp, name: &str) -> Client {
    let shop = app.project("Acme", name);
    let path = format!("/js/{}.js", shop.project_key);
    eventually("its script", DEADLINE, || app.anyone().get(&path).status == 200);
    shop
}

fn script(app: &TestApp, shop: &Client) -> Answer {
    let answer = app.anyone().get(&format!("/js/{}.js", shop.project_key)).has_status(200);
    for (name, value) in [
        ("content-type", "text/javascript; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "cross-origin"),
        ("access-control-allow-origin", "*"),
        ("cache-control", KEPT),
        ("vary", "accept-encoding"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    assert_eq!(answer.header("x-muriel-stale"), None);
    is_javascript(&answer.text());
    answer
}

fn packed(app: &TestApp, target: &str, coding: &str) -> Answer {
    let request = format!("GET {target} HTTP/1.1\r\nHost: a\r\nAccept-Encoding: {coding}\r\nConnection: close\r\n\r\n");
    let answer = raw::unchecked(app.address, request.as_bytes()).has_status(200);
    assert_eq!(answer.header("content-encoding"), Some(coding));
    answer
}

/// Returns the ruleset, the settings and the text of the parts, as arguments of the script's function.
fn arguments(script: &Answer) -> (Value, Value, String) {
    let text = script.text();
    let at = text.find("({\"format\":").expect("a ruleset");
    let mut values = serde_json::Deserializer::from_str(&text[at + 1..]).into_iter::<Value>();
    let ruleset = values.next().expect("a ruleset").expect("JSON");
    let after = at + 1 + values.byte_offset() + 1;
    let mut values = serde_json::Deserializer::from_str(&text[after..]).into_iter::<Value>();
    let settings = values.next().expect("settings").expect("JSON");
    (ruleset, settings, text[after + values.byte_offset()..].to_owned())
}

/// Returns the parts, in their order in the script.
fn parts(script: &Answer) -> Vec<&'static str> {
    let (_, _, text) = arguments(script);
    let names = ["rules", "source", "changes", "split", "goals", "orders"];
    names.into_iter().filter(|name| text.contains(&format!("{name}:(function("))).collect()
}

/// Checks the syntax with Node.
fn is_javascript(script: &str) {
    let mut command = Command::new("node");
    command.args(["--check", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut node = command.spawn().expect("node cannot be started: install Node.js 20 or newer");
    node.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("all of it");
    let output = node.wait_with_output().expect("an end");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn the_script_is_the_ruleset_with_what_runs_it(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let empty = script(&app, &shop);
    let code = "for (const word of ['a', 'b']) say(word)";
    let variant = json!({ "name": "Variant 1", "customJS": code, "data": [{ "target": "h1", "innerText": "Hello" }] });
    shop.experiment(json!({ "status": 1, "variants": [variant] }));
    let plain = script(&app, &shop);
    assert_ne!(plain.etag(), empty.etag());
    assert!(plain.text().starts_with("//# allFunctionsCalledOnLoad\n(function(RULESET,SETTINGS,PARTS){"));
    let (ruleset, settings, _) = arguments(&plain);
    let path = format!("/ruleset/{}", shop.project_key);
    let mut published = app.anyone().get(&path).ok();
    assert_eq!(published["experiments"][0]["variants"][0]["customJS"], code, "as it was written");
    published["experiments"][0]["variants"][0]["customJS"] =
        json!("for (const word of ['a', 'b']) {__muriel_turn();say(word)}");
    assert_eq!(ruleset, published);
    let key = &shop.project_key;
    assert_eq!(
        settings,
        json!({
            "base": "", "prefix": "", "global": "muriel",
            "consent": "assumed", "gpc": false, "bots": false, "health": 10,
        })
    );

    let target = format!("/js/{key}.js");
    let packed = |coding: &str| {
        let answer = packed(&app, &target, coding);
        assert_eq!(answer.etag(), plain.etag());
        answer.bytes
    };
    let mut unpacked = Vec::new();
    brotli::Decompressor::new(&packed("br")[..], 4_096).read_to_end(&mut unpacked).expect("brotli");
    assert_eq!(unpacked, plain.bytes);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed("gzip")[..]).read_to_end(&mut unpacked).expect("gzip");
    assert_eq!(unpacked, plain.bytes);

    let anyone = app.anyone();
    let same = anyone.call("GET", &target).header("if-none-match", &plain.etag()).send().has_status(304);
    assert_eq!((same.header("cache-control"), same.etag()), (Some(KEPT), plain.etag()));
    anyone.call("GET", &target).header("if-none-match", &empty.etag()).send().has_status(200);
    for nothing in ["/js/prj_nowhere.js", "/js/.js", "/js/%FF.js"] {
        anyone.get(nothing).refused(404, "not_found");
    }
    anyone.get(&format!("/js/{key}")).refused(404, "not_found");
}

fn the_script_follows_what_changes_at_once(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let id = shop.experiment(json!({ "status": 1 }));
    for round in 0..5 {
        let code = format!("lap({round})");
        shop.patch(&format!("/experiment/{id}"), json!({ "custom_js": code })).ok();
        assert!(script(&app, &shop).text().contains(&code));
    }
    shop.set_status(id, 0).ok();
    assert!(!script(&app, &shop).text().contains("lap("));
}

fn drafts_are_never_in_the_script(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let empty = script(&app, &shop);
    let secret =
        json!({ "test_name": "classified", "variants": [{ "name": "Variant 1", "customJS": "classified()" }] });
    let draft = shop.experiment(secret);
    let same = script(&app, &shop);
    assert_eq!((same.bytes, parts(&empty)), (empty.bytes.clone(), vec![]));
    shop.set_status(draft, 1).ok();
    assert!(script(&app, &shop).text().contains("classified()"));
    shop.delete(&format!("/experiment/{draft}")).ok();
    assert_eq!(script(&app, &shop).bytes, empty.bytes);
}

fn a_script_without_experiments_is_small(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let target = format!("/js/{}.js", shop.project_key);
    for (coding, most) in [("br", 8_192), ("gzip", 10_240)] {
        let size = packed(&app, &target, coding).bytes.len();
        assert!(size <= most, "{coding}: {size} bytes");
    }
}

fn types_are_served_beside_it(on: On) {
    let app = on.start_with(|settings| settings.site.page_api = "shop".parse().expect("a name"));
    let types = app.anyone().get("/js/muriel.d.ts").has_status(200);
    assert_eq!(types.header("content-type"), Some("text/plain; charset=utf-8"));
    assert!(types.text().contains("interface Window {\n  shop: Muriel.Page;"));
}

fn parts_come_with_what_needs_them(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let goal = |goal_type: &str, value: Value| {
        let body = json!({ "goal_name": goal_type, "goal_type": goal_type, "goal_value": value });
        shop.post("/goal", body).created()["goal_profile_id"].as_i64().expect("an id")
    };
    goal("script", json!("tour"));
    goal("event", json!("signed-up"));
    assert_eq!(parts(&script(&app, &shop)), [] as [&str; 0]);
    let click = goal("clickOnElement", json!("#buy"));
    assert_eq!(parts(&script(&app, &shop)), ["goals"]);
    shop.delete(&format!("/goal/{click}")).ok();
    goal("revenue", json!("purchase"));
    assert_eq!(parts(&script(&app, &shop)), ["orders"]);
    let id = shop.experiment(json!({ "status": 1, "variants": [{ "name": "Variant 1", "data": [{ "rm": "h1" }] }] }));
    assert_eq!(parts(&script(&app, &shop)), ["changes", "orders"]);
    let rule = json!([[{ "criteria": "source", "operator": "==", "value": "search" }]]);
    let changes = json!({ "targeting": { "referral_rule": rule }, "custom_js": "a()" });
    shop.patch(&format!("/experiment/{id}"), changes).ok();
    assert_eq!(parts(&script(&app, &shop)), ["rules", "source", "changes", "orders"]);
    let away = json!([{ "name": "Variant 1", "data": [{ "url": "https://shop.example/new" }] }]);
    shop.experiment(json!({ "status": 1, "test_type": "split", "variants": away }));
    assert_eq!(parts(&script(&app, &shop)), ["rules", "source", "changes", "split", "orders"]);
}

fn customers_texts_end_no_element(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let hostile = "</script><!--<script>\u{2028}\u{2029}]]>";
    let code = format!("say({})", json!(hostile));
    let change = json!({ "target": "h1", "innerHTML": hostile, "__proto__": { "polluted": true } });
    let variant = json!({ "name": "Variant 1", "customJS": code, "data": [change] });
    shop.experiment(json!({ "status": 1, "variants": [variant] }));
    let script = script(&app, &shop);
    let text = script.text();
    for word in ["</script", "<!--", "<script", "\u{2028}", "\u{2029}", "\"__proto__\":"] {
        assert!(!text.contains(word), "{word:?}");
    }
    assert!(text.contains("[\"__proto__\"]:{\"polluted\":true}"));
    assert!(text.contains("\\u003c/script>\\u003c!--\\u003cscript>\\u2028\\u2029]]>"), "{text}");
}

fn settings_reach_the_script(on: On) {
    let mut app = on.start_with(|settings| settings.site.page_api = "shop".parse().expect("a name"));
    let shop = known(&app, "Shop");
    let settings = |app: &TestApp| arguments(&script(app, &shop)).1;
    assert_eq!((&settings(&app)["global"], &settings(&app)["consent"]), (&json!("shop"), &json!("assumed")));
    let before = script(&app, &shop).etag();
    app.page_settings(&shop, |changes| {
        changes.consent = Some("required".to_owned());
        changes.gpc = Some("on".to_owned());
        changes.health = Some("25".to_owned());
        changes.base = Some("https://m.shop.example".to_owned());
    });
    eventually("the settings", DEADLINE, || settings(&app)["consent"] == "required");
    let expect = json!({ "gpc": true, "bots": false, "health": 25, "base": "https://m.shop.example" });
    let now = settings(&app);
    for (name, value) in expect.as_object().expect("settings") {
        assert_eq!(&now[name], value, "{name}");
    }
    assert_ne!(script(&app, &shop).etag(), before);
    app.page_settings(&shop, |changes| changes.consent = Some("memory".to_owned()));
    eventually("one more", DEADLINE, || settings(&app)["consent"] == "memory");
    assert_eq!(settings(&app)["gpc"], true, "what is not named stays");
    app.start_again();
    assert_eq!(settings(&app), json_with(now, "consent", "memory"));
}

fn json_with(mut value: Value, name: &str, word: &str) -> Value {
    value[name] = word.into();
    value
}

fn a_prefix_serves_the_same_under_another_name(on: On) {
    let app = on.start_with(|settings| settings.site.visitor_prefix = "/x/y".parse().expect("a path"));
    let shop = known(&app, "Shop");
    let key = &shop.project_key;
    let anyone = app.anyone();
    app.page_settings(&shop, |changes| changes.base = Some("https://m.shop.example".to_owned()));
    eventually("the base", DEADLINE, || arguments(&script(&app, &shop)).1["base"] == "https://m.shop.example");
    let here = anyone.get(&format!("/x/y/js/{key}.js")).has_status(200);
    assert_eq!(here.header("cache-control"), Some(KEPT));
    assert_ne!(here.etag(), script(&app, &shop).etag());
    let (_, settings, _) = arguments(&here);
    assert_eq!((&settings["base"], &settings["prefix"]), (&json!(""), &json!("/x/y")));
    let badge = anyone.get("/x/y/js/parts/badge.js").has_status(200);
    assert_eq!(badge.bytes, anyone.get("/js/parts/badge.js").has_status(200).bytes);
    let ruleset = anyone.get(&format!("/x/y/ruleset/{key}")).has_status(200);
    assert_eq!(ruleset.header("access-control-allow-origin"), Some("*"));
    anyone.get(&format!("/x/y/geo/{key}")).has_status(200);
    anyone.get(&format!("/x/y/preview/{key}/1?token=x")).refused(404, "not_found");
    let event = json!({ "id": "01900000-0000-7000-8000-000000000001", "type": "custom", "name": "x" });
    let body = json!({ "visitor": { "id": "v" }, "events": [event] });
    let taken = anyone.post(&format!("/x/y/events/{key}"), body.clone()).ok();
    assert_eq!(taken["results"][0]["status"], "ok");
    let again = anyone.post(&format!("/events/{key}"), body).ok();
    assert_eq!(again["results"][0]["status"], "duplicate", "the same place");
    // The API stays at its usual path only.
    anyone.get(&format!("/x/y/v2/project/{key}/goals")).refused(404, "unknown_route");
    anyone.get("/x/y").refused(404, "unknown_route");
}

fn previews_say_what_they_need(on: On) {
    let app = on.start();
    let shop = known(&app, "Shop");
    let variant = json!({ "name": "Variant 1", "customJS": "while (a) b()", "data": [{ "rm": "h1" }] });
    let draft = shop.experiment(json!({ "variants": [variant] }));
    let links = shop.get(&format!("/experiment/{draft}/preview-urls")).ok();
    let link = links["variants"][0]["preview_url"].as_str().expect("a link");
    let token = link.rsplit_once("test-token=").expect("a token").1;
    let anyone = app.anyone();
    let document = anyone.get(&format!("/preview/{}/{draft}?token={token}", shop.project_key)).ok();
    assert_eq!(document["parts"], json!(["changes"]));
    let code = &document["experiments"][0]["variants"][0]["customJS"];
    assert_eq!(code, "while (a) {__muriel_turn();b()}");
    for name in ["source", "changes", "split", "goals", "orders", "badge"] {
        let path = format!("/js/parts/{name}.js");
        let part = anyone.get(&path).has_status(200);
        assert_eq!(part.header("content-type"), Some("text/javascript; charset=utf-8"));
        assert_eq!(part.header("cross-origin-resource-policy"), Some("cross-origin"));
        assert_eq!(part.header("cache-control"), Some("public, no-cache"));
        assert_eq!(part.text().starts_with("document.currentScript.muriel="), name != "badge");
        is_javascript(&part.text());
        anyone.call("GET", &path).header("if-none-match", &part.etag()).send().has_status(304);
    }
    for nothing in ["/js/parts/badge", "/js/parts/snippet.js", "/js/parts/.js", "/js/parts/%FF.js"] {
        anyone.get(nothing).refused(404, "not_found");
    }
}

#[test]
fn first_party_requests_renew_the_visitors_cookies() {
    let app = On::Sqlite.start_with(|settings| settings.site.page_api = "shop".parse().expect("a name"));
    let shop = known(&app, "Shop");
    let anyone = app.anyone();
    let send = |query: &str, consent: &str, headers: &[(&str, &str)]| {
        let event = json!({ "id": "01900000-0000-7000-8000-000000000001", "type": "custom", "name": "x" });
        let body = json!({ "visitor": { "id": "v-1" }, "consent": consent, "events": [event] });
        let path = format!("/events/{}{query}", shop.project_key);
        let call = headers.iter().fold(anyone.call("POST", &path), |call, (name, value)| call.header(name, value));
        let answer = call.json(body).send().has_status(200);
        let set = answer.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value.clone());
        set.collect::<Vec<_>>()
    };
    let cookies = format!("shop_id=v-1; shop_a_{}=3.1; shop_a_prj_other=4.1", shop.project_key);
    let (cookie, own) = (("cookie", cookies.as_str()), ("sec-fetch-site", "same-origin"));
    let age = "Path=/; Max-Age=34560000; SameSite=Lax";
    assert_eq!(
        send("", "granted", &[cookie, own]),
        [format!("shop_id=v-1; {age}; Secure"), format!("shop_a_{}=3.1; {age}; Secure", shop.project_key)]
    );
    assert_eq!(
        send("?d=shop.example&x=1", "unknown", &[("cookie", "shop_id=v-1")]),
        [format!("shop_id=v-1; {age}; Domain=shop.example")]
    );
    let nothing: [String; 0] = [];
    assert_eq!(send("", "denied", &[cookie, own]), nothing);
    assert_eq!(send("", "granted", &[cookie, ("sec-fetch-site", "cross-site")]), nothing);
    assert_eq!(send("", "granted", &[("cookie", "shop_id=v-2"), own]), nothing);
    assert_eq!(send("", "granted", &[("cookie", "muriel_id=v-1"), own]), nothing);
    assert_eq!(send("?d=evil;Path=/x", "granted", &[cookie, own]), nothing);
    assert_eq!(send("", "granted", &[own]), nothing);
}

/// Settings are stored for a start without the database.
#[test]
fn settings_are_kept_with_the_last_good_ruleset() {
    let app = On::Sqlite.start();
    let shop = known(&app, "Shop");
    app.page_settings(&shop, |changes| changes.health = Some("77".to_owned()));
    eventually("the settings", DEADLINE, || arguments(&script(&app, &shop)).1["health"] == 77);
    let kept = app.settings.storage.data_dir.join("rulesets");
    eventually("its file", DEADLINE, || {
        let files = std::fs::read_dir(&kept).into_iter().flatten().filter_map(Result::ok);
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).any(|text| text.contains("\"health\":77"))
    });
}

/// Code that once took half a minute to parse, blocking the server, is parsed in a moment, also with
/// other code in each variant. A server that is stopped during parsing ends in time.
#[test]
fn deeply_nested_loops_keep_no_script_and_no_server() {
    use muriel_tests::process::Process;
    use std::sync::mpsc;
    const LOOPS: usize = 2_000;
    let deep = |n: usize, loops: usize| format!("var n={n};{}{}", "for(;;){".repeat(loops), "}".repeat(loops));
    let named = |at: usize, code: String| json!({ "name": format!("Variant {}", at + 1), "customJS": code });
    let app = On::Sqlite.start();
    let shop = app.project("Acme", "Shop");
    let variants: Vec<Value> = (0..50).map(|at| named(at, deep(at, LOOPS))).collect();
    shop.experiment(json!({ "status": 1, "variants": variants }));
    let (ruleset, ..) = arguments(&script(&app, &shop));
    let delivered = ruleset["experiments"][0]["variants"].as_array().expect("variants");
    let codes: Vec<&str> = delivered.iter().filter_map(|variant| variant["customJS"].as_str()).collect();
    assert_eq!(codes.len(), 50);
    for (at, code) in codes.iter().enumerate() {
        assert_eq!(code.matches("__muriel_turn();").count(), LOOPS, "variant {at}");
        assert_eq!(code.replace("__muriel_turn();", ""), deep(at, LOOPS));
    }
    drop(app);

    let data = scratch();
    let server = Process::start(data.path(), &[]);
    let client = server.project("Acme", "Shop");
    let (sender, receiver) = mpsc::channel();
    // Three of the largest pieces in each: more in total than can be parsed before the stop.
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (client, sender) = (client.clone(), sender.clone());
            std::thread::spawn(move || {
                for round in 0..4 {
                    let variants: Vec<Value> =
                        (0..3).map(|at| named(at, deep(100 * writer + 10 * round + at, 58_000))).collect();
                    let body =
                        json!({ "test_name": "a", "url": "https://shop.example/", "status": 1, "variants": variants });
                    let status = client.call("POST", "/create-experiment").json(body).send().status;
                    if sender.send(status).is_err() {
                        return;
                    }
                }
            })
        })
        .collect();
    // One write has finished, so others are being parsed.
    assert_eq!(receiver.recv(), Ok(201));
    // It ends; a slow machine may have to force it, which the exit status would show.
    let _ = server.stop();
    drop(receiver);
    for writer in writers {
        // Requests on cut connections fail.
        let _ = writer.join();
    }
}
