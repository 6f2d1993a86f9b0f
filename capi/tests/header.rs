//! The committed header is the one that the sources give.
//!
//! `SHARDLANE_BLESS=1`, or `make header`, rewrites it.

use std::fs;
use std::path::Path;

/// The header as the sources have it now.
fn generated(crate_folder: &Path) -> String {
    let mut config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).unwrap();
    let part = |name: &str, value: &str| format!("#define SHARDLANE_VERSION_{name} {value}\n");
    let defines = format!(
        "\n#define SHARDLANE_VERSION \"{}\"\n{}{}{}",
        env!("CARGO_PKG_VERSION"),
        part("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        part("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        part("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    );
    config.after_includes = Some(defines);
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_crate(crate_folder)
        .with_config(config)
        .generate()
        .expect("cbindgen understands capi/src")
        .write(&mut header);
    String::from_utf8(header).unwrap()
}

#[test]
fn the_committed_header_is_the_generated_one() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = crate_folder.join("include/shardlane.h");
    let generated = generated(crate_folder);
    assert!(generated.contains("shardlane_version(void)"), "cbindgen found the functions");
    if std::env::var_os("SHARDLANE_BLESS").is_some() {
        fs::write(&path, &generated).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "capi/include/shardlane.h is not what capi/src gives; type `make header` and commit it\n\
         --- committed\n{committed}\n--- generated\n{generated}"
    );
}
