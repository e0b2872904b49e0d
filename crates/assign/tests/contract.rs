//! The cases in `contract/assignment/`, which all clients share.

// `cfg(test)` again for clippy, which allows `unwrap` only there.
#[cfg(test)]
#[path = "contract/decisions.rs"]
mod decisions;
#[path = "contract/pages.rs"]
mod pages;
#[cfg(test)]
#[path = "contract/properties.rs"]
mod properties;
#[path = "contract/random.rs"]
mod random;

/// A file of cases.
#[derive(serde::Deserialize)]
struct File<T> {
    feature: String,
    cases: Vec<T>,
}

/// The cases of a feature.
fn cases<T: serde::de::DeserializeOwned>(feature: &str) -> Vec<T> {
    let path = format!("{}/../../contract/assignment/{feature}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: File<T> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(file.feature, feature, "{path}");
    assert!(!file.cases.is_empty(), "{path}");
    file.cases
}
