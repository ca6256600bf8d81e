//! Tells the linker of the released program which functions to put side by side: see `packaging/order.ld`. Nothing else depends on it;
//! programs of other profiles, or of other systems, are linked as ever.

use std::path::Path;

fn main() {
    const SCRIPT: &str = "packaging/order.ld";
    println!("cargo::rerun-if-changed={SCRIPT}");
    println!("cargo::rerun-if-changed=build.rs");
    let given = |name: &str| std::env::var(name).unwrap_or_default();
    // A folder of the profile, `build` and one of the package lie around it.
    let out = given("OUT_DIR");
    let profile = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    // gold and mold read no such scripts.
    let flags = given("CARGO_ENCODED_RUSTFLAGS");
    let reads_scripts = !flags.contains("gold") && !flags.contains("mold");
    if profile.is_some_and(|name| name == "dist") && given("CARGO_CFG_TARGET_OS") == "linux" && reads_scripts
    {
        println!("cargo::rustc-link-arg-bin=bunraku=-Wl,-T,{}/{SCRIPT}", given("CARGO_MANIFEST_DIR"));
    }
}
