//! Allowed addresses of outbound requests when the addresses of a name change.

use crate::webhooks::{answer, deliveries, made, newest, receive, shop, test};
use muriel_outbound::Names;
use muriel_tests::{On, stories};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

stories! {
    postgres_at_night: [
        a_name_that_is_rebound_gets_nothing,
    ],
}

/// A name that was public when it was saved is resolved again for each attempt, and every address of it is checked.
fn a_name_that_is_rebound_gets_nothing(on: On) {
    let public: SocketAddr = "93.184.215.14:80".parse().expect("an address");
    let (addresses, asked) = (Arc::new(Mutex::new(vec![public])), Arc::new(Mutex::new(Vec::new())));
    let connections = Arc::new(Mutex::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let private = listener.local_addr().expect("an address");
    let counted = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            *counted.lock().expect("a number") += 1;
            receive(stream, &Mutex::default(), &|_, stream| answer(stream, 200, ""));
        }
    });
    let (known, noted) = (addresses.clone(), asked.clone());
    let names = Names::of(move |host: &str, _| {
        noted.lock().expect("names").push(host.to_owned());
        Ok(known.lock().expect("addresses").clone())
    });
    let mut app = on.start_with(|settings| {
        settings.webhook_allow = Default::default();
        settings.webhook_names = names;
    });
    let mut shop = shop(&app);
    let (id, _) = made(&shop, &format!("http://hooks.test:{}/", private.port()), &["winner.served"]);
    let pause = Duration::from_secs(24 * 3_600);
    // The address has changed since the URL was saved, or not all of its addresses are public.
    let rebound = [
        vec![private],
        vec![public, private],
        vec![private, public],
        vec!["10.0.0.1:80".parse().expect("an address")],
        vec![SocketAddr::new("::ffff:127.0.0.1".parse().expect("an address"), private.port())],
        vec![SocketAddr::new("169.254.169.254".parse().expect("an address"), 80)],
    ];
    *addresses.lock().expect("addresses") = rebound[0].clone();
    test(&shop, id);
    for (number, to) in rebound.iter().enumerate() {
        let attempts = number + 1;
        let refused = newest(&shop, id, &format!("attempt {attempts} at {to:?}"), |it| {
            it["attempts"] == attempts
                && it["reason"].as_str().is_some_and(|why| why.starts_with("not sent: "))
                && it["next_at"]
                    .as_str()
                    .and_then(|at| muriel_domain::Instant::parse(at).ok())
                    .is_some_and(|at| at > app.settings.clock.now())
        });
        assert!(refused["reason"].as_str().expect("a reason").ends_with("is not a public address"), "{refused}");
        assert_eq!((&refused["status"], &refused["response_code"]), (&json!("pending"), &Value::Null));
        if let Some(next) = rebound.get(number + 1) {
            *addresses.lock().expect("addresses") = next.clone();
        }
        app.pass(pause);
    }
    assert_eq!(*connections.lock().expect("a number"), 0, "nobody connected");
    assert!(asked.lock().expect("names").iter().all(|host| host == "hooks.test"));
    // Saving it again is refused now. When the operator allows the network, the waiting messages are delivered.
    *addresses.lock().expect("addresses") = vec![private];
    shop.patch(&format!("/webhook/{id}"), json!({ "url": "http://hooks.test/" })).invalid(&["url"]);
    app.settings.webhook_allow = "127.0.0.0/8".parse().expect("a network");
    app.start_again();
    shop = shop.at(app.address);
    app.pass(pause);
    let delivery = deliveries(&shop, id)[0]["delivery_id"].clone();
    shop.call("POST", &format!("/webhook/{id}/deliveries/{delivery}/resend")).send().ok();
    newest(&shop, id, "a delivery", |it| it["status"] == "delivered");
    assert_eq!(*connections.lock().expect("a number"), 1);
}
