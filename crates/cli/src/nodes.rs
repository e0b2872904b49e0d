//! `muriel node`: the servers on one database.

use crate::config::{Common, StorageSettings};
use crate::open::open_existing;
use crate::say::say;
use crate::{Error, Result};
use clap::Subcommand;
use muriel_store::nodes;
use serde_json::json;

/// `muriel node …`
#[derive(Debug, Subcommand)]
pub enum NodeCommand {
    /// List the servers that run or have run on the PostgreSQL database.
    List {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Forget a stopped server, so that results no longer warn about it. Do this only if no events are missing: its log
    /// was imported, or has no events of running experiments.
    Forget {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Id of the node, as shown by muriel node list.
        node_id: String,
    },
}

/// Runs a node command.
///
/// # Errors
/// An error that says what prevents it.
pub async fn run(command: NodeCommand) -> Result<()> {
    match command {
        NodeCommand::List { common, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            // No node has an empty id, so this lists all nodes.
            let read =
                opened.db.read::<_, Error, _>(|tx| Box::pin(async move { Ok(nodes::others(tx, "").await?) })).await;
            opened.db.close().await?;
            let listed = read?;
            if json {
                let listed: Vec<_> = listed
                    .iter()
                    .map(|node| {
                        json!({
                            "node_id": node.id,
                            "host": node.host,
                            "data_dir": node.data_dir,
                            "running": node.is_live,
                            "blocks": node.blocks,
                            "started_at": node.started_at,
                            "seen_at": node.seen_at,
                        })
                    })
                    .collect();
                return say!("{}", json!({ "nodes": listed }));
            }
            if listed.is_empty() {
                return say!("no node is registered; on SQLite there is at most one node, which is not listed");
            }
            for node in listed {
                let state = if node.is_live { "running" } else { "stopped" };
                say!(
                    "{}  {state}  {} blocks of events  since {}  seen {}  {}:{}",
                    node.id,
                    node.blocks,
                    node.started_at,
                    node.seen_at,
                    node.host,
                    node.data_dir
                )?;
            }
            Ok(())
        }
        NodeCommand::Forget { common, node_id } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let wanted = node_id.clone();
            let forgotten = opened
                .db
                .write::<_, Error, _>(move |tx| Box::pin(async move { Ok(nodes::forget(tx, &wanted).await?) }))
                .await;
            opened.db.close().await?;
            if !forgotten? {
                return Err(Error::Refused(format!(
                    "no stopped node has the id {node_id}; muriel node list shows all nodes, and a running one \
                     cannot be forgotten"
                )));
            }
            say!("{node_id} is forgotten")
        }
    }
}
