//! Settings of the OpenID provider in the settings file.

use crate::{Error, Result};
use muriel_domain::person::Role;
use muriel_people::{self as people, OidcSettings};
use serde::Deserialize;
use std::path::PathBuf;

/// Settings of an OpenID provider: the table `[oidc]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OidcFile {
    name: Option<String>,
    issuer: String,
    client_id: String,
    client_secret_file: Option<PathBuf>,
    #[serde(default)]
    domains: Vec<String>,
    role: Option<String>,
    company: Option<String>,
}

impl OidcFile {
    /// Checks and returns the settings.
    ///
    /// # Errors
    /// Values that cannot be used, and a secret that cannot be read.
    pub(crate) fn read(self) -> Result<OidcSettings> {
        let wrong = |key: &str, why: &str| Error::Setting(format!("oidc.{key} {why}"));
        if !people::is_safe_address(&self.issuer) {
            return Err(wrong(
                "issuer",
                "must be an https address, exactly as the provider writes it; http is allowed only on this machine",
            ));
        }
        if self.client_id.is_empty() {
            return Err(wrong("client_id", "must not be empty"));
        }
        let client_secret = match &self.client_secret_file {
            None => None,
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|source| Error::File {
                    doing: "cannot read the client secret in",
                    path: path.clone(),
                    source,
                })?;
                Some(text.trim().to_owned())
            }
        };
        let domain = |text: &String| {
            people::oidc_domain(text).map_err(|_| wrong("domains", "must be domains such as acme.example"))
        };
        let role = match self.role.as_deref() {
            None => Role::Viewer,
            Some(word) => Role::parse(word).map_err(|flaw| wrong("role", &flaw.to_string()))?,
        };
        if role == Role::Owner {
            return Err(wrong("role", "must not be owner: only owners can add owners"));
        }
        Ok(OidcSettings {
            name: self.name.unwrap_or_else(|| "OpenID".to_owned()),
            issuer: self.issuer,
            client_id: self.client_id,
            client_secret,
            domains: self.domains.iter().map(domain).collect::<Result<_>>()?,
            role,
            company: self.company,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_is_checked() {
        let read = |text: &str| toml::from_str::<OidcFile>(text).expect("a table").read();
        let good = read("issuer = \"https://id.example\"\nclient_id = \"m\"\ndomains = [\"@Acme.example\"]").unwrap();
        assert_eq!(
            (good.name.as_str(), good.role, &*good.domains),
            ("OpenID", Role::Viewer, &["acme.example".to_owned()][..])
        );
        for (text, expect) in [
            ("issuer = \"http://id.example\"\nclient_id = \"m\"", "oidc.issuer must be"),
            ("issuer = \"https://id.example\"\nclient_id = \"\"", "oidc.client_id must not"),
            ("issuer = \"https://id.example\"\nclient_id = \"m\"\nrole = \"owner\"", "oidc.role must not be owner"),
            ("issuer = \"https://id.example\"\nclient_id = \"m\"\nrole = \"chief\"", "oidc.role must be"),
            ("issuer = \"https://id.example\"\nclient_id = \"m\"\ndomains = [\"a b\"]", "oidc.domains must be"),
            ("issuer = \"https://id.example\"\nclient_id = \"m\"\nclient_secret_file = \"/nowhere\"", "client secret"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(expect), "{text}: {error}");
        }
    }
}
