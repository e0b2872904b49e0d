//! The epoch in which an exposure counts.

use crate::results::{DAY, Shop, Visit, bought, counts};
use muriel_tests::{On, stories};
use serde_json::{Value, json};

stories! {
    postgres_at_night: [
        late_exposures_count_in_the_epoch_of_their_time,
        an_epoch_that_was_never_reached_is_not_made_up,
    ],
}

/// Opens a shop whose experiment had even weights from 2026-03-01 at 10:00 and gave 90 % to the
/// control from 22:00 on. The clock is at 22:00 on the next day.
fn reweighted(on: On) -> Shop {
    let shop = Shop::open(on, json!({}));
    shop.app.pass(DAY / 2);
    let uneven = json!({ "configuration": { "distribution": { "Control": 90, "Variant 1": 10 } } });
    shop.client.patch(&format!("/experiment/{}", shop.test_id), uneven).ok();
    shop.app.pass(DAY);
    shop
}

/// Returns the visitors of each arm by epoch, from the health check.
fn by_epoch(result: &Value) -> Vec<(i64, Value)> {
    let epochs = result["health"]["sample_ratio"]["epochs"].as_array().expect("epochs");
    epochs.iter().map(|epoch| (epoch["epoch"].as_i64().expect("a number"), epoch["observed"].clone())).collect()
}

fn late_exposures_count_in_the_epoch_of_their_time(on: On) {
    let shop = reweighted(on);
    // A server sends events a day late, without epochs.
    shop.crowd("before", &[("0", 150, 10), ("1", 150, 10)], "2026-03-01T10:30:00Z", &bought());
    shop.crowd("after", &[("0", 90, 5), ("1", 10, 1)], "2026-03-02T10:30:00Z", &bought());
    let result = shop.result("");
    assert_eq!(by_epoch(&result), [(1, json!([150, 150])), (2, json!([90, 10]))]);
    assert_eq!(result["health"]["sample_ratio"]["status"], "ok", "{}", result["health"]);
    assert_ne!(result["variants"][1]["analysis"]["verdict"], "do_not_trust");
    assert_eq!(counts(&shop.result("?epoch=1")), [(150, 10), (150, 10)]);
    assert_eq!(counts(&shop.result("?epoch=2")), [(90, 5), (10, 1)]);
}

fn an_epoch_that_was_never_reached_is_not_made_up(on: On) {
    let shop = reweighted(on);
    let enter = |visitor: &str, epoch: Option<i64>, at: &str| {
        let mut event = shop.exposure("0", at);
        if let Some(epoch) = epoch {
            event["epoch"] = epoch.into();
        }
        shop.send(&[Visit { visitor, events: vec![event] }]);
    };
    // A named epoch counts if the experiment has reached it: a page may have kept an old ruleset.
    enter("kept", Some(1), "2026-03-02T10:00:00Z");
    enter("open", None, "2026-03-01T12:00:00Z");
    for (number, epoch) in [3, 1_000, 9_007_199_254_740_992].into_iter().enumerate() {
        enter(&format!("ahead-{number}"), Some(epoch), "2026-03-01T12:00:00Z");
        enter(&format!("ahead-later-{number}"), Some(epoch), "2026-03-02T12:00:00Z");
    }
    assert_eq!(by_epoch(&shop.result("")), [(1, json!([5, 0])), (2, json!([3, 0]))]);
    // A node with an older ruleset accepts future epochs anyway: they count once the epoch begins.
    let change = json!({ "configuration": { "distribution": { "Control": 50, "Variant 1": 50 } } });
    shop.client.patch(&format!("/experiment/{}", shop.test_id), change).ok();
    assert_eq!(by_epoch(&shop.result("")), [(1, json!([4, 0])), (2, json!([2, 0])), (3, json!([2, 0]))]);
}
