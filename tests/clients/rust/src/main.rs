//! Reads and writes answers with the generated types, and calls a server with the generated functions.
//!
//! `MURIEL_ANSWERS` names a file of answers, one per line: the name of its schema, a tab, the JSON. For each, a line is
//! printed: `ok` or `not ok`, a tab, and what was written or the error. The lines of the calls come last.

mod client {
    #![allow(warnings, reason = "generated")]
    include!(concat!(env!("OUT_DIR"), "/client.rs"));
}

use client::{Client, rewrite, types};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use std::env;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    for line in std::fs::read_to_string(env::var("MURIEL_ANSWERS")?)?.lines() {
        let (schema, body) = line.split_once('\t').ok_or("a line without a tab")?;
        match rewrite(schema, body) {
            Ok(written) => println!("ok\t{written}"),
            Err(error) => println!("not ok\t{error}"),
        }
    }
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(call())
}

/// Creates a goal, and reads it in three ways.
async fn call() -> Result<(), Box<dyn Error>> {
    let (key, project) = (env::var("MURIEL_KEY")?, env::var("MURIEL_PROJECT")?);
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {key}").parse()?);
    let client =
        Client::new_with_client(&env::var("MURIEL_URL")?, reqwest::Client::builder().default_headers(headers).build()?);
    let goal: types::GoalBody = serde_json::from_value(serde_json::json!({
        "goal_name": "Bought in Rust", "goal_type": "event", "goal_value": "bought-in-rust", "cap": null,
    }))?;
    let made = client.create_goal(&project.parse()?, None, &goal).await?.into_inner();
    let id = u64::try_from(made.goal_profile_id)?.try_into()?;
    let read = client.get_goal(&project.parse()?, id).await?.into_inner();
    check("getGoal", read.goal.goal_name == "Bought in Rust");
    let list = client.list_goals(&project.parse()?, None, None).await?.into_inner();
    check("listGoals", list.goals.iter().any(|goal| goal.goal_key == made.goal_key));
    let refused = client.get_goal(&project.parse()?, 999_999.try_into()?).await;
    let code = match refused {
        Err(client::Error::ErrorResponse(answer)) => answer.into_inner().code,
        other => format!("{other:?}"),
    };
    check("an error", code == "not_found");
    Ok(())
}

fn check(name: &str, holds: bool) {
    println!("{}\t{name}", if holds { "ok" } else { "not ok" });
}
