//! Gives the shared library a SONAME, which rustc does not do.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The ABI may change until 1.0: its number is 0 until then.
    if ["linux", "android", "freebsd", "netbsd", "openbsd"].contains(&os.as_str()) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libshardlane.so.0");
    }
    if os == "macos" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libshardlane.0.dylib");
    }
}
