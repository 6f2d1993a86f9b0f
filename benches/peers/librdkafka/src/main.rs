//! Kafka partitions of whole columns, beside librdkafka's own hashes called key by key, in one run.
//!
//! usage: cargo run --release [BACKEND]     BACKEND: avx512, avx2, sse2, neon or portable

use arrow::array::StringArray;
use shardlane::lanes::Backend;
use shardlane::{KeyColumn, Partitioner, Router, RouterOptions, ShardMap};
use shardlane_benches::keys::{self, Shape};
use shardlane_benches::maps;
use shardlane_benches::pairs::{Contender, Median, measure};
use shardlane_benches::probe::Probe;
use shardlane_benches::record::Origin;
use std::hint::black_box;
use std::ptr::{null, null_mut};

use rdkafka_sys::rd_kafka_msg_partitioner_consistent;

// SAFETY: these are functions of librdkafka that read `len` bytes from `key` and keep nothing
// (rdmurmur2.h, rdfnv1a.h).
unsafe extern "C" {
    fn rd_murmur2(key: *const u8, len: usize) -> u32;
    fn rd_fnv1a(key: *const u8, len: usize) -> u32;
}

const ROWS: usize = 1 << 22;
const PIECE: usize = 1 << 16;
const ROUNDS: usize = 192;
const PARTITIONS: u32 = 100;

fn murmur2(key: &[u8]) -> u32 {
    // SAFETY: the slice has so many bytes.
    (unsafe { rd_murmur2(key.as_ptr(), key.len()) } & 0x7fff_ffff) % PARTITIONS
}

fn fnv1a(key: &[u8]) -> u32 {
    // SAFETY: the slice has so many bytes.
    (unsafe { rd_fnv1a(key.as_ptr(), key.len()) }) % PARTITIONS
}

fn crc32(key: &[u8]) -> u32 {
    let (data, len, none) = (key.as_ptr().cast(), key.len(), null_mut());
    // SAFETY: the slice has so many bytes, and the function looks at its key and count only
    // (rdkafka_msg.c). Its CRC-32 is inlined into it.
    let partition = unsafe {
        rd_kafka_msg_partitioner_consistent(null(), data, len, PARTITIONS as i32, none, none)
    };
    partition as u32
}

fn each(array: &StringArray, partition: fn(&[u8]) -> u32, out: &mut [u32]) {
    for (out, key) in out.iter_mut().zip(array.iter()) {
        *out = partition(key.unwrap_or_default().as_bytes());
    }
}

fn main() {
    let backend = match std::env::args().nth(1) {
        None => Backend::detect(),
        Some(name) => Backend::available()
            .find(|backend| backend.name() == name)
            .unwrap_or_else(|| panic!("this CPU has no back end {name}")),
    };
    let options = RouterOptions { threads: 1, backend: Some(backend) };
    let router = |map: ShardMap| Router::with_options(map, &options).expect("a router");
    let topic = |by| router(ShardMap::kafka(PARTITIONS as usize, by).expect("a topic"));
    let kafka = [
        ("java", topic(Partitioner::Java), murmur2 as fn(&[u8]) -> u32),
        ("fnv1a", topic(Partitioner::RdkafkaFnv1aRandom), fnv1a),
        ("crc32", topic(Partitioner::RdkafkaConsistent), crc32),
    ];
    let md5 = router(maps::even(1024));
    let origin = Origin::find();
    println!("{}, {}, {}", origin.cpu, origin.rustc, origin.commit);
    println!("back end {backend}, one thread, {ROUNDS} rounds of {PIECE} keys of {ROWS}\n");
    println!("{:<22} {:>10} {:>9}", "", "M keys/s", "samples");
    let mut probe = Probe::default();
    for shape in [Shape::Fixed(16), Shape::Mix, Shape::Uuid] {
        let array = keys::column(shape, ROWS, 1);
        let pieces: Vec<StringArray> =
            (0..ROWS / PIECE).map(|at| array.slice(at * PIECE, PIECE)).collect();
        let columns: Vec<KeyColumn> =
            pieces.iter().map(|piece| KeyColumn::try_new(piece).expect("keys")).collect();
        let mut names = Vec::new();
        let mut contenders = Vec::new();
        for (name, router, theirs) in &kafka {
            let (mut ours, mut expected) = (vec![0; PIECE], vec![0; PIECE]);
            router.route_into(&columns[0], None, &mut ours).expect("a place for each key");
            each(&pieces[0], *theirs, &mut expected);
            assert_eq!(ours, expected, "{name}: the partitions that librdkafka gives");
            let (columns, pieces) = (&columns, &pieces);
            names.push(format!("{name}/{shape}"));
            contenders.push(Contender::new("", move |turn| {
                let column = &columns[turn % columns.len()];
                router.route_into(column, None, &mut ours).expect("a place for each key");
                black_box(&ours);
            }));
            names.push(format!("librdkafka {name}/{shape}"));
            contenders.push(Contender::new("", move |turn| {
                each(&pieces[turn % pieces.len()], *theirs, &mut expected);
                black_box(&expected);
            }));
        }
        let (columns, md5) = (&columns, &md5);
        let mut shards = vec![0; PIECE];
        names.push(format!("md5/{shape}"));
        contenders.push(Contender::new("", move |turn| {
            md5.route_into(&columns[turn % columns.len()], None, &mut shards).expect("places");
            black_box(&shards);
        }));
        let samples = measure(&mut probe, ROUNDS, contenders);
        let floor = probe.floor();
        let medians: Vec<Median> = samples.iter().map(|samples| samples.median(floor)).collect();
        for (name, median) in names.iter().zip(&medians) {
            let rate = PIECE as f64 / median.seconds / 1e6;
            println!("{name:<22} {rate:>10.1} {median:>9}");
        }
        for at in 0..kafka.len() {
            let ratio = medians[2 * at + 1].seconds / medians[2 * at].seconds;
            println!("  {} {ratio:.2} times librdkafka", names[2 * at]);
        }
        let md5 = medians[6].seconds / medians[0].seconds;
        println!("  {} {md5:.2} times the route by MD5\n", names[0]);
    }
}
