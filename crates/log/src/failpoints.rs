//! Failpoints: named places at which tests observe the log or inject SQLite errors. They
//! compile to nothing outside of tests.

/// Runs the hook that a test has set for the log in `dir`, if any, with the failpoint's
/// name.
///
/// # Errors
/// The error that the hook injects.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn hit(_dir: &std::path::Path, _name: &'static str) -> rusqlite::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use planted::{hit, plant};

#[cfg(test)]
mod planted {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};

    /// Called with the name of each failpoint. Returns the SQLite result code to fail with.
    pub(crate) type Hook = Arc<dyn Fn(&'static str) -> Option<i32> + Send + Sync>;

    static HOOKS: Mutex<Option<HashMap<PathBuf, Hook>>> = Mutex::new(None);

    pub(crate) fn plant(dir: &Path, hook: impl Fn(&'static str) -> Option<i32> + Send + Sync + 'static) {
        HOOKS.lock().unwrap().get_or_insert_default().insert(dir.to_owned(), Arc::new(hook));
    }

    pub(crate) fn hit(dir: &Path, name: &'static str) -> rusqlite::Result<()> {
        let hook = HOOKS.lock().unwrap().as_ref().and_then(|hooks| hooks.get(dir).cloned());
        match hook.and_then(|hook| hook(name)) {
            Some(code) => {
                Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(format!("planted at {name}"))))
            }
            None => Ok(()),
        }
    }
}
