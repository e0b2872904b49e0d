//! Directory of files: read with size limits, and written for the owner only. Symbolic links within it are not
//! followed.

use super::content::Files;
use super::parse::experiment::{SETTINGS, is_part};
use super::problems::FileProblems;
use crate::{Error, Result};
use muriel_api::check::unknown_field;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

/// Maximum size of a file, in bytes.
const FILE_MAX: u64 = 8 << 20;
/// Maximum number of files, and maximum size of all of them in bytes.
const FILES_MAX: usize = 200_000;
const BYTES_MAX: u64 = 512 << 20;

/// Files at the top of the directory.
const TOP_FILES: [&str; 2] = ["project.toml", "goals.toml"];

/// Reads all known files, by path. Others, such as a README, are ignored.
///
/// # Errors
/// A directory that cannot be read; files that are not text or too large, or whose name is similar to a known one.
pub(crate) fn read(directory: &Path) -> Result<std::result::Result<Files, FileProblems>> {
    let mut reader = Reader::default();
    for name in TOP_FILES {
        reader.file(&directory.join(name), name)?;
    }
    for name in entries(&directory.join("hypotheses"))? {
        let path = format!("hypotheses/{name}");
        if name.ends_with(".toml") {
            reader.file(&directory.join("hypotheses").join(&name), &path)?;
        }
    }
    let experiments = directory.join("experiments");
    for name in entries(&experiments)? {
        let inner = experiments.join(&name);
        if name.starts_with('.') || !reader.is_directory(&inner, &format!("experiments/{name}"))? {
            continue;
        }
        for part in entries(&inner)? {
            let path = format!("experiments/{name}/{part}");
            if is_part(&part) {
                reader.file(&inner.join(&part), &path)?;
            } else if !part.starts_with('.') && [".toml", ".js", ".css", ".json"].iter().any(|end| part.ends_with(end))
            {
                reader.found.add(&path, 0, about_part(&part));
            }
        }
    }
    Ok(if reader.found.is_empty() { Ok(reader.files) } else { Err(reader.found) })
}

/// Message about a file that an experiment cannot have.
fn about_part(name: &str) -> String {
    let known = [
        SETTINGS,
        "integration.json",
        "custom.js",
        "custom.css",
        "control.js",
        "control.css",
        "control.changes.json",
        "variant-1.js",
        "variant-1.css",
        "variant-1.changes.json",
    ];
    if name == "control.changes.json" {
        return "the control has no visual changes".to_owned();
    }
    unknown_field(name, &known).replace("is not a known field", "is not the name of a file of an experiment")
}

/// Names in a directory, sorted; empty if it does not exist.
fn entries(directory: &Path) -> Result<Vec<String>> {
    let error = |source| Error::File { doing: "cannot read the directory", path: directory.to_owned(), source };
    match fs::symlink_metadata(directory) {
        Err(source) if source.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(error(source)),
        Ok(about) if !about.is_dir() => return Err(error(ErrorKind::NotADirectory.into())),
        Ok(_) => {}
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(error)? {
        // Names that are not Unicode are not known names.
        names.extend(entry.map_err(error)?.file_name().into_string());
        if names.len() > FILES_MAX {
            return Err(Error::Refused(format!("{} has more than {FILES_MAX} entries", directory.display())));
        }
    }
    names.sort();
    Ok(names)
}

#[derive(Default)]
struct Reader {
    files: Files,
    bytes: u64,
    found: FileProblems,
}

impl Reader {
    /// Reads a file, if it exists.
    fn file(&mut self, path: &Path, name: &str) -> Result<()> {
        let error = |source| Error::File { doing: "cannot read", path: path.to_owned(), source };
        match fs::symlink_metadata(path) {
            Err(source) if source.kind() == ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(error(source)),
            // A link could lead to a private file, whose content would be sent to the server.
            Ok(about) if !about.is_file() => {
                self.found.add(name, 0, "must be a file, not a directory or a symbolic link");
                return Ok(());
            }
            Ok(_) => {}
        }
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(FILE_MAX + 1).read_to_end(&mut bytes)).map_err(error)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > BYTES_MAX || self.files.len() >= FILES_MAX {
            let bounds = format!("a project has at most {FILES_MAX} files and {} MiB", BYTES_MAX >> 20);
            return Err(Error::Refused(bounds));
        }
        if bytes.len() as u64 > FILE_MAX {
            self.found.add(name, 0, format!("must have at most {} MiB", FILE_MAX >> 20));
            return Ok(());
        }
        match String::from_utf8(bytes) {
            Ok(text) => drop(self.files.insert(name.to_owned(), text)),
            Err(_) => self.found.add(name, 0, "must be UTF-8 text"),
        }
        Ok(())
    }

    fn is_directory(&mut self, path: &Path, name: &str) -> Result<bool> {
        let error = |source| Error::File { doing: "cannot read", path: path.to_owned(), source };
        let about = fs::symlink_metadata(path).map_err(error)?;
        if about.is_symlink() {
            self.found.add(name, 0, "must be a directory, not a symbolic link");
        }
        Ok(about.is_dir())
    }
}

/// Writes the files. With `overwrite`, removes known files that are not among them, so that the directory has exactly
/// this content.
///
/// # Errors
/// Without `overwrite`, a directory that is not empty; files that cannot be written.
pub(crate) fn write(directory: &Path, files: &Files, overwrite: bool) -> Result<()> {
    let error = |path: &Path, source| Error::File { doing: "cannot write", path: path.to_owned(), source };
    fs::create_dir_all(directory).map_err(|source| error(directory, source))?;
    if !overwrite && fs::read_dir(directory).map_err(|source| error(directory, source))?.next().is_some() {
        return Err(Error::Refused(format!(
            "{} is not empty; name another directory, or replace the files in this one with --overwrite",
            directory.display()
        )));
    }
    for (name, text) in files {
        let path = directory.join(name);
        let parent = path.parent().unwrap_or(directory);
        make_directories(directory, name)?;
        let is_same = fs::symlink_metadata(&path).is_ok_and(|about| about.is_file())
            && fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes());
        if !is_same {
            let written = tempfile::NamedTempFile::new_in(parent).and_then(|mut file| {
                file.write_all(text.as_bytes())?;
                file.persist(&path).map_err(|error| error.error)
            });
            written.map_err(|source| error(&path, source))?;
        }
    }
    if overwrite { remove_others(directory, files) } else { Ok(()) }
}

/// Creates the directories of a file one by one, because none of them may be a link that leads outside.
fn make_directories(directory: &Path, name: &str) -> Result<()> {
    let mut inner = directory.to_owned();
    let Some((parents, _)) = name.rsplit_once('/') else { return Ok(()) };
    for part in parents.split('/') {
        inner.push(part);
        let made = match fs::symlink_metadata(&inner) {
            Ok(about) if about.is_dir() => Ok(()),
            Ok(_) => Err(ErrorKind::NotADirectory.into()),
            Err(source) if source.kind() == ErrorKind::NotFound => fs::create_dir(&inner),
            Err(source) => Err(source),
        };
        made.map_err(|source| Error::File { doing: "cannot create the directory", path: inner.clone(), source })?;
    }
    Ok(())
}

/// Removes known files that are not among `files`, and directories that are then empty.
fn remove_others(directory: &Path, files: &Files) -> Result<()> {
    let remove = |name: &str| {
        let path = directory.join(name);
        if files.contains_key(name) {
            return Ok(());
        }
        fs::remove_file(&path).map_err(|source| Error::File { doing: "cannot remove", path, source })
    };
    for name in entries(&directory.join("hypotheses"))?.iter().filter(|name| name.ends_with(".toml")) {
        remove(&format!("hypotheses/{name}"))?;
    }
    for name in entries(&directory.join("experiments"))? {
        let inner = directory.join("experiments").join(&name);
        if !fs::symlink_metadata(&inner).is_ok_and(|about| about.is_dir()) {
            continue;
        }
        for part in entries(&inner)?.iter().filter(|part| is_part(part)) {
            remove(&format!("experiments/{name}/{part}"))?;
        }
        // The directory is kept if it has other files.
        let _ = fs::remove_dir(&inner);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(texts: &[(&str, &str)]) -> Files {
        texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path().join("new");
        let first = files(&[
            ("project.toml", "format = 1\n"),
            ("goals.toml", ""),
            ("hypotheses/a.toml", "problem = \"p\"\n"),
            ("experiments/x/experiment.toml", "a"),
            ("experiments/x/variant-12.changes.json", "[]"),
            ("experiments/x/custom.css", "\u{feff}\r\n"),
        ]);
        write(&at, &first, false).unwrap();
        assert_eq!(read(&at).unwrap().unwrap(), first);
        assert!(write(&at, &first, false).unwrap_err().to_string().contains("not empty"));

        fs::write(at.join("README.md"), "mine").unwrap();
        fs::write(at.join("experiments/x/notes.txt"), "mine").unwrap();
        let second =
            files(&[("project.toml", "format = 1\n"), ("goals.toml", "g"), ("experiments/y/experiment.toml", "b")]);
        write(&at, &second, true).unwrap();
        assert_eq!(read(&at).unwrap().unwrap(), second);
        assert!(at.join("README.md").exists() && at.join("experiments/x/notes.txt").exists());
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let at = place.path();
        fs::create_dir_all(at.join("experiments/x")).unwrap();
        fs::create_dir_all(at.join("hypotheses")).unwrap();
        fs::write(at.join("secret"), "s").unwrap();
        std::os::unix::fs::symlink(at.join("secret"), at.join("experiments/x/custom.js")).unwrap();
        std::os::unix::fs::symlink(at.join("hypotheses"), at.join("experiments/y")).unwrap();
        fs::write(at.join("hypotheses/a.toml"), [0xff]).unwrap();
        fs::write(at.join("experiments/x/variant1.js"), "").unwrap();
        fs::write(at.join("experiments/x/variant-01.js"), "").unwrap();
        File::create(at.join("goals.toml")).unwrap().set_len(FILE_MAX + 1).unwrap();
        let message = read(at).unwrap().unwrap_err().to_string();
        for expect in [
            "experiments/x/custom.js: must be a file",
            "experiments/y: must be a directory",
            "hypotheses/a.toml: must be UTF-8",
            "experiments/x/variant1.js: is not the name of a file of an experiment; did you mean \"variant-1.js\"?",
            "experiments/x/variant-01.js: is not the name",
            "goals.toml: must have at most 8 MiB",
        ] {
            assert!(message.contains(expect), "{expect}: {message}");
        }
        let link = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(at, link.path().join("experiments")).unwrap();
        let out = write(link.path(), &files(&[("experiments/z/custom.js", "x")]), true);
        assert!(out.is_err() && !at.join("z").exists());
    }
}
