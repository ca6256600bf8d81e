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
    // gold and mold read no such scripts; and a program that counts for a profile is linked by lld itself, which takes no words for compilers.
    let flags = given("CARGO_ENCODED_RUSTFLAGS");
    let reads_scripts = !["gold", "mold", "profile-generate"].iter().any(|flag| flags.contains(flag));
    if profile.is_some_and(|name| name == "dist") && given("CARGO_CFG_TARGET_OS") == "linux" && reads_scripts
    {
        let mut script = format!("{}/{SCRIPT}", given("CARGO_MANIFEST_DIR"));
        if given("CARGO_CFG_TARGET_ENV") == "musl" {
            // Zig's musl has no section before the code that all other systems' programs have, and is linked by lld, which has this one there.
            let text = std::fs::read_to_string(&script).expect("packaging/order.ld can be read");
            script = format!("{out}/order.ld");
            std::fs::write(&script, text.replace("INSERT BEFORE .init;", "INSERT AFTER .eh_frame;"))
                .expect("the folder for what is built can be written");
        }
        println!("cargo::rustc-link-arg-bin=bunraku=-Wl,-T,{script}");
    }
}
