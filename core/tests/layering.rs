//! Reads the sources and fails on an import against the arrow.
//!
//! Data flows through the modules from left to right, and a module imports only from its left. The
//! rules are the four tables below; `CONTRIBUTING.md` says why.

#[path = "layering/paths.rs"]
mod paths;

use paths::{Mention, Names};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The pipeline. `error` stands outside it: everybody may use it, and it uses nobody.
const PIPELINE: [&str; 11] = [
    "source",
    "keys",
    "lanes",
    "shards",
    "tally",
    "limits",
    "projection",
    "advice",
    "report",
    "engine",
    "cli",
];

/// Single names that may be taken against the arrow: who takes, and what.
const EXCEPTIONS: [(&str, [&str; 2]); 9] = [
    // A batch holds its keys as a column, and its missing numbers as the tally knows them.
    ("source", ["keys", "KeyColumn"]),
    // Files hold values, of which the producer's serializer and salt make keys.
    ("source", ["keys", "KeySerializer"]),
    ("source", ["keys", "Salt"]),
    // A payload may be several records, which a row is made of each.
    ("source", ["keys", "aggregate"]),
    ("source", ["tally", "MISSING"]),
    // The lanes know no Arrow: they ask for this trait, and `keys` has it.
    ("keys", ["lanes", "Keys"]),
    ("keys", ["lanes", "Window"]),
    // A salt's bucket is a hash of one value.
    ("keys", ["lanes", "java"]),
    ("keys", ["lanes", "reference"]),
];

/// Modules that know less than their place would let them: `error` and nothing else.
const ALONE: [&str; 2] = ["lanes", "shards"];

/// Crates that belong to one part of the house, and the modules that may name them.
const CRATES: [(&str, &[&[&str]]); 6] = [
    ("arrow", &[&["source"], &["keys"], &["report", "arrow"]]),
    ("parquet", &[&["source"], &["report", "arrow"]]),
    ("rayon", &[&["engine"]]),
    ("clap", &[&["cli"]]),
    ("indicatif", &[&["cli"]]),
    ("pyo3", &[]),
];

/// What `lib.rs` exports at the top: `Router` is `engine`'s.
type Exports = BTreeMap<String, String>;

fn exports(lib: &str) -> Exports {
    let names = Names::of(lib);
    let path = |mention: Mention| match mention.segments.as_slice() {
        [module, .., name] if names.children.contains(module) => {
            Some((name.clone(), module.clone()))
        }
        _ => None,
    };
    names.paths.clone().into_iter().filter_map(path).collect()
}

/// What is wrong with the source of `module`, one sentence for each thing.
fn violations(module: &[&str], source: &str, exports: &Exports) -> Vec<String> {
    let names = Names::of(source);
    let top = module[0];
    let mut found = Vec::new();
    for mention in &names.paths {
        let fault = match resolve(module, mention, &names.children) {
            Target::Crate(path) => against_the_arrow(top, &path, exports),
            Target::Elsewhere(path) => foreign(module, &path),
        };
        if let Some(fault) = fault {
            found.push(format!("{}:{}: {fault}", module.join("::"), mention.line));
        }
    }
    if top != "lanes" {
        for line in &names.unsafe_lines {
            let place = module.join("::");
            found.push(format!("{place}:{line}: `unsafe` belongs under lanes only"));
        }
    }
    found
}

/// Where a path leads.
enum Target {
    /// Into this crate, from its root.
    Crate(Vec<String>),
    /// Into another crate.
    Elsewhere(Vec<String>),
}

fn resolve(module: &[&str], mention: &Mention, children: &[String]) -> Target {
    let mut here: Vec<String> = module.iter().map(ToString::to_string).collect();
    here.extend(mention.inline.iter().cloned());
    let mut rest = mention.segments.as_slice();
    match rest[0].as_str() {
        "crate" => here.clear(),
        "self" => {}
        "super" => {
            while rest.len() > 1 && rest[1] == "super" {
                here.pop();
                rest = &rest[1..];
            }
            here.pop();
        }
        name if mention.inline.is_empty() && children.iter().any(|child| child == name) => {
            here.extend_from_slice(rest);
            return Target::Crate(here);
        }
        _ => return Target::Elsewhere(rest.to_vec()),
    }
    here.extend_from_slice(&rest[1..]);
    match here.first().map(String::as_str) {
        // `crate::arrow` is the re-exported crate.
        Some("arrow") => Target::Elsewhere(here),
        _ => Target::Crate(here),
    }
}

fn against_the_arrow(top: &str, path: &[String], exports: &Exports) -> Option<String> {
    let first = path.first()?;
    let target = exports.get(first).unwrap_or(first).as_str();
    if target == top || target == "error" {
        return None;
    }
    let written = path.join("::");
    let Some(to) = PIPELINE.iter().position(|name| *name == target) else {
        return Some(format!("`{written}` is in no known module; add it to the pipeline"));
    };
    let item = if exports.contains_key(first) { Some(first) } else { path.get(1) };
    let is_exception = |(who, [module, name]): &(&str, [&str; 2])| {
        *who == top && *module == target && item.is_some_and(|item| item == name)
    };
    if EXCEPTIONS.iter().any(is_exception) {
        return None;
    }
    let from = PIPELINE.iter().position(|name| *name == top);
    if ALONE.contains(&top) || from.is_none_or(|from| from < to) {
        return Some(format!("{top} must not import `{written}` from {target}"));
    }
    None
}

fn foreign(module: &[&str], path: &[String]) -> Option<String> {
    let written = path.join("::");
    let reads_environment = path.windows(2).any(|pair| {
        pair[0] == "env" && ["var", "var_os", "vars", "vars_os"].contains(&pair[1].as_str())
    });
    if reads_environment && module[0] != "cli" {
        return Some(format!("`{written}`: no environment variable may change a result"));
    }
    // The engine hands the slices of a batch's columns on; it may name their buffers.
    if module[0] == "engine" && path.len() > 1 && path[0] == "arrow" && path[1] == "buffer" {
        return None;
    }
    // `arrow_array`, `parquet_derive` and their kin are the same crates by another name.
    let family = path[0].split('_').next().unwrap_or_default();
    let (name, homes) = CRATES.iter().find(|(name, _)| *name == family)?;
    if homes.iter().any(|home| module.starts_with(home)) {
        return None;
    }
    let homes: Vec<String> = homes.iter().map(|home| home.join("::")).collect();
    Some(format!("`{written}`: {name} belongs in {{{}}} only", homes.join(", ")))
}

/// Every source file under `folder`, with the module that it is.
fn sources(folder: &Path, module: &[String], found: &mut Vec<(Vec<String>, PathBuf)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let mut module = module.to_vec();
        module.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        if path.is_dir() {
            sources(&path, &module, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push((module, path));
        }
    }
}

#[test]
fn every_import_goes_left() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let exports = exports(&fs::read_to_string(root.join("lib.rs")).unwrap());
    assert_eq!(exports.get("Router").map(String::as_str), Some("engine"), "lib.rs was understood");
    let mut files = Vec::new();
    sources(&root, &[], &mut files);
    let mut wrong = Vec::new();
    let mut read = 0;
    for (module, path) in files {
        let module: Vec<&str> = module.iter().map(String::as_str).collect();
        // `lib.rs` only re-exports, the program is a door to `cli`, and unit tests may use all.
        if matches!(module[..], ["lib"] | ["bin", ..] | [.., "tests"]) {
            continue;
        }
        read += 1;
        wrong.extend(violations(&module, &fs::read_to_string(path).unwrap(), &exports));
    }
    assert!(read > 20, "only {read} files were read");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check(module: &[&str], source: &str) -> Vec<String> {
    let lib = "pub mod engine; pub mod shards; pub mod keys;
        pub use arrow;
        pub use engine::{Router, RouterOptions};
        pub use keys::KeyColumn;
        pub use shards::{NO_SHARD, ShardMap};";
    violations(module, source, &exports(lib))
}

#[track_caller]
fn refuses(module: &[&str], source: &str, words: &str) {
    let found = check(module, source);
    assert_eq!(found.len(), 1, "{source} gave {found:?}");
    assert!(found[0].contains(words), "{found:?}");
}

#[track_caller]
fn accepts(module: &[&str], source: &str) {
    let found = check(module, source);
    assert!(found.is_empty(), "{source} gave {found:?}");
}

#[test]
fn an_import_from_the_left_is_fine() {
    accepts(&["tally"], "use crate::lanes::Keys; use crate::{NO_SHARD, shards::{self, ShardMap}};");
    accepts(&["keys", "views"], "use super::offsets::Offsets; use crate::error::{Error, Result};");
    accepts(&["engine"], "mod chunk; use chunk::ROWS; pub(crate) fn f() { crate::tally::g() }");
    accepts(&["cli"], "use crate::Router; use clap::Parser; use std::env::var;");
}

#[test]
fn an_import_from_the_right_is_refused_however_it_is_written() {
    refuses(&["tally"], "use crate::engine::Router;", "tally:1: tally must not import");
    refuses(&["tally"], "\nuse crate::{error::Error, engine::{self as e}};", "tally:2:");
    refuses(&["tally"], "use crate::Router as R;", "from engine");
    refuses(&["tally"], "fn f() { g(vec![crate::engine::cores()]) }", "from engine");
    refuses(&["tally"], "use super::engine::*;", "from engine");
    refuses(&["tally", "hot"], "use super::super::report::Report;", "from report");
    refuses(&["tally"], "mod inner { use super::super::engine::Router; }", "from engine");
    refuses(&["limits"], "use crate::*;", "no known module");
    refuses(&["limits"], "use crate::helpers::f;", "no known module");
}

#[test]
fn the_exceptions_are_single_names() {
    accepts(&["source", "csv"], "use crate::keys::KeyColumn; use crate::tally::MISSING;");
    accepts(&["source"], "use crate::KeyColumn;");
    refuses(&["source"], "use crate::tally::{MISSING, Tally};", "`tally::Tally`");
    refuses(&["source"], "use crate::keys::Visitor;", "`keys::Visitor`");
    accepts(&["keys", "fixed"], "use crate::lanes::{Keys, Window};");
    refuses(&["keys"], "use crate::lanes::md5;", "`lanes::md5`");
}

#[test]
fn lanes_and_shards_know_only_errors() {
    accepts(&["lanes"], "use crate::error::Error;");
    refuses(&["lanes", "md5"], "use crate::keys::KeyColumn;", "lanes must not import");
    refuses(&["shards"], "use crate::lanes::Keys;", "shards must not import");
    refuses(&["shards", "range"], "use arrow::array::UInt32Array;", "arrow belongs in");
}

#[test]
fn each_foreign_crate_has_its_place() {
    accepts(&["keys"], "use arrow::array::Array;");
    accepts(&["report", "arrow"], "use arrow::record_batch::RecordBatch;");
    accepts(&["engine"], "use arrow::buffer::ScalarBuffer;");
    accepts(&["report"], "mod arrow; pub use self::arrow::tables; fn f() { arrow::tables() }");
    refuses(&["report"], "use arrow::record_batch::RecordBatch;", "arrow belongs in");
    refuses(&["engine"], "use arrow::array::StringArray;", "arrow belongs in");
    refuses(&["tally"], "use crate::arrow::array::Array;", "arrow belongs in");
    refuses(&["tally"], "fn f(x: &::arrow_array::Array) {}", "arrow belongs in");
    refuses(&["keys"], "use parquet::file::reader::FileReader;", "parquet belongs in");
    refuses(&["tally"], "fn f() { rayon::join(a, b); }", "rayon belongs in");
    refuses(&["report"], "#[derive(clap::Parser)] struct A;", "clap belongs in");
    refuses(&["engine"], "use indicatif;", "indicatif belongs in");
}

#[test]
fn unsafe_code_stays_under_lanes() {
    accepts(&["lanes", "x86"], "fn f() { unsafe { g() } }");
    refuses(&["keys"], "\n\nfn f() { unsafe { g() } }", "keys:3: `unsafe`");
    refuses(&["engine"], "unsafe impl Send for A {}", "`unsafe`");
}

#[test]
fn no_environment_variable_changes_a_result() {
    refuses(&["lanes"], "fn f() { std::env::var(\"A\"); }", "environment");
    refuses(&["engine"], "use std::env::{self, var_os};", "environment");
    accepts(&["source"], "fn f() { std::env::temp_dir(); }");
}

#[test]
fn comments_strings_and_tests_do_not_count() {
    accepts(&["keys"], "/// [`crate::engine::Router`]\nfn f() -> &'static str { \"unsafe\" }");
    accepts(&["keys"], "// use crate::engine::Router;\nconst A: char = '\"';");
    accepts(&["keys"], "#[cfg(test)] mod tests { use super::*; use crate::engine::Router; }");
    accepts(&["keys"], "#[cfg(test)] use crate::engine::Router;");
    refuses(&["keys"], "#[cfg(test)] mod tests {} use crate::Router;", "from engine");
}
