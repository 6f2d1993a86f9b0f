//! The files that paths stand for: patterns and folders as the files in them.

use super::opened::STDIN;
use crate::error::{Error, Result};
use glob::{MatchOptions, glob_with};
use std::path::{Path, PathBuf};

/// Folders within folders that are gone into; more is a link that leads back.
const DEPTH: usize = 64;

/// The files that `paths` stand for. A folder stands for all files in it and in its folders, by
/// name; those whose names begin with `.` or `_`, such as `_SUCCESS`, are passed over, and so are
/// checksums and the manifests of an export of `DynamoDB`. A path that is no file and has `*`, `?`
/// or `[` in it is a pattern, `**` standing for any folders. All else is left as it is.
///
/// # Errors
/// `InvalidInput` if a pattern or a folder stands for no file; `Io` if a folder cannot be read.
///
/// ```
/// use shardlane::source::files;
/// let folder = std::env::temp_dir().join("shardlane-files-example");
/// std::fs::create_dir_all(&folder).unwrap();
/// std::fs::write(folder.join("monday.csv"), "key\nuser-1\n").unwrap();
/// assert_eq!(files(&[folder.join("*.csv")])?, [folder.join("monday.csv")]);
/// assert_eq!(files(&[&folder])?, [folder.join("monday.csv")]);
/// assert!(files(&[folder.join("*.parquet")]).is_err());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), shardlane::Error>(())
/// ```
pub fn files(paths: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let path = path.as_ref();
        if path.as_os_str() == STDIN {
            files.push(path.to_owned());
        } else if path.is_dir() {
            add_folder(path, &mut files)?;
        } else if let Some(pattern) = pattern(path) {
            add_matches(pattern, &mut files)?;
        } else {
            files.push(path.to_owned());
        }
    }
    Ok(files)
}

/// The pattern that a path is, if it is one.
fn pattern(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    // A file may be called so.
    (!path.exists()).then_some(text)
}

/// Adds what matches a pattern.
fn add_matches(pattern: &str, files: &mut Vec<PathBuf>) -> Result<()> {
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let matches = glob_with(pattern, options).map_err(|error| {
        Error::input(format!(
            "{pattern} is neither a file nor a pattern: {error}; type for example 'logs/*.csv.gz'"
        ))
    })?;
    let before = files.len();
    for path in matches {
        let path = path.map_err(|error| unreadable(error.path(), error.error()))?;
        if path.is_dir() {
            walk(&path, DEPTH, files)?;
        } else {
            files.push(path);
        }
    }
    if files.len() == before {
        return Err(Error::input(format!(
            "no file matches {pattern}; type the name of a file or a folder, or another pattern"
        )));
    }
    Ok(())
}

/// Adds the files of a folder.
fn add_folder(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let before = files.len();
    walk(folder, DEPTH, files)?;
    if files.len() == before {
        return Err(Error::input(format!(
            "the folder {} has no files to read; those whose names begin with . or _ are passed over",
            folder.display()
        )));
    }
    Ok(())
}

fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if depth == 0 {
        return Err(Error::input(format!(
            "{} has more than {DEPTH} folders within one another; name the files in them",
            folder.display()
        )));
    }
    let failed = |error: std::io::Error| unreadable(folder, &error);
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>();
    let mut entries = entries.map_err(failed)?;
    entries.sort();
    for path in entries {
        if is_beside_the_log(&path) {
            continue;
        }
        if path.is_dir() {
            walk(&path, depth - 1, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether the name is one of what writers put beside their files.
fn is_beside_the_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_manifest = |name: &str| name.starts_with("manifest-") && name.contains(".json");
    let has_checksums = [".md5", ".crc", ".sha256"].iter().any(|suffix| name.ends_with(suffix));
    name.starts_with(['.', '_']) || has_checksums || is_manifest(&name)
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Error {
    Error::io(format!("{} cannot be read: {error}", folder.display()))
}
