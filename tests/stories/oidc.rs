//! Sign-in at an OpenID provider: strangers lock nobody out, and removed people return only by an invitation.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use muriel_domain::person::Role;
use muriel_people::OidcSettings;
use muriel_tests::{Answer, Client, On, TestApp, stories};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

stories! {
    always: [
        who_was_removed_comes_back_by_an_invitation_alone,
    ],
    postgres_at_night: [
        what_strangers_can_invent_keeps_nobody_out,
    ],
}

const CLIENT: &str = "muriel";

/// A provider that returns an ID token with the claims that the code contains.
struct Provider {
    issuer: String,
}

impl Provider {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).expect("a key");
        let (pair, named) = (Arc::new(pair), issuer.clone());
        // The thread ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pair, issuer) = (pair.clone(), named.clone());
                thread::spawn(move || answer(stream, &pair, &issuer));
            }
        });
        Self { issuer }
    }

    fn settings(&self) -> OidcSettings {
        OidcSettings {
            name: "Acme".to_owned(),
            issuer: self.issuer.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: None,
            domains: vec!["acme.example".to_owned()],
            role: Role::Viewer,
            company: None,
        }
    }
}

fn answer(stream: TcpStream, pair: &EcdsaKeyPair, issuer: &str) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a header");
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let path = first.split(' ').nth(1).expect("a path");
        let (status, json) = match path {
            "/.well-known/openid-configuration" => (
                200,
                json!({
                    "issuer": issuer,
                    "authorization_endpoint": format!("{issuer}/authorize"),
                    "token_endpoint": format!("{issuer}/token"),
                    "jwks_uri": format!("{issuer}/keys"),
                }),
            ),
            "/keys" => {
                let point = pair.public_key().as_ref();
                let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
                let key = json!({
                    "kty": "EC", "crv": "P-256", "kid": "k", "alg": "ES256", "use": "sig",
                    "x": part(&point[1..33]), "y": part(&point[33..]),
                });
                (200, json!({ "keys": [key] }))
            }
            "/token" => match token(&String::from_utf8_lossy(&body), pair, issuer) {
                Some(token) => (200, json!({ "id_token": token, "access_token": "a", "token_type": "Bearer" })),
                None => (400, json!({ "error": "invalid_grant" })),
            },
            _ => (404, json!({})),
        };
        let json = json.to_string();
        let head =
            format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", json.len());
        let stream = reader.get_mut();
        stream.write_all((head + &json).as_bytes()).expect("an answer");
    }
}

/// Returns the token for a code that is the base64 of its claims; `None` for an invented code.
fn token(form: &str, pair: &EcdsaKeyPair, issuer: &str) -> Option<String> {
    let code = form.split('&').find_map(|field| field.strip_prefix("code="))?;
    let mut claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(code).ok()?).ok()?;
    claims["iss"] = json!(issuer);
    claims["aud"] = json!(CLIENT);
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&json!({ "alg": "ES256", "kid": "k" })), part(&claims));
    let signature = pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref())))
}

/// A browser between the server and the provider.
struct Visit {
    cookie: String,
    state: String,
    nonce: String,
}

impl Visit {
    fn begin(client: &Client) -> Self {
        let answer = client.get("/v2/session/oidc/start").has_status(303);
        let location = answer.header("location").expect("a place").to_owned();
        let field = |name: &str| {
            let found = location.split(['?', '&']).find_map(|field| field.strip_prefix(&format!("{name}=")));
            found.expect("a field").to_owned()
        };
        let cookie = answer.header("set-cookie").expect("a cookie").split(';').next().expect("a value").to_owned();
        Self { cookie, state: field("state"), nonce: field("nonce") }
    }

    /// Returns the code for a person whom the provider knows.
    fn code(&self, app: &TestApp, subject: &str, email: &str) -> String {
        let now_s = app.settings.clock.now().us() / 1_000_000;
        let claims = json!({
            "sub": subject, "email": email, "email_verified": true, "name": "Ada", "nonce": self.nonce,
            "iat": now_s, "exp": now_s + 300,
        });
        URL_SAFE_NO_PAD.encode(claims.to_string())
    }

    fn finish(&self, client: &Client, code: Option<&str>, device: Option<&str>) -> Answer {
        let code = code.map(|code| format!("&code={code}")).unwrap_or_default();
        let path = format!("/v2/session/oidc/callback?state={}{code}", self.state);
        let cookies = [Some(self.cookie.as_str()), device].into_iter().flatten().collect::<Vec<_>>().join("; ");
        client.call("GET", &path).header("cookie", &cookies).send().has_status(303)
    }
}

fn location(answer: &Answer) -> String {
    answer.header("location").expect("a place").to_owned()
}

/// Returns the cookie with this name that a response sets.
fn cookie(answer: &Answer, name: &str) -> String {
    let set = answer.headers.iter().filter(|(field, _)| field == "set-cookie").map(|(_, line)| line);
    let line = set.into_iter().find(|line| line.starts_with(&format!("{name}="))).expect("a cookie");
    line.split(';').next().expect("a value").to_owned()
}

/// Signs in a person, and returns the final response.
fn sign_in(app: &TestApp, subject: &str, email: &str) -> Answer {
    let anyone = app.anyone();
    let visit = Visit::begin(&anyone);
    visit.finish(&anyone, Some(&visit.code(app, subject, email)), None)
}

fn what_strangers_can_invent_keeps_nobody_out(on: On) {
    let provider = Provider::start();
    let app = on.start_with(|settings| settings.people.oidc = Some(provider.settings()));
    app.project("Acme", "Shop");
    let anyone = app.anyone();

    // A return without a code is not recorded: the sign-in can still be finished.
    let visit = Visit::begin(&anyone);
    assert_eq!(location(&visit.finish(&anyone, None, None)), "/sign-in?error=oidc_failed");
    let code = visit.code(&app, "s-1", "ada@acme.example");
    let signed_in = visit.finish(&anyone, Some(&code), None);
    assert_eq!(location(&signed_in), "/");
    let device = cookie(&signed_in, "muriel-device");
    // With a code it can be finished once.
    assert_eq!(location(&visit.finish(&anyone, Some(&code), None)), "/sign-in?error=oidc_expired");

    // Invented codes are limited by network, so that the provider is not queried about all of them.
    let mut answers = Vec::new();
    for _ in 0..40 {
        answers.push(location(&Visit::begin(&anyone).finish(&anyone, Some("invented"), None)));
    }
    let busy = answers.iter().filter(|place| *place == "/sign-in?error=oidc_busy").count();
    assert!((5..15).contains(&busy), "{answers:?}");
    assert_eq!(answers.iter().filter(|place| *place == "/sign-in?error=oidc_failed").count(), 40 - busy);
    // A recognised browser signs in meanwhile, and other browsers do so a minute later.
    let finish = |device: Option<&str>| {
        let visit = Visit::begin(&anyone);
        location(&visit.finish(&anyone, Some(&visit.code(&app, "s-1", "ada@acme.example")), device))
    };
    assert_eq!(finish(None), "/sign-in?error=oidc_busy");
    assert_eq!(finish(Some(&device)), "/");
    assert_eq!(finish(Some("muriel-device=1.2.3.4")), "/sign-in?error=oidc_busy");
    app.pass(Duration::from_secs(61));
    assert_eq!(finish(None), "/");
}

fn who_was_removed_comes_back_by_an_invitation_alone(on: On) {
    let provider = Provider::start();
    let app = on.start_with(|settings| settings.people.oidc = Some(provider.settings()));
    let shop = app.project("Acme", "Shop");
    let owner = app.signed_in_as(&shop, "owner").outside();
    let email = "ada@acme.example";
    let person = || {
        let people = owner.get("/v2/people").ok();
        people["people"].as_array().expect("people").iter().find(|one| one["email"] == email).cloned()
    };
    assert_eq!(location(&sign_in(&app, "s-1", email)), "/");
    assert_eq!(location(&sign_in(&app, "s-1", email)), "/");
    owner.delete(&format!("/v2/person/{}", person().expect("Ada")["person_id"])).ok();

    // Neither the same account, nor another one with the same address, nor the account with another address.
    for (subject, email) in [("s-1", email), ("s-2", email), ("s-1", "lovelace@acme.example")] {
        assert_eq!(location(&sign_in(&app, subject, email)), "/sign-in?error=oidc_not_invited", "{subject} {email}");
    }
    assert_eq!(location(&sign_in(&app, "s-3", "grace@acme.example")), "/");
    assert_eq!(person(), None);

    // An open invitation admits the person, with its role.
    let invited = owner.post("/v2/invitation", json!({ "email": email, "role": "editor" })).created();
    assert_eq!(location(&sign_in(&app, "s-1", email)), "/");
    assert_eq!(person().expect("Ada")["role"], "editor");
    let link = invited["link"].as_str().expect("a link");
    let token = link.split_once("/invitation#").expect("a token").1;
    app.anyone().get(&format!("/v2/invitation/{token}")).refused(404, "not_found");
    // The same once more.
    owner.delete(&format!("/v2/person/{}", person().expect("Ada")["person_id"])).ok();
    assert_eq!(location(&sign_in(&app, "s-1", email)), "/sign-in?error=oidc_not_invited");
}
