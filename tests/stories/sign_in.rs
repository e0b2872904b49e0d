//! Sign-in: attempts, second factors, passkeys, and the end of sessions.

use crate::people::{HOUR, post, sign_in};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use muriel_tests::{Client, DEADLINE, On, PASSWORD, Session, eventually, stories};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::time::Duration;

stories! {
    always: [
        sessions_end,
        an_authenticator_is_asked_for_and_its_codes_work_once,
        a_passkey_stands_in_place_of_the_password,
    ],
    postgres_at_night: [
        attempts_are_limited_and_lock_nobody_out,
        who_is_unknown_learns_nothing,
        wrong_codes_are_counted_for_themselves_and_told,
    ],
}

fn sessions_end(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "editor");
    let [here, there, elsewhere] = [(); 3].map(|()| shop.outside().signed_in(&app.sign_in("ada@acme.example")));
    let list = here.get("/v2/person/me/sessions").ok();
    assert_eq!(list["count"], 3);
    let current: Vec<_> =
        list["sessions"].as_array().expect("sessions").iter().filter(|one| one["is_current"] == true).collect();
    assert_eq!(
        (current.len(), &current[0]["method"], &current[0]["network"]),
        (1, &json!("password"), &json!("127.0.0.0/24"))
    );

    // Signed out, revoked, and all other sessions.
    let answer = there.call("DELETE", "/v2/session").send().has_status(200);
    let gone = answer.headers.iter().find(|(name, _)| name == "set-cookie").expect("a cookie");
    assert!(gone.1.starts_with("muriel=; ") && gone.1.contains("Max-Age=0"), "{}", gone.1);
    there.get("/v2/session").refused(401, "unauthorized");
    let id = here.get("/v2/person/me/sessions").ok()["sessions"][0]["session_id"].clone();
    here.delete(&format!("/v2/person/me/sessions/{id}")).ok();
    here.delete(&format!("/v2/person/me/sessions/{id}")).refused(404, "not_found");
    elsewhere.get("/v2/session").refused(401, "unauthorized");
    let other = shop.outside().signed_in(&app.sign_in("ada@acme.example"));
    assert_eq!(here.delete("/v2/person/me/sessions").ok()["revoked"], 1);
    other.get("/v2/session").refused(401, "unauthorized");

    // A new password ends the other sessions.
    let other = shop.outside().signed_in(&app.sign_in("ada@acme.example"));
    let new = "another horse, also right";
    here.post("/v2/person/me/password", json!({ "current": "wrong wrong wrong", "password": new }))
        .invalid(&["current"]);
    here.post("/v2/person/me/password", json!({ "password": new })).invalid(&["current"]);
    here.post("/v2/person/me/password", json!({ "current": PASSWORD, "password": "short" })).invalid(&["password"]);
    assert_eq!(here.post("/v2/person/me/password", json!({ "current": PASSWORD, "password": new })).ok()["revoked"], 1);
    other.get("/v2/session").refused(401, "unauthorized");
    here.get("/v2/session").ok();
    sign_in(&app, "ada@acme.example", PASSWORD).refused(401, "sign_in_failed");
    let late = Session::of(&sign_in(&app, "ada@acme.example", new).has_status(200));

    // Twelve hours without use, and thirty days with use.
    let late = shop.outside().signed_in(&late);
    app.pass(12 * HOUR - Duration::from_secs(61));
    here.get("/v2/session").ok();
    app.pass(Duration::from_secs(61));
    late.get("/v2/session").refused(401, "unauthorized");
    here.get("/v2/session").ok();
    for _ in 0..59 {
        app.pass(12 * HOUR - Duration::from_secs(61));
        here.get("/v2/session").ok();
    }
    app.pass(HOUR);
    here.get("/v2/session").refused(401, "unauthorized");

    // Sessions of a removed person end at once.
    let owner = app.signed_in_as(&shop, "owner").outside();
    let gone = app.signed_in_as(&shop, "viewer").outside();
    let id = gone.get("/v2/session").ok()["person"]["person_id"].clone();
    owner.delete(&format!("/v2/person/{id}")).ok();
    gone.get("/v2/session").refused(401, "unauthorized");
    sign_in(&app, "viewer@acme.example", PASSWORD).refused(401, "sign_in_failed");

    if on == On::Postgres {
        // The other node notices within a second.
        let beside = app.start_beside();
        let here = shop.outside().signed_in(&app.sign_in("owner@acme.example"));
        let there = here.at(beside.address);
        there.get("/v2/session").ok();
        here.delete("/v2/session").ok();
        let since = std::time::Instant::now();
        eventually("the end of the session on the other node", DEADLINE, || there.get("/v2/session").status == 401);
        // The limit allows for a slow machine, not for a slow cache.
        assert!(since.elapsed() < Duration::from_secs(30));
    }
}

fn attempts_are_limited_and_lock_nobody_out(on: On) {
    let app = on.start();
    app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "editor");
    let device = app.sign_in("ada@acme.example").device;
    for _ in 0..5 {
        sign_in(&app, "ada@acme.example", "wrong wrong wrong").refused(401, "sign_in_failed");
    }
    let limited = sign_in(&app, "ada@acme.example", "wrong wrong wrong").refused(429, "rate_limited");
    assert_eq!(limited.header_number("retry-after"), 1);
    // From there the right password has to wait, too.
    sign_in(&app, "ada@acme.example", PASSWORD).refused(429, "rate_limited");
    let anyone = app.anyone();
    let known = || {
        let call = anyone.call("POST", "/v2/session").header("origin", &anyone.origin()).header("cookie", &device);
        call.json(json!({ "email": "ada@acme.example", "password": PASSWORD })).send()
    };
    known().has_status(200);
    app.pass(Duration::from_secs(1));
    sign_in(&app, "ada@acme.example", "wrong wrong wrong").refused(401, "sign_in_failed");
    sign_in(&app, "ada@acme.example", PASSWORD).refused(429, "rate_limited");
    app.pass(Duration::from_secs(2));
    sign_in(&app, "ada@acme.example", PASSWORD).has_status(200);
    sign_in(&app, "ada@acme.example", "wrong wrong wrong").refused(401, "sign_in_failed");

    // After many attempts from a network, others have to wait as well, except in recognised browsers.
    for number in 0..40 {
        sign_in(&app, &format!("{number}@acme.example"), "wrong wrong wrong");
    }
    sign_in(&app, "new@acme.example", "wrong wrong wrong").refused(429, "rate_limited");
    known().has_status(200);
    app.pass(2 * HOUR);
    sign_in(&app, "new@acme.example", "wrong wrong wrong").refused(401, "sign_in_failed");
    // The cookie of another person's browser does not help.
    for _ in 0..5 {
        sign_in(&app, "new@acme.example", "wrong wrong wrong");
    }
    let call = anyone.call("POST", "/v2/session").header("origin", &anyone.origin()).header("cookie", &device);
    call.json(json!({ "email": "new@acme.example", "password": PASSWORD })).send().refused(429, "rate_limited");
}

fn who_is_unknown_learns_nothing(on: On) {
    let app = on.start();
    app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "editor");
    let ask = |email: &str| {
        let anyone = app.anyone();
        let call = anyone.call("POST", "/v2/session").header("origin", &anyone.origin()).header("x-request-id", "same");
        call.json(json!({ "email": email, "password": "wrong wrong wrong" })).send().refused(401, "sign_in_failed")
    };
    let [known, unknown] = ["ada@acme.example", "nobody@acme.example"].map(ask);
    assert_eq!(known.bytes, unknown.bytes);
    assert!(!known.headers.iter().any(|(name, _)| name == "set-cookie"));
    let anyone = app.anyone();
    post(&anyone, "/v2/session", json!({})).invalid(&["email", "password"]);
    post(&anyone, "/v2/session", json!({ "email": "ada@acme.example", "password": "x".repeat(257) }))
        .invalid(&["password"]);
    let body = json!({ "email": "ada@acme.example", "password": PASSWORD });
    anyone.call("POST", "/v2/session").json(body.clone()).send().refused(403, "csrf_failed");
    anyone
        .call("POST", "/v2/session")
        .header("origin", "http://evil.example")
        .json(body)
        .send()
        .refused(403, "csrf_failed");
}

/// Computes the code of an authenticator, according to RFC 6238.
fn code(secret: &str, unix_s: u64) -> String {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String = secret.chars().map(|c| format!("{:05b}", ALPHABET.find(c).expect("base 32"))).collect();
    let byte = |bits: &[u8]| bits.iter().fold(0u8, |byte, bit| byte << 1 | (bit - b'0'));
    let key: Vec<u8> = bits.as_bytes().chunks_exact(8).map(byte).collect();
    let mut mac = Hmac::<Sha1>::new_from_slice(&key).expect("a key");
    mac.update(&(unix_s / 30).to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let at = usize::from(hash[19] & 15);
    let number = u32::from_be_bytes([hash[at] & 0x7f, hash[at + 1], hash[at + 2], hash[at + 3]]);
    format!("{:06}", number % 1_000_000)
}

fn an_authenticator_is_asked_for_and_its_codes_work_once(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let ada = app.signed_in_as(&shop, "editor").outside();
    let other = shop.outside().signed_in(&app.sign_in("editor@acme.example"));
    let now = || u64::try_from(app.settings.clock.now().us() / 1_000_000).expect("a moment");
    ada.post("/v2/person/me/totp/confirm", json!({ "code": "123456" })).refused(409, "totp_not_begun");
    ada.post("/v2/person/me/totp", json!({ "password": "wrong wrong wrong" })).invalid(&["password"]);
    ada.post("/v2/person/me/totp", json!({})).invalid(&["password"]);
    let begun = ada.post("/v2/person/me/totp", json!({ "password": PASSWORD })).ok();
    let secret = begun["secret"].as_str().expect("a secret").to_owned();
    assert!(
        begun["uri"].as_str().is_some_and(|uri| uri.contains(&secret) && uri.starts_with("otpauth://totp/Muriel:"))
    );
    sign_in(&app, "editor@acme.example", PASSWORD).has_status(200);
    let wrong = format!("{:06}", (code(&secret, now()).parse::<u32>().expect("digits") + 1) % 1_000_000);
    ada.post("/v2/person/me/totp/confirm", json!({ "code": wrong })).invalid(&["code"]);
    let used = code(&secret, now());
    let enrolled = ada.post("/v2/person/me/totp/confirm", json!({ "code": used })).ok();
    let recovery: Vec<String> = serde_json::from_value(enrolled["recovery_codes"].clone()).expect("codes");
    assert_eq!(recovery.len(), 10);
    other.get("/v2/session").refused(401, "unauthorized");
    assert_eq!(ada.get("/v2/session").ok()["person"]["has_totp"], true);

    let with = |code: &str| {
        post(
            &app.anyone(),
            "/v2/session",
            json!({ "email": "editor@acme.example", "password": PASSWORD, "totp": code }),
        )
    };
    sign_in(&app, "editor@acme.example", PASSWORD).refused(401, "totp_needed");
    sign_in(&app, "editor@acme.example", "wrong wrong wrong").refused(401, "sign_in_failed");
    with(&used).refused(401, "sign_in_failed");
    app.pass(Duration::from_secs(30));
    let next = code(&secret, now());
    let both = std::thread::scope(|scope| {
        let tries: Vec<_> = (0..2).map(|_| scope.spawn(|| with(&next).status)).collect();
        tries.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
    });
    assert_eq!(both.iter().filter(|status| **status == 200).count(), 1, "{both:?}");
    app.pass(HOUR);
    let shown = format!("{}-{}", &recovery[0][..5], &recovery[0][5..]);
    with(&shown).has_status(200);
    with(&recovery[0]).refused(401, "sign_in_failed");
    with(&recovery[1]).has_status(200);
    assert_eq!(ada.post("/v2/person/me/totp/remove", json!({ "password": PASSWORD })).ok()["removed"], true);
    sign_in(&app, "editor@acme.example", PASSWORD).has_status(200);
    with(&recovery[2]).has_status(200);
}

fn wrong_codes_are_counted_for_themselves_and_told(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner").outside();
    let session = app.signed_in_as(&shop, "editor");
    let ada = session.outside();
    let device = session.session.as_ref().expect("a session").device.clone();
    let now = || u64::try_from(app.settings.clock.now().us() / 1_000_000).expect("a moment");
    let begun = ada.post("/v2/person/me/totp", json!({ "password": PASSWORD })).ok();
    let secret = begun["secret"].as_str().expect("a secret").to_owned();
    ada.post("/v2/person/me/totp/confirm", json!({ "code": code(&secret, now()) })).ok();
    assert_eq!(ada.get("/v2/person/me/sessions").ok()["refused"], json!([]));

    let anyone = app.anyone();
    let with = |code: Option<&str>, device: Option<&str>| {
        let mut body = json!({ "email": "editor@acme.example", "password": PASSWORD });
        if let Some(code) = code {
            body["totp"] = json!(code);
        }
        let call = anyone.call("POST", "/v2/session").header("origin", &anyone.origin());
        let call = if let Some(device) = device { call.header("cookie", device) } else { call };
        call.json(body).send()
    };
    let wrong = || format!("{:06}", (code(&secret, now()).parse::<u32>().expect("digits") + 500_000) % 1_000_000);
    // A request in between with the right password and no code undoes no attempt.
    let mut judged = 0;
    for _ in 0..30 {
        with(None, None).refused(401, "totp_needed");
        judged += u32::from(with(Some(&wrong()), None).status == 401);
    }
    assert_eq!(judged, 5);
    let limited = with(Some(&wrong()), None).refused(429, "rate_limited");
    assert_eq!(limited.header_number("retry-after"), 1);
    // Nor does waiting for an hour: the delay continues to double.
    app.pass(HOUR);
    with(Some(&wrong()), None).refused(401, "sign_in_failed");
    assert_eq!(with(Some(&wrong()), None).refused(429, "rate_limited").header_number("retry-after"), 2);
    // In a recognised browser, the person signs in meanwhile.
    with(Some(&code(&secret, now())), Some(&device)).has_status(200);

    // The person is notified, and the audit log has each attempt.
    let seen = ada.get("/v2/person/me/sessions").ok();
    let refused = seen["refused"].as_array().expect("a list");
    assert_eq!(refused.len(), 6);
    assert_eq!((&refused[0]["method"], &refused[0]["network"]), (&json!("password and code"), &json!("127.0.0.0/24")));
    let log = owner.get("/v2/audit?object=person&limit=100").ok();
    let entries = log["entries"].as_array().expect("entries");
    let refused: Vec<_> = entries.iter().filter(|one| one["action"] == "second factor refused").collect();
    assert_eq!(refused.len(), 6);
    assert_eq!((&refused[0]["actor"]["kind"], &refused[0]["object"]["name"]), (&json!("system"), &json!("The editor")));
    // A complete sign-in resets the attempts.
    app.pass(HOUR);
    with(Some(&code(&secret, now())), None).has_status(200);
    for _ in 0..5 {
        with(Some(&wrong()), None).refused(401, "sign_in_failed");
    }
    // Old attempts are no longer shown.
    app.pass(31 * 24 * HOUR);
    let ada = shop.outside().signed_in(&muriel_tests::Session::of(&with(Some(&code(&secret, now())), None)));
    assert_eq!(ada.get("/v2/person/me/sessions").ok()["refused"], json!([]));
}

/// A software authenticator, as in a browser on `localhost`.
struct Authenticator {
    pair: EcdsaKeyPair,
    count: u32,
}

impl Authenticator {
    fn new() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, document.as_ref(), &random).expect("a key");
        Self { pair, count: 0 }
    }

    fn data(&mut self, flags: u8) -> Vec<u8> {
        self.count += 1;
        let mut data = Sha256::digest("localhost").to_vec();
        data.push(flags);
        data.extend(self.count.to_be_bytes());
        data
    }

    fn client_data(kind: &str, options: &Value) -> String {
        json!({ "type": kind, "challenge": options["challenge"], "origin": LOCALHOST, "crossOrigin": false })
            .to_string()
    }

    fn create(&mut self, options: &Value) -> Value {
        let mut data = self.data(0x45);
        data.extend([0; 16]);
        data.extend([0, 4, 1, 2, 3, 4]);
        let point = self.pair.public_key().as_ref();
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 0x20]);
        data.extend(&point[33..]);
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).expect("a short text"));
        object.extend(data);
        json!({ "id": "AQIDBA", "rawId": "AQIDBA", "type": "public-key", "clientExtensionResults": {}, "response": {
            "clientDataJSON": URL_SAFE_NO_PAD.encode(Self::client_data("webauthn.create", options)),
            "attestationObject": URL_SAFE_NO_PAD.encode(object), "transports": ["internal"],
        } })
    }

    fn get(&mut self, options: &Value) -> Value {
        let (data, client_data) = (self.data(0x05), Self::client_data("webauthn.get", options));
        let signed = [&data[..], &Sha256::digest(&client_data)].concat();
        let signature = self.pair.sign(&SystemRandom::new(), &signed).expect("a signature");
        json!({ "id": "AQIDBA", "type": "public-key", "response": {
            "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
            "authenticatorData": URL_SAFE_NO_PAD.encode(data),
            "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()), "userHandle": null,
        } })
    }
}

const LOCALHOST: &str = "http://localhost:4170";

fn a_passkey_stands_in_place_of_the_password(on: On) {
    let app = on.start_with(|settings| settings.people.public_url = Some(LOCALHOST.parse().expect("an address")));
    app.project("Acme", "Shop");
    app.person("Acme", "ada@acme.example", "editor");
    let anyone = app.anyone();
    let ask = |client: &Client, method: &str, path: &str, body: Option<Value>| {
        let call = client.call(method, path).header("origin", LOCALHOST);
        match body {
            Some(body) => call.json(body).send(),
            None => call.send(),
        }
    };
    let body = json!({ "email": "ada@acme.example", "password": PASSWORD });
    let ada = anyone.signed_in(&Session::of(&ask(&anyone, "POST", "/v2/session", Some(body)).has_status(200)));
    let post = |path: &str, body: Value| ask(&ada, "POST", path, Some(body));
    post("/v2/person/me/passkeys/options", json!({ "password": "wrong wrong wrong" })).invalid(&["password"]);
    let options = || post("/v2/person/me/passkeys/options", json!({ "password": PASSWORD })).ok()["options"].clone();
    let registration = options();
    assert_eq!(
        (&registration["rp"]["id"], &registration["user"]["name"]),
        (&json!("localhost"), &json!("ada@acme.example"))
    );
    let mut device = Authenticator::new();
    let enrol =
        |credential: &Value| post("/v2/person/me/passkeys", json!({ "name": "Laptop", "credential": credential }));
    enrol(&json!({})).invalid(&["credential"]);
    enrol(&device.create(&json!({ "challenge": "Y2g" }))).invalid(&["credential"]);
    let made = device.create(&registration);
    let id = enrol(&made).created()["passkey_id"].clone();
    enrol(&made).invalid(&["credential"]);
    enrol(&device.create(&options())).invalid(&["credential"]);

    let begin = || ask(&anyone, "POST", "/v2/session/passkey/options", None).ok()["options"].clone();
    let finish =
        |credential: &Value| ask(&anyone, "POST", "/v2/session/passkey", Some(json!({ "credential": credential })));
    anyone.call("POST", "/v2/session/passkey/options").send().refused(403, "csrf_failed");
    let asked = begin();
    assert_eq!((&asked["rpId"], &asked["allowCredentials"]), (&json!("localhost"), &json!([])));
    let answer = device.get(&asked);
    let session = anyone.signed_in(&Session::of(&finish(&answer).has_status(200)));
    assert_eq!(session.get("/v2/session").ok()["person"]["passkeys"], 1);
    assert_eq!(session.get("/v2/person/me/sessions").ok()["sessions"][0]["method"], "passkey");
    finish(&answer).refused(401, "sign_in_failed");
    finish(&device.get(&registration)).refused(401, "sign_in_failed");
    finish(&Authenticator::new().get(&begin())).refused(401, "sign_in_failed");
    // A copy of the device continues counting from the time of the copy.
    device.count -= 2;
    finish(&device.get(&begin())).refused(401, "sign_in_failed");
    device.count += 5;
    let late = begin();
    app.pass(Duration::from_secs(299));
    finish(&device.get(&late)).has_status(200);
    let late = begin();
    app.pass(Duration::from_secs(300));
    finish(&device.get(&late)).refused(401, "sign_in_failed");
    let path = format!("/v2/person/me/passkeys/{id}");
    ask(&ada, "DELETE", &path, None).ok();
    ask(&ada, "DELETE", &path, None).refused(404, "not_found");
    finish(&device.get(&begin())).refused(401, "sign_in_failed");
    assert_eq!(ada.get("/v2/person/me/passkeys").ok()["count"], 0);
}
