//! Webhooks: messages to other systems, and retries when they fail.

use crate::results::{Shop, bought};
use crate::scene::holds;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use muriel_tests::{Client, DEADLINE, On, TestApp, eventually, stories};
use serde_json::{Value, json};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

stories! {
    always: [
        webhooks_are_made_changed_and_deleted,
        acts_are_told_and_signed,
        a_secret_is_shown_once_and_rotated,
        what_fails_is_tried_again,
        a_webhook_that_fails_for_five_days_is_off,
        what_waits_survives_a_restart,
        findings_in_results_are_told_once,
    ],
    postgres_at_night: [
        what_webhooks_cannot_be,
        a_receiver_that_hangs_holds_up_nobody,
        receivers_that_hang_hold_up_no_other_company,
        a_start_that_cannot_be_made_is_told,
    ],
}

const HOUR: Duration = Duration::from_secs(3_600);

/// A message that a receiver got.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    headers: BTreeMap<String, String>,
    body: String,
}

impl Message {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub(crate) fn event(&self) -> String {
        self.json()["type"].as_str().expect("a type").to_owned()
    }

    /// Returns how many of its signatures were made with the secret.
    fn signed_by(&self, secret: &str) -> usize {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
        let text = format!("{}.{}.{}", self.headers["webhook-id"], self.headers["webhook-timestamp"], self.body);
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        mac.update(text.as_bytes());
        let expect = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.headers["webhook-signature"].split(' ').filter(|one| **one == *expect).count()
    }
}

/// Behaviour of a receiver for the message of this number, from 0 on.
pub(crate) type Behaviour = dyn Fn(usize, &mut TcpStream) + Send + Sync;

pub(crate) struct Receiver {
    address: SocketAddr,
    got: Arc<Mutex<Vec<Message>>>,
}

impl Receiver {
    fn with(behave: impl Fn(usize, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let got: Arc<Mutex<Vec<Message>>> = Arc::default();
        let (kept, behave): (_, Arc<Behaviour>) = (got.clone(), Arc::new(behave));
        // The thread ends with the test process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, behave) = (kept.clone(), behave.clone());
                std::thread::spawn(move || receive(stream, &kept, &*behave));
            }
        });
        Self { address, got }
    }

    /// Creates a receiver that answers these statuses in turn, and then always the last one.
    pub(crate) fn answering(statuses: &'static [u16]) -> Self {
        Self::with(move |number, stream| answer(stream, statuses[number.min(statuses.len() - 1)], ""))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        self.got.lock().expect("messages").clone()
    }

    /// Waits for this many messages.
    #[track_caller]
    pub(crate) fn wait(&self, count: usize) -> Vec<Message> {
        eventually(&format!("message {count}"), DEADLINE, || self.messages().len() >= count);
        self.messages()
    }
}

pub(crate) fn receive(mut stream: TcpStream, kept: &Mutex<Vec<Message>>, behave: &Behaviour) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut headers = BTreeMap::new();
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some((name, value)) = line.trim().split_once(':') {
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        line.clear();
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let number = {
        let mut kept = kept.lock().expect("messages");
        kept.push(Message { headers, body: String::from_utf8(body).expect("text") });
        kept.len() - 1
    };
    behave(number, &mut stream);
}

pub(crate) fn answer(stream: &mut TcpStream, status: u16, header: &str) {
    let _ = write!(stream, "HTTP/1.1 {status} S\r\n{header}Content-Length: 0\r\nConnection: close\r\n\r\n");
}

pub(crate) fn made(shop: &Client, url: &str, events: &[&str]) -> (i64, String) {
    let made = shop.post("/webhook", json!({ "url": url, "events": events })).created();
    (made["webhook_id"].as_i64().expect("an id"), made["secret"].as_str().expect("a secret").to_owned())
}

pub(crate) fn deliveries(shop: &Client, id: i64) -> Vec<Value> {
    shop.get(&format!("/webhook/{id}/deliveries")).ok()["deliveries"].as_array().expect("a list").clone()
}

/// Waits until the newest delivery satisfies the condition, and returns it.
#[track_caller]
pub(crate) fn newest(shop: &Client, id: i64, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut found = Value::Null;
    eventually(what, DEADLINE, || {
        found = deliveries(shop, id).first().cloned().unwrap_or_default();
        is_so(&found)
    });
    found
}

pub(crate) fn test(shop: &Client, id: i64) {
    shop.call("POST", &format!("/webhook/{id}/test")).send().ok();
}

fn webhook(shop: &Client, id: i64) -> Value {
    let list = shop.get("/webhooks").ok();
    list["webhooks"].as_array().expect("a list").iter().find(|it| it["webhook_id"] == id).expect("it").clone()
}

pub(crate) fn shop(app: &TestApp) -> Client {
    app.project("Acme", "Shop")
}

fn webhooks_are_made_changed_and_deleted(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let (id, _) = made(&shop, "http://127.0.0.1:9/a", &["winner.served", "winner.served"]);
    let path = format!("/webhook/{id}");
    let it = webhook(&shop, id);
    assert_eq!((&it["events"], &it["enabled"]), (&json!(["winner.served"]), &json!(true)));
    assert!(it.get("secret").is_none());
    shop.patch(&path, json!({ "events": ["experiment.started"], "description": "D", "enabled": false })).ok();
    let it = webhook(&shop, id);
    assert_eq!((&it["enabled"], &it["description"]), (&json!(false), &json!("D")));
    assert!(it["disabled_reason"].as_str().expect("a reason").contains("by a request"));
    shop.call("POST", &format!("{path}/test")).send().refused(409, "webhook_off");
    shop.experiment(json!({ "status": 1 }));
    assert_eq!(deliveries(&shop, id), Vec::<Value>::new(), "one that is off is told nothing");
    shop.patch(&path, json!({ "enabled": true })).ok();
    test(&shop, id);
    // Nothing listens at this address.
    let failed = newest(&shop, id, "a failure", |it| it["attempts"] == 1 && !it["reason"].is_null());
    assert_eq!((&failed["status"], &failed["reason"]), (&json!("pending"), &json!("nothing listens at the address")));
    assert!(!webhook(&shop, id)["failing_since"].is_null());
    shop.delete(&path).ok();
    for call in [shop.call("DELETE", &path), shop.call("POST", &format!("{path}/test"))] {
        call.send().refused(404, "not_found");
    }
    assert_eq!(shop.get("/webhooks").ok()["webhooks"], json!([]));
}

fn what_webhooks_cannot_be(on: On) {
    let app = on.start_with(|settings| settings.webhook_allow = Default::default());
    let shop = shop(&app);
    let refuse = |url: &str| {
        let refused = shop.post("/webhook", json!({ "url": url, "events": ["winner.served"] })).invalid(&["url"]);
        refused.message("url").to_owned()
    };
    for url in [
        "http://127.0.0.1/",
        "http://localhost:80/",
        "http://10.1.2.3/",
        "http://169.254.169.254/latest",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
    ] {
        let why = refuse(url);
        assert!(why.contains("is not a public address") && why.contains("--webhook-allow"), "{url}: {why}");
    }
    for url in
        ["ftp://shop.example/", "https://a:b@shop.example/", "/hook", "javascript:alert(1)", "https://shop.example/#a"]
    {
        refuse(url);
    }
    for (url, expect) in [
        ("http://2130706433/", "127.0.0.1"),
        ("https://0x7f.1/", "127.0.0.1"),
        ("http://93.184.215.14:0/", "port from 1"),
        ("http://93.184.215.14\\@127.0.0.1/", "backslash"),
        ("https://@shop.example/", "user name"),
        ("https://%31%32%37.0.0.1/", "127.0.0.1"),
        ("https://shop.example./", "dot at its end"),
    ] {
        let why = refuse(url);
        assert!(why.contains(expect), "{url}: {why}");
    }
    let url = "https://93.184.215.14/";
    for (body, field) in [
        (json!({ "url": url, "events": [] }), "events"),
        (json!({ "url": url, "events": ["experiment.exploded"] }), "events[0]"),
        (json!({ "url": url, "events": ["winner.served"], "secret": "x" }), "secret"),
        (json!({ "url": url, "events": ["winner.served"], "description": "x".repeat(256) }), "description"),
    ] {
        shop.post("/webhook", body).invalid(&[field]);
    }
    let (id, _) = made(&shop, url, &["winner.served"]);
    shop.patch(&format!("/webhook/{id}"), json!({ "url": "http://192.168.0.1/" })).invalid(&["url"]);
    for _ in 1..20 {
        made(&shop, url, &["winner.served"]);
    }
    shop.post("/webhook", json!({ "url": url, "events": ["winner.served"] })).invalid(&["body"]);
    let writer = app.scoped(&shop, "read,write,code,evaluate");
    writer.get("/webhooks").refused(403, "missing_scope");
}

fn acts_are_told_and_signed(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let receiver = Receiver::answering(&[204]);
    let all = [
        "experiment.started",
        "experiment.stopped",
        "experiment.concluded",
        "experiment.reopened",
        "experiment.changed",
        "winner.served",
        "winner.stopped",
    ];
    let (id, secret) = made(&shop, &receiver.url(), &all);
    let some = Receiver::answering(&[200]);
    made(&shop, &some.url(), &["winner.served"]);
    let elsewhere = Receiver::answering(&[200]);
    made(&app.project("Acme", "Other"), &elsewhere.url(), &all);

    let test_id = shop.experiment(json!({}));
    let path = format!("/experiment/{test_id}");
    let mut count = 0;
    let mut received = |expect: &[&str]| {
        count += expect.len();
        let got = receiver.wait(count);
        let mut events: Vec<String> = got[count - expect.len()..].iter().map(Message::event).collect();
        events.sort();
        assert_eq!(events, expect);
        got[count - 1].clone()
    };
    shop.set_status(test_id, 1).ok();
    let message = received(&["experiment.started"]);
    assert_eq!(message.signed_by(&secret), 1);
    let body = message.json();
    assert_eq!(body["timestamp"], "2026-03-01T10:00:00.000Z");
    let data = &body["data"];
    assert_eq!((&data["project_key"], &data["test_id"]), (&json!(shop.project_key), &json!(test_id)));
    assert_eq!((&data["experiment_key"], &data["status"]), (&json!("checkout"), &json!("live")));
    assert_eq!(data["sentence"], "the experiment was started");
    shop.patch(&path, json!({ "tags": ["a"] })).ok();
    assert_eq!(received(&["experiment.changed"]).json()["data"]["fields"], json!(["tags"]));
    shop.patch(&path, json!({ "tags": ["a"] })).ok();
    shop.post(&format!("{path}/serve-winner"), json!({ "variant_id": "1" })).ok();
    assert_eq!(received(&["winner.served"]).json()["data"]["variant_id"], "1");
    shop.call("POST", &format!("{path}/stop-serving")).send().ok();
    received(&["winner.stopped"]);
    app.conclude(test_id);
    received(&["experiment.concluded", "experiment.stopped"]);
    app.reopen(test_id);
    received(&["experiment.reopened"]);
    shop.delete(&path).ok();
    assert_eq!(received(&["experiment.changed"]).json()["data"]["status"], "deleted");
    let delivered = newest(&shop, id, "its end", |it| it["status"] == "delivered");
    assert_eq!((&delivered["response_code"], &delivered["next_at"]), (&json!(204), &Value::Null));
    let ids: std::collections::BTreeSet<String> =
        receiver.messages().iter().map(|message| message.headers["webhook-id"].clone()).collect();
    assert_eq!(ids.len(), receiver.messages().len(), "each event has an id of its own");
    assert_eq!(some.wait(1).len(), 1);
    assert!(elsewhere.messages().is_empty());
}

fn a_secret_is_shown_once_and_rotated(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let receiver = Receiver::answering(&[200]);
    let body = json!({ "url": receiver.url(), "events": ["winner.served"] });
    let send = || shop.call("POST", "/webhook").header("idempotency-key", "k").json(body.clone()).send().created();
    let first = send();
    assert_eq!(send(), first, "whoever lost the answer gets it again");
    let (id, old) = (first["webhook_id"].as_i64().expect("an id"), first["secret"].as_str().expect("a secret"));
    let rotated = shop.call("POST", &format!("/webhook/{id}/rotate")).send().ok();
    let new = rotated["secret"].as_str().expect("a secret");
    assert_eq!(rotated["old_secret_until"], "2026-03-02T10:00:00.000Z");
    test(&shop, id);
    let message = receiver.wait(1)[0].clone();
    assert_eq!((message.signed_by(old), message.signed_by(new)), (1, 1));
    app.pass(24 * HOUR);
    test(&shop, id);
    let message = receiver.wait(2)[1].clone();
    assert_eq!((message.signed_by(old), message.signed_by(new)), (0, 1));
    assert_eq!(message.event(), "webhook.test");
    // No secret is in the database in plain text, or in a list.
    let raw = STANDARD.decode(&new[6..]).expect("base64");
    let text = new.as_bytes();
    assert!(!shop.get("/webhooks").has_status(200).text().contains(new));
    if matches!(on, On::Sqlite) {
        for file in std::fs::read_dir(&app.settings.storage.data_dir).expect("a directory").flatten() {
            let Ok(bytes) = std::fs::read(file.path()) else { continue };
            for secret in [&raw[..], &text[6..]] {
                assert!(!holds(&bytes, secret), "{:?}", file.path());
            }
        }
    }
}

fn what_fails_is_tried_again(on: On) {
    let app = on.start();
    let shop = shop(&app);
    // The receiver fails, redirects to another one, closes without a response, sends invalid data, and then succeeds.
    let trap = Receiver::answering(&[200]);
    let to = trap.url();
    let receiver = Receiver::with(move |number, stream| match number {
        0 => answer(stream, 500, ""),
        1 => answer(stream, 307, &format!("Location: {to}\r\n")),
        2 => {}
        3 => drop(stream.write_all(b"hello, this is not HTTP\r\n\r\n")),
        _ => answer(stream, 200, ""),
    });
    let (id, secret) = made(&shop, &receiver.url(), &["winner.served"]);
    test(&shop, id);
    for (attempts, pause, code) in
        [(1, 5, json!(500)), (2, 300, json!(307)), (3, 1_800, Value::Null), (4, 7_200, Value::Null)]
    {
        let what = format!("failure {attempts}");
        // The delay counts from the beginning of an attempt, and its end sets the next one.
        let next = app.settings.clock.now().plus_us(pause * 1_000_000).to_string();
        let failed = newest(&shop, id, &what, |it| it["attempts"] == attempts && it["next_at"] == json!(next));
        assert_eq!(failed["response_code"], code, "{failed}");
        assert_eq!((&failed["status"], &failed["next_at"]), (&json!("pending"), &json!(next)), "{failed}");
        app.pass(Duration::from_secs(pause as u64));
    }
    newest(&shop, id, "success", |it| it["status"] == "delivered" && it["attempts"] == 5);
    assert!(trap.messages().is_empty(), "redirects are not followed");
    assert_eq!(webhook(&shop, id)["failing_since"], Value::Null);
    let delivery = deliveries(&shop, id)[0]["delivery_id"].clone();
    shop.call("POST", &format!("/webhook/{id}/deliveries/{delivery}/resend")).send().ok();
    let got = receiver.wait(6);
    for message in &got {
        assert_eq!(message.headers["webhook-id"], got[0].headers["webhook-id"], "the id stays");
        assert_eq!(message.body, got[0].body);
        assert_eq!(message.signed_by(&secret), 1);
    }
    assert_ne!(got[0].headers["webhook-timestamp"], got[5].headers["webhook-timestamp"]);
    shop.call("POST", &format!("/webhook/{id}/deliveries/9999/resend")).send().refused(404, "not_found");
}

fn a_receiver_that_hangs_holds_up_nobody(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let hanging = Receiver::with(|_, stream| {
        // Until the client gives up.
        let _ = stream.read(&mut [0]);
    });
    let (slow, _) = made(&shop, &hanging.url(), &["winner.served"]);
    for _ in 0..20 {
        test(&shop, slow);
    }
    hanging.wait(1);
    let good = Receiver::answering(&[200]);
    let (id, _) = made(&shop, &good.url(), &["winner.served"]);
    test(&shop, id);
    newest(&shop, id, "a delivery", |it| it["status"] == "delivered");
    let oldest = || deliveries(&shop, slow).last().expect("a delivery").clone();
    eventually("the end of the waiting", DEADLINE, || oldest()["reason"] == "no answer within 15 seconds");
    assert_eq!(oldest()["status"], "pending");
}

fn receivers_that_hang_hold_up_no_other_company(on: On) {
    let app = on.start();
    let acme = shop(&app);
    let counters: [Arc<AtomicUsize>; 3] = Default::default();
    let [open, peak, ended] = counters.clone();
    let hanging = Receiver::with(move |_, stream| {
        peak.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // Until the client gives up.
        let _ = stream.read(&mut [0]);
        open.fetch_sub(1, Ordering::SeqCst);
        ended.fetch_add(1, Ordering::SeqCst);
    });
    let [open, peak, ended] = counters.each_ref().map(|counter| move || counter.load(Ordering::SeqCst));
    for _ in 0..10 {
        let (id, _) = made(&acme, &hanging.url(), &["winner.served"]);
        (0..3).for_each(|_| test(&acme, id));
    }
    hanging.wait(4);
    let bolt = app.project("Bolt", "Other");
    let good = Receiver::answering(&[200]);
    let (id, _) = made(&bolt, &good.url(), &["winner.served"]);
    test(&bolt, id);
    newest(&bolt, id, "a delivery", |it| it["status"] == "delivered");
    assert_eq!(ended(), 0, "the other company was told while all requests to the hanging receiver went on");
    assert_eq!(peak(), 4, "requests of one company at the same time");
    // A run of the task does not wait for them either.
    app.run_task("deliver_webhooks");
    assert!(open() > 0);
}

fn a_webhook_that_fails_for_five_days_is_off(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let receiver = Receiver::answering(&[503]);
    let (id, _) = made(&shop, &receiver.url(), &["winner.served"]);
    test(&shop, id);
    for attempts in 1..16 {
        let now = app.settings.clock.now();
        let moment = |it: &Value| it["next_at"].as_str().and_then(|at| muriel_domain::Instant::parse(at).ok());
        let failed = newest(&shop, id, "a failure", |it| {
            it["attempts"] == attempts && moment(it).is_some_and(|next| next > now)
        });
        assert_eq!(webhook(&shop, id)["enabled"], true);
        let pause = moment(&failed).expect("a moment").us() - now.us();
        app.pass(Duration::from_micros(pause as u64 + 1_000));
        receiver.wait(attempts + 1);
    }
    let failed = newest(&shop, id, "the end", |it| it["status"] == "failed");
    assert_eq!((&failed["attempts"], &failed["next_at"]), (&json!(16), &Value::Null));
    let it = webhook(&shop, id);
    assert_eq!(it["enabled"], false);
    assert_eq!(it["disabled_reason"], "every attempt of five days failed, the last one: answered 503");
    assert_eq!(receiver.messages().len(), 16);
}

fn a_start_that_cannot_be_made_is_told(on: On) {
    let app = on.start();
    let shop = shop(&app);
    let receiver = Receiver::answering(&[200]);
    made(&shop, &receiver.url(), &["experiment.start_failed", "experiment.changed"]);
    let broken = json!([{ "name": "Variant 1", "customJS": "let = {" }]);
    let start = json!({ "start_test_date": "2026-03-01T11:00:00.000Z" });
    let test_id = shop.experiment(json!({ "variants": broken, "configuration": start }));
    app.pass(HOUR);
    let message = receiver.wait(1)[0].json();
    assert_eq!((&message["type"], &message["data"]["test_id"]), (&json!("experiment.start_failed"), &json!(test_id)));
    let why = message["data"]["reason"].as_str().expect("a reason");
    assert!(why.starts_with("variants[0].customJS"), "{why}");
    assert_eq!(message["data"]["actor"], "clock");
    let last = &shop.details(test_id)["schedule"]["last"];
    assert_eq!(message["data"]["sentence"], last["detail"], "the sentence that people read");
    assert_eq!(receiver.messages().len(), 1);
}

/// A server that stops while a receiver is slow sends again; a second server does not repeat messages.
fn what_waits_survives_a_restart(on: On) {
    let mut app = on.start();
    let mut shop = shop(&app);
    let receiver = Receiver::with(|number, stream| match number {
        0 => drop(stream.read(&mut [0])),
        _ => answer(stream, 200, ""),
    });
    let (id, _) = made(&shop, &receiver.url(), &["winner.served"]);
    test(&shop, id);
    receiver.wait(1);
    app.start_again();
    shop = shop.at(app.address);
    let got = receiver.wait(2);
    assert_eq!(got[0].headers["webhook-id"], got[1].headers["webhook-id"]);
    newest(&shop, id, "the delivery", |it| it["status"] == "delivered");
    if matches!(on, On::Postgres) {
        let beside = app.start_beside();
        for _ in 0..20 {
            test(&shop.at(beside.address), id);
        }
        eventually("all of them", DEADLINE, || deliveries(&shop, id).iter().all(|it| it["status"] == "delivered"));
        assert_eq!(receiver.messages().len(), 22);
    }
}

fn findings_in_results_are_told_once(on: On) {
    let mut scene = Shop::open(on, json!({}));
    let receiver = Receiver::answering(&[204]);
    let shop = scene.client.clone();
    let received = |count: usize, event: &str| {
        let message = receiver.wait(count)[count - 1].json();
        assert_eq!(message["type"], event, "{message}");
        message["data"].clone()
    };
    let minute = Duration::from_secs(60);
    // One arm has far too few visitors.
    scene.crowd("early", &[("0", 300, 60), ("1", 90, 60)], "2026-03-01T10:01:00Z", &bought());
    made(&shop, &receiver.url(), &["health.failed", "health.recovered", "verdict.reached"]);
    scene.app.pass(minute);
    let failed = received(1, "health.failed");
    let health = scene.result("")["health"].clone();
    assert_eq!((&failed["check"], &failed["test_id"]), (&json!("sample_ratio"), &json!(scene.test_id)));
    assert_eq!(failed["sentence"], health["sample_ratio"]["message"]);
    // The check still fails, and the server is restarted: nothing is repeated.
    scene.crowd("more", &[("0", 5, 0)], "2026-03-01T10:02:00Z", &bought());
    scene.app.start_again();
    let shop = shop.at(scene.app.address);
    scene.client = shop.clone();
    scene.collector = crate::scene::Collector::of(&shop);
    scene.app.pass(minute);
    scene.crowd("late", &[("1", 215, 100)], "2026-03-01T10:03:00Z", &bought());
    scene.app.pass(minute);
    let recovered = received(2, "health.recovered");
    assert_eq!(recovered["check"], "sample_ratio");
    assert_eq!(scene.result("")["health"]["sample_ratio"]["status"], "ok");
    // A day later there is a verdict.
    scene.app.pass(25 * HOUR);
    let verdict = received(3, "verdict.reached");
    let result = scene.result("");
    let analysis = &result["variants"][1]["analysis"];
    assert_eq!((&verdict["verdict"], &verdict["variant_id"]), (&json!("win"), &json!("1")));
    assert_eq!((&verdict["sentence"], &verdict["goal_key"]), (&analysis["reason"], &json!("bought")));
    assert!((verdict["lift"].as_f64().expect("a lift") - analysis["lift"].as_f64().expect("a lift")).abs() < 1e-9);
    assert_eq!(verdict["lift_interval"].as_array().map(Vec::len), Some(2));
    // Reported once for each variant and verdict, however often it is checked, and whatever else is reported.
    shop.patch(&format!("/experiment/{}", scene.test_id), json!({ "tags": ["a"] })).ok();
    scene.app.pass(10 * minute);
    let late = Receiver::answering(&[204]);
    let (id, _) = made(&shop, &late.url(), &["verdict.reached"]);
    scene.app.pass(10 * minute);
    test(&shop, id);
    assert_eq!(late.wait(1)[0].event(), "webhook.test");
    assert_eq!(receiver.messages().len(), 3, "{:?}", receiver.messages());
}
