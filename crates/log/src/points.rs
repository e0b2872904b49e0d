//! Named points at which tests look in or make things fail. Nothing in a build
//! that is not a test.

/// Passes the point `name` of the log in `dir`.
///
/// # Errors
/// What a test plants there.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn pass(_dir: &std::path::Path, _name: &'static str) -> rusqlite::Result<()> {
    Ok(())
}

#[cfg(test)]
pub(super) use planted::{pass, plant};

#[cfg(test)]
mod planted {
    use std::collections::HashMap;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};

    /// Is told the name of each point, and makes it fail with the SQLite code it
    /// answers.
    pub(crate) type Hook = Arc<dyn Fn(&'static str) -> Option<i32> + Send + Sync>;

    static HOOKS: Mutex<Option<HashMap<PathBuf, Hook>>> = Mutex::new(None);

    pub(crate) fn plant(dir: &Path, hook: impl Fn(&'static str) -> Option<i32> + Send + Sync + 'static) {
        HOOKS.lock().unwrap().get_or_insert_default().insert(dir.to_owned(), Arc::new(hook));
    }

    pub(crate) fn pass(dir: &Path, name: &'static str) -> rusqlite::Result<()> {
        let hook = HOOKS.lock().unwrap().as_ref().and_then(|hooks| hooks.get(dir).cloned());
        match hook.and_then(|hook| hook(name)) {
            Some(code) => {
                Err(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(format!("planted at {name}"))))
            }
            None => Ok(()),
        }
    }
}
