//! The audit log from the command line.

use crate::config::{Common, StorageSettings};
use crate::open::open_existing;
use crate::say::say;
use crate::{Error, Result};
use clap::Subcommand;
use muriel_context::audit;
use muriel_context::clock::Clock;
use muriel_context::digest::hex;
use muriel_domain::ids::CompanyId;
use muriel_service::App;
use muriel_store::audit::Verified;
use muriel_store::tenants;
use serde_json::json;

/// `muriel audit …`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Recompute the chain of hashes of each company's log, and report the first entry that was changed or is missing.
    Verify {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Only the company with this name.
        #[arg(long)]
        company: Option<String>,
        /// An entry and its hash that were recorded earlier, such as 120:9f86…; it is an error if the log lacks it now.
        #[arg(long, value_name = "ENTRY:HASH")]
        contains: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Runs a command about the audit log.
///
/// # Errors
/// An error that says what prevents it, and a log that was changed.
pub async fn run(command: AuditCommand) -> Result<()> {
    let AuditCommand::Verify { common, company, contains, json } = command;
    let known = contains.as_deref().map(known).transpose()?;
    let opened = open_existing(&StorageSettings::load(&common)?).await?;
    let app = opened.app(Clock::System);
    let verified = verify(&app, company.as_deref(), known).await;
    opened.db.close().await?;
    let verified = verified?;
    for (name, result) in &verified {
        let (entries, hash, flaw) = (result.entries, hex(&result.hash), result.flaw.as_deref());
        if json {
            say!("{}", json!({ "company": name, "entries": entries, "hash": hash, "flaw": flaw }))?;
        } else {
            match flaw {
                None => say!("{name}: {entries} entries are unchanged; the last is {entries}:{hash}")?,
                Some(flaw) => say!("{name}: {flaw}; {entries} entries are unchanged")?,
            }
        }
    }
    if verified.iter().any(|(_, result)| result.flaw.is_some()) {
        return Err(Error::Refused("the audit log was changed".to_owned()));
    }
    Ok(())
}

/// Verifies the audit log of each company.
///
/// # Errors
/// An unknown company, and when the database cannot be reached.
pub async fn verify(app: &App, company: Option<&str>, known: Option<(i64, String)>) -> Result<Vec<(String, Verified)>> {
    let all: Vec<(CompanyId, String)> =
        app.read(|tx| Box::pin(async move { Ok(tenants::companies(tx).await?) })).await?;
    let wanted: Vec<_> = all.into_iter().filter(|(_, name)| company.is_none_or(|wanted| wanted == name)).collect();
    if let (Some(company), true) = (company, wanted.is_empty()) {
        return Err(Error::Refused(format!("there is no company \"{company}\"")));
    }
    if known.is_some() && wanted.len() != 1 {
        return Err(Error::Refused("--contains needs --company, because each company has its own log".to_owned()));
    }
    let mut results = Vec::with_capacity(wanted.len());
    for (id, name) in wanted {
        let mut result = audit::verify(app, id).await?;
        if let (None, Some((entry, hash))) = (&result.flaw, &known) {
            let found = audit::hash_of(app, id, *entry).await?;
            if found.map(|found| hex(&found)).as_deref() != Some(hash) {
                result.flaw = Some(format!("the log has no entry {entry} with the hash {hash}"));
            }
        }
        results.push((name, result));
    }
    Ok(results)
}

fn known(text: &str) -> Result<(i64, String)> {
    let wrong =
        || Error::Refused("--contains must be the number of an entry and its hash, such as 120:9f86…".to_owned());
    let (entry, hash) = text.split_once(':').ok_or_else(wrong)?;
    Ok((entry.parse().map_err(|_| wrong())?, hash.to_ascii_lowercase()))
}
