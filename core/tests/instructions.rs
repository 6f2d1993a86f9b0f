//! The AVX-512 back end is compiled into every build; here its instructions are counted, on
//! machines that cannot run it too.

#![cfg(target_arch = "x86_64")]

use shardlane::lanes::{Backend, md5};
use std::collections::BTreeMap;
use std::process::Command;

/// How often each of `names` stands in each function whose symbol has `part` in it.
fn count(part: &str, names: &[&'static str]) -> BTreeMap<String, BTreeMap<&'static str, usize>> {
    let program = std::env::current_exe().unwrap();
    let output = Command::new("objdump")
        .args(["--disassemble", "--no-show-raw-insn"])
        .arg(program)
        .output()
        .expect("objdump comes with the C compiler's binutils; on Debian: apt-get install gcc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut functions = BTreeMap::<String, BTreeMap<&str, usize>>::new();
    let mut inside = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(symbol) = line.strip_suffix(">:").and_then(|line| line.split('<').nth(1)) {
            inside = symbol.contains(part).then(|| symbol.to_owned());
        } else if let (Some(symbol), Some(instruction)) = (&inside, line.split('\t').nth(1)) {
            let name = instruction.split_whitespace().next().unwrap_or("");
            if let Some(name) = names.iter().find(|known| **known == name) {
                *functions.entry(symbol.clone()).or_default().entry(name).or_default() += 1;
            }
        }
    }
    functions
}

#[test]
fn the_avx_512_back_end_rotates_in_one_instruction_and_mixes_in_one() {
    // Calls both forms, so that the linker keeps the entry functions.
    let (mut prefixes, mut digests) = ([0; 2], [[0; 16]; 2]);
    md5::prefixes(Backend::detect(), &["a", "b"][..], 0..2, &mut prefixes);
    md5::digests(Backend::detect(), &["a", "b"][..], 0..2, &mut digests);
    assert_eq!(prefixes, digests.map(|digest| (u128::from_be_bytes(digest) >> 96) as u32));

    let functions = count("Avx512Hasher", &["vprold", "vpternlogd", "vpsrld"]);
    // Three vectors go through the 61 steps of a prefix side by side, one rotation each. F in the
    // first round and I in the last one are functions of three inputs: 16 and 13 steps.
    let (rotations, mixes) = (3 * 61, 3 * (16 + 13));
    let hashing: Vec<_> = functions
        .iter()
        .filter(|(_, counts)| counts.get("vprold").is_some_and(|&count| count >= rotations))
        .collect();
    // Short keys of four lengths, of one length and of several, short keys whole, long keys, long
    // keys whole.
    assert_eq!(hashing.len(), 11, "{functions:#?}");
    for (symbol, counts) in hashing {
        assert!(counts["vpternlogd"] >= mixes, "{symbol}: {counts:?}");
        assert_eq!(counts.get("vpsrld"), None, "{symbol}: a rotation by two shifts");
    }
}
