//! Size, format and rate limits of requests.

use crate::scene::Things;
use muriel_tests::{Client, Contract, DEADLINE, On, TestApp, eventually, raw, stories};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

stories! {
    always: [
        json_that_is_refused,
    ],
    postgres_at_night: [
        a_body_has_two_mebibytes_at_most,
        content_types,
        routes_that_are_none,
        methods_that_are_none,
        requests_that_are_none,
        a_refused_body_does_not_break_the_connection,
        request_ids,
        requests_are_limited_per_key,
        requests_are_limited_per_network,
        clients_behind_a_proxy_have_limits_of_their_own,
        pages_can_read_that_they_are_too_many,
    ],
}

fn scene(on: On) -> (TestApp, Client, String) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let path = format!("/experiment/{}", shop.experiment(json!({})));
    (app, shop, path)
}

fn a_body_has_two_mebibytes_at_most(on: On) {
    const BODY_MAX: usize = 2 << 20;
    let (app, shop, path) = scene(on);
    let padded = |size: usize| {
        let body = "{\"test_name\":\"Padded\"}";
        format!("{body}{}", " ".repeat(size - body.len()))
    };
    shop.call("PATCH", &path).body(padded(BODY_MAX)).send().ok();
    shop.call("PATCH", &path).body(padded(BODY_MAX + 1)).send().refused(413, "body_too_large");
    let key = shop.api_key.as_deref().unwrap_or_default();
    let head = |length: &str| {
        format!(
            "PATCH {}{path} HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
             {length}\r\nConnection: close\r\n\r\n",
            shop.base
        )
    };
    // With a content length, it is refused before the body is sent.
    raw::exchange(app.address, head(&format!("Content-Length: {}", BODY_MAX + 1)).as_bytes())
        .refused(413, "body_too_large");
    // Without a content length, it is refused as soon as it is too large.
    let mut chunked = head("Transfer-Encoding: chunked");
    for _ in 0..33 {
        chunked += &format!("{:x}\r\n{}\r\n", 64 << 10, " ".repeat(64 << 10));
    }
    raw::exchange(app.address, format!("{chunked}0\r\n\r\n").as_bytes()).refused(413, "body_too_large");
    let whole = head("Transfer-Encoding: chunked") + "10\r\n{\"test_name\":\"Ch\r\n6\r\nunks\"}\r\n0\r\n\r\n";
    raw::exchange(app.address, whole.as_bytes()).ok();
    assert_eq!(shop.get(&path).ok()["experiment"]["test_name"], "Chunks");
}

fn json_that_is_refused(on: On) {
    let (_app, shop, path) = scene(on);
    let before = shop.get(&path).bytes;
    let nested = |depth: usize| format!("{{\"x\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let send = |body: Vec<u8>| shop.call("PATCH", &path).body(body).send();
    send(nested(32).into_bytes()).invalid(&["x"]);
    let mut refused: Vec<Vec<u8>> = [
        nested(33).as_str(),
        "[".repeat(1 << 20).as_str(),
        "",
        "{",
        "{}{}",
        "{} x",
        "{\"test_name\":\"x\",}",
        "{test_name:\"x\"}",
        "{'test_name':'x'}",
        "{\"test_name\":\"x\"} // comment",
        "\u{feff}{}",
        "{\"test_name\":\"\u{0}\"}",
        "{\"test_name\":\"\\u0000\"}",
        "{\"\\u0000\":1}",
        "{\"tags\":[\"a\\u0000b\"]}",
        "{\"test_name\":\"\\ud800\"}",
        "{\"test_name\":\"\\udc00\\ud800\"}",
        "{\"\\ud800\":1}",
        "{\"test_name\":\"a\",\"test_name\":\"a\"}",
        "{\"test_name\":\"a\",\"test\\u005fname\":\"b\"}",
        "{\"configuration\":{\"bayesian\":1,\"bayesian\":1}}",
        "{\"variants\":[{\"name\":\"Variant 1\",\"data\":[{\"rm\":\"a\",\"rm\":\"b\"}]}]}",
        "{\"configuration\":{\"completion_visitor\":9007199254740993}}",
        "{\"configuration\":{\"completion_visitor\":-9007199254740993}}",
        "{\"configuration\":{\"completion_visitor\":1e400}}",
        "{\"configuration\":{\"completion_visitor\":01}}",
        "{\"configuration\":{\"completion_visitor\":+1}}",
        "{\"configuration\":{\"completion_visitor\":NaN}}",
        "{\"configuration\":{\"integration\":[{\"deep\":{\"id\":9007199254740993}}]}}",
        "{\"test_name\":\"line\nbreak\"}",
        "{\"test_name\":\"\\x41\"}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    refused.push(b"{\"test_name\":\"\xff\"}".to_vec());
    refused.push(b"{\"test_name\":\"\xed\xa0\x80\"}".to_vec());
    refused.push(vec![0xFF, 0xFE, b'{', 0, b'}', 0]);
    for body in refused {
        let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
        let answer = send(body);
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (400, &json!("malformed_body")),
            "{shown}: {}",
            answer.text()
        );
        assert!(answer.bytes.len() < 4_096, "{shown}: {} bytes", answer.bytes.len());
        assert_eq!(shop.get(&path).bytes, before, "{shown}");
    }
    let surrogates = send(b"{\"test_name\":\"\\ud83d\\ude00 \\u00e9\"}".to_vec());
    surrogates.ok();
    assert_eq!(shop.get(&path).ok()["experiment"]["test_name"], "\u{1f600} é");
}

fn content_types(on: On) {
    let (app, shop, path) = scene(on);
    let patch = |content_type: &str| shop.call("PATCH", &path).header("content-type", content_type).body("{}").send();
    for good in [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/merge-patch+json",
        "application/merge-patch+json; charset=utf-8",
    ] {
        patch(good).ok();
    }
    let refused = [
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json-patch+json",
        "application/ld+json",
        "application/json5",
        "application/json, text/plain",
        "application/json; charset=latin1",
        "application/json; charset=utf-16",
        "json",
        "",
    ];
    for wrong in refused {
        patch(wrong).refused(415, "unsupported_media_type");
    }
    shop.call("PATCH", &path).untyped("{}").send().refused(415, "unsupported_media_type");
    for coding in ["gzip", "deflate", "br"] {
        let call = shop.call("PATCH", &path).header("content-encoding", coding).body("{}");
        call.send().refused(415, "unsupported_media_type");
    }
    // Only three operations merge: the update of an experiment, its preview, and a proposal of it.
    for operation in Contract::get().keyed().filter(|operation| operation.takes_body) {
        let shop = app.project("Acme", &operation.id);
        let below = Things::make(&shop, "types").path(operation);
        let call =
            shop.call(&operation.method, &below).header("content-type", "application/merge-patch+json").body("{}");
        let answer = call.send();
        if ["updateExperiment", "previewChange"].contains(&operation.id.as_str()) {
            answer.ok();
        } else if operation.id == "createProposal" {
            answer.invalid(&["body"]);
        } else {
            operation.refused(answer, 415, "unsupported_media_type");
        }
    }
}

fn routes_that_are_none(on: On) {
    let (app, shop, path) = scene(on);
    let whole = |below: &str| format!("{}{below}", shop.base);
    for route in [
        "/v2".to_owned(),
        "/v2/".to_owned(),
        "/v2/project".to_owned(),
        shop.base.clone(),
        whole("/"),
        whole("/experiment"),
        whole("/experiments/"),
        whole("/nothing"),
        whole(&format!("{path}/nothing")),
        whole(&format!("{path}/")),
        shop.base.replace("/v2/", "/v1/") + "/experiments",
        shop.base.replace("/v2/", "/V2/") + "/experiments",
        format!("/{}", whole("/experiments")),
        whole("/Experiments"),
        whole("/../x"),
        "/metrics".to_owned(),
        "/%00".to_owned(),
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let request =
                format!("{method} {route} HTTP/1.1\r\nHost: story\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            raw::exchange(app.address, request.as_bytes()).refused(404, "unknown_route");
        }
    }
}

fn methods_that_are_none(on: On) {
    let (app, shop, _) = scene(on);
    let operations = &Contract::get().operations;
    for operation in operations {
        let below = operation.below_project(|_| "1".to_owned());
        let target = match operation.is_below_project() {
            true => format!("{}{below}", shop.base),
            false => below.replace("{project_key}", &shop.project_key),
        };
        let declared: Vec<_> =
            operations.iter().filter(|other| other.path == operation.path).map(|other| other.method.as_str()).collect();
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            if declared.contains(&method) {
                continue;
            }
            let request =
                format!("{method} {target} HTTP/1.1\r\nHost: story\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let answer = raw::exchange(app.address, request.as_bytes());
            // Browsers of other origins send it as a preflight request.
            if method == "OPTIONS" && (operation.is_public() || operation.is_ofrep()) {
                answer.has_status(200);
                continue;
            }
            let answer = answer.refused(405, "method_not_allowed");
            let mut allowed: Vec<_> = answer.header("allow").unwrap_or_default().split(',').map(str::trim).collect();
            allowed.retain(|method| *method != "HEAD");
            allowed.sort_unstable();
            let mut expect = declared.clone();
            expect.sort_unstable();
            assert_eq!(allowed, expect, "{method} {target}");
        }
    }
}

fn requests_that_are_none(on: On) {
    let (app, shop, path) = scene(on);
    let key = shop.api_key.as_deref().unwrap_or_default();
    let target = format!("{}{path}", shop.base);
    for bytes in [
        "NONSENSE\r\n\r\n".to_owned(),
        format!("GET {target}\r\n\r\n"),
        format!("GET {target} HTTP/9.9\r\nHost: story\r\n\r\n"),
        format!("GET {target} HTTP/1.1\r\nHost: story\r\nNo colon\r\n\r\n"),
        format!("GET {target} HTTP/1.1\r\nHost: story\r\nBad name: x\r\n\r\n"),
        format!("G\u{1}T {target} HTTP/1.1\r\nHost: story\r\n\r\n"),
        format!("PATCH {target} HTTP/1.1\r\nHost: story\r\nContent-Length: -1\r\n\r\n"),
        format!("PATCH {target} HTTP/1.1\r\nHost: story\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"),
        format!("PATCH {target} HTTP/1.1\r\nHost: story\r\nTransfer-Encoding: gzip\r\n\r\n"),
        format!(
            "PATCH {target} HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\
             Transfer-Encoding: chunked\r\n\r\nzz\r\n"
        ),
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\r\n\r\n".to_owned(),
    ] {
        let answer = raw::exchange(app.address, bytes.as_bytes());
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (400, &json!("malformed_request")),
            "{bytes:?}: {}",
            answer.text()
        );
    }
    let long = "x".repeat(8 << 10);
    let long = format!("GET {target}?x={long} HTTP/1.1\r\nHost: story\r\nConnection: close\r\n\r\n");
    raw::exchange(app.address, long.as_bytes()).refused(414, "uri_too_long");
    let many: String = (0..200).map(|number| format!("X-Field-{number}: x\r\n")).collect();
    for fields in [many, format!("X-Long: {}\r\n", "x".repeat(128 << 10))] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: story\r\n{fields}Connection: close\r\n\r\n");
        raw::exchange(app.address, request.as_bytes()).refused(431, "headers_too_large");
    }
    shop.get(&path).ok();
}

fn a_refused_body_does_not_break_the_connection(on: On) {
    let (app, shop, path) = scene(on);
    let key = shop.api_key.as_deref().unwrap_or_default();
    let target = format!("{}{path}", shop.base);
    let read = format!("GET {target} HTTP/1.1\r\nHost: story\r\nAuthorization: Bearer {key}\r\n\r\n");
    for (fields, status) in [
        (String::new(), 401),
        (format!("Authorization: Bearer {key}\r\nContent-Type: text/plain\r\n"), 415),
        (format!("Authorization: Bearer {key}\r\nContent-Type: application/json\r\n"), 400),
    ] {
        let body = "{".repeat(20_000);
        let head = format!("PATCH {target} HTTP/1.1\r\nHost: story\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
        let request = format!("{head}{body}");
        let answers = raw::converse(app.address, &[request.as_bytes(), read.as_bytes()]);
        assert_eq!((answers[0].status, answers[1].status), (status, 200));
    }
    // A body that is too large to be drained ends the connection, and the response says so.
    let head = format!("PATCH {target} HTTP/1.1\r\nHost: story\r\nContent-Length: 1000000\r\n\r\n");
    let answer = raw::exchange(app.address, head.as_bytes()).refused(401, "unauthorized");
    assert_eq!(answer.header("connection"), Some("close"));
}

fn request_ids(on: On) {
    let (_app, shop, path) = scene(on);
    let id_for = |sent: &str| {
        let answer = shop.call("GET", &path).header("x-request-id", sent).send();
        answer.header("x-request-id").unwrap_or_default().to_owned()
    };
    for good in ["a", "A.b_c-1", &"x".repeat(64)] {
        assert_eq!(id_for(good), good);
    }
    for bad in ["", "a b", "a\"b", "a/b", &"x".repeat(65)] {
        assert_ne!(id_for(bad), bad);
    }
    let ids = [(); 3].map(|()| shop.get(&path).header("x-request-id").map(str::to_owned));
    assert!(ids[0] != ids[1] && ids[1] != ids[2], "{ids:?}");
}

/// Sends requests, sixteen at a time, until one is refused: a bucket of three that fills slowly
/// is soon empty, even on a slow machine.
fn refused_at_last(ask: impl Fn() -> muriel_tests::Answer + Sync) -> muriel_tests::Answer {
    let mut taken = Vec::new();
    for _ in 0..20 {
        let answers: Vec<_> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..16).map(|_| scope.spawn(&ask)).collect();
            asking.into_iter().map(|asked| asked.join().expect("an answer")).collect()
        });
        let (refused, others): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 429);
        taken.extend(others.iter().map(|answer| answer.status));
        if let Some(answer) = refused.into_iter().next() {
            assert!(taken.len() >= 2, "the burst is taken: {taken:?}");
            return answer.refused(429, "rate_limited");
        }
    }
    panic!("never refused: {taken:?}");
}

fn requests_are_limited_per_key(on: On) {
    let app = on.start_with(|settings| settings.rate_limits = "key=2/3,network=off".parse().expect("limits"));
    let shop = app.project("Acme", "Shop");
    let other = app.key(&shop, |_| {});
    let allowed = shop.get("/goals").has_status(200);
    assert!(allowed.header("ratelimit").is_some_and(|state| state.contains("r=2")), "{allowed:?}");
    assert!(allowed.header("ratelimit-policy").is_some_and(|policy| policy.contains("q=3")), "{allowed:?}");
    let refused = refused_at_last(|| shop.get("/goals"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(refused.header("ratelimit").is_some_and(|state| state.contains("r=0")), "{refused:?}");
    other.get("/goals").has_status(200);
    shop.with_key(Some("mk_nobody")).get("/goals").refused(401, "unauthorized");
    eventually("another request", DEADLINE, || shop.get("/goals").status == 200);
}

fn clients_behind_a_proxy_have_limits_of_their_own(on: On) {
    let app = on.start_with(|settings| {
        settings.rate_limits = "key=off,network=2/3".parse().expect("limits");
        settings.trusted_proxies = "127.0.0.0/8".parse().expect("networks");
    });
    let anyone = app.anyone();
    let from = |address: &str| anyone.call("GET", "/v2/project/x/goals").header("x-forwarded-for", address).send();
    refused_at_last(|| from("203.0.113.7"));
    from("198.51.100.7").refused(401, "unauthorized");
    // Entries that the client has made up are on the left.
    refused_at_last(|| from("192.0.2.1, 203.0.114.9"));
    // A header of somebody else than the proxy counts for nothing.
    let app = on.start_with(|settings| settings.rate_limits = "key=off,network=2/3".parse().expect("limits"));
    let anyone = app.anyone();
    let number = AtomicUsize::new(0);
    refused_at_last(|| {
        let address = format!("203.0.{}.7", number.fetch_add(1, Ordering::Relaxed) % 256);
        anyone.call("GET", "/v2/project/x/goals").header("x-forwarded-for", &address).send()
    });
}

fn pages_can_read_that_they_are_too_many(on: On) {
    let app = on.start_with(|settings| {
        settings.rate_limits = "key=off,network=2/3".parse().expect("limits");
        settings.site.visitor_prefix = "/a".parse().expect("a path");
    });
    let anyone = app.anyone();
    // The bucket stays nearly empty.
    let refused_at = |path: &str| {
        let refused = (0..1_000).map(|_| anyone.get(path)).find(|answer| answer.status == 429);
        refused.unwrap_or_else(|| panic!("{path} was never refused"))
    };
    for path in [
        "/events/prj_x",
        "/ruleset/prj_x",
        "/js/prj_x.js",
        "/js/parts/badge.js",
        "/geo/prj_x",
        "/preview/prj_x/7",
        "/preview/prj_x/7/report",
        "/v2/project/prj_x/ofrep/v1/evaluate/flags/one",
        "/a/events/prj_x",
    ] {
        let refused = refused_at(path);
        let header = |name: &str| refused.header(name).map(str::to_owned);
        assert_eq!(header("access-control-allow-origin").as_deref(), Some("*"), "{path}");
        assert_eq!(header("access-control-expose-headers").as_deref(), Some("retry-after,x-request-id"), "{path}");
        assert!(header("retry-after").is_some(), "{path}");
    }
    for path in ["/v2/project/x/goals", "/events/prj_x/batch", "/a/events/prj_x/batch", "/share/x", "/events", "/"] {
        let refused = refused_at(path);
        assert_eq!(refused.header("access-control-allow-origin"), None, "{path}");
    }
}

fn requests_are_limited_per_network(on: On) {
    let app = on.start_with(|settings| settings.rate_limits = "key=off,network=2/3".parse().expect("limits"));
    let anyone = app.anyone();
    let refused = refused_at_last(|| anyone.get("/v2/project/x/goals"));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(refused.header("ratelimit").is_some(), "{refused:?}");
    let passes = || anyone.get("/v2/project/x/goals").status == 401;
    eventually("another request", DEADLINE, passes);
}
