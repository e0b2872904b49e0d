//! Every operation's good answer, exactly.

use muriel_tests::{On, stories};
use serde_json::json;

stories![the_three_specified_operations];

fn the_three_specified_operations(on: On) {
    let app = on.start();
    let shop = app.project("Acme", "Shop");
    let id = shop.experiment(json!({}));
    let answer = shop.patch(&format!("/experiment/{id}"), json!({ "test_name": "Other" })).ok();
    assert_eq!(answer, json!({ "success": true, "test_id": id }));
}
