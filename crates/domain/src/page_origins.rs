//! Pages on which visitors enter experiments.

use crate::Flaw;
use crate::exclusion::origin_of;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Maximum number of origins.
pub const PAGE_ORIGINS_MAX: usize = 50;

/// Origins of a project's pages: scheme, host and port. An empty list stands for all pages.
///
/// Deserialising applies the checks of [`PageOrigins::new`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct PageOrigins(Vec<String>);

impl PageOrigins {
    /// Returns the origins of these addresses, in order of the alphabet and each once.
    ///
    /// # Errors
    /// More than [`PAGE_ORIGINS_MAX`] addresses, and text that is not the address of a page.
    pub fn new(addresses: &[String]) -> Result<Self, Flaw> {
        if addresses.len() > PAGE_ORIGINS_MAX {
            return Err(Flaw::new(format!("must have at most {PAGE_ORIGINS_MAX} origins")));
        }
        // A parser of addresses takes `*` for part of a host.
        let origin = |address: &String| origin_of(address).filter(|origin| !origin.contains('*'));
        let origins: Option<BTreeSet<String>> = addresses.iter().map(origin).collect();
        let origins = origins.ok_or_else(|| {
            Flaw::new(
                "must have origins of pages: scheme, host and port, such as https://shop.example, each written out",
            )
        })?;
        Ok(Self(origins.into_iter().collect()))
    }

    /// The origins.
    pub fn origins(&self) -> &[String] {
        &self.0
    }

    /// Returns whether the list stands for all pages.
    pub fn is_all(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<String>> for PageOrigins {
    type Error = Flaw;

    fn try_from(addresses: Vec<String>) -> Result<Self, Flaw> {
        Self::new(&addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_origins() {
        let of = |addresses: &[&str]| {
            PageOrigins::new(&addresses.iter().map(|address| (*address).to_owned()).collect::<Vec<_>>())
        };
        let origins = of(&["https://Shop.example:443/a?b#c", "http://localhost:3000", "https://shop.example"]).unwrap();
        assert_eq!(origins.origins(), ["http://localhost:3000", "https://shop.example"]);
        assert!(of(&[]).unwrap().is_all());
        for bad in ["shop.example", "", "*", "https://*", "https://*.shop.example", "file:///x", "ftp://shop.example"] {
            assert!(of(&[bad]).is_err(), "{bad}");
        }
        assert!(of(&["https://shop.example"; PAGE_ORIGINS_MAX + 1]).is_err());
    }
}
