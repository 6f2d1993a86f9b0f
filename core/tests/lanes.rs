//! Every back end against the reference and against another implementation, at every length.

#[path = "lanes/words.rs"]
mod words;

use md5::{Digest, Md5};
use proptest::prelude::*;
use shardlane::lanes::{Backend, Keys, Lengths, md5 as lanes, reference};

/// Keys cut from one buffer at any place, so that their surroundings are other keys' bytes.
struct Cut {
    buffer: Vec<u8>,
    spans: Vec<(usize, usize)>,
}

impl Keys for Cut {
    fn len(&self) -> usize {
        self.spans.len()
    }

    fn key_len(&self, i: usize) -> usize {
        self.spans[i].1
    }

    fn tail(&self, i: usize) -> &[u8] {
        &self.buffer[self.spans[i].0..]
    }
}

impl Cut {
    /// Keys of these lengths, one after the other, in bytes painted with a period of 251: a prime
    /// below 256, so that swapped bytes, words or blocks always show.
    fn painted(lens: impl IntoIterator<Item = usize>) -> Self {
        let mut end = 0;
        let spans: Vec<_> = lens
            .into_iter()
            .map(|len| {
                end += len;
                (end - len, len)
            })
            .collect();
        Self { buffer: (0..end).map(|i| (i % 251) as u8).collect(), spans }
    }
}

/// Checks both forms of hash of all keys on all back ends against the `md-5` crate.
fn check<K: Keys + ?Sized>(keys: &K) {
    let n = keys.len();
    let expected: Vec<[u8; 16]> = (0..n).map(|i| Md5::digest(keys.bytes(i)).into()).collect();
    let lengths = (0..n).map(|i| keys.bytes(i).len()).fold(Lengths::NONE, |found, len| Lengths {
        min: found.min.min(len),
        max: found.max.max(len),
    });
    for backend in Backend::available() {
        let mut digests = vec![[0xaa; 16]; n];
        assert_eq!(lanes::digests(backend, keys, 0..n, &mut digests), lengths, "{backend}");
        let mut prefixes = vec![0xaaaa_aaaa; n];
        assert_eq!(lanes::prefixes(backend, keys, 0..n, &mut prefixes), lengths, "{backend}");
        for i in 0..n {
            let len = keys.bytes(i).len();
            assert_eq!(digests[i], expected[i], "{backend}: digest of key {i} of {len} bytes");
            let prefix = u32::from_be_bytes(expected[i][..4].try_into().unwrap());
            assert_eq!(prefixes[i], prefix, "{backend}: prefix of key {i} of {len} bytes");
        }
    }
}

#[test]
fn the_reference_agrees_with_rfc_1321_and_with_another_implementation() {
    let suite = [
        ("", 0xd41d_8cd9_8f00_b204_e980_0998_ecf8_427e),
        ("a", 0x0cc1_75b9_c0f1_b6a8_31c3_99e2_6977_2661),
        ("abc", 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72),
        ("message digest", 0xf96b_697d_7cb7_938d_525a_2f31_aaf1_61d0),
        ("abcdefghijklmnopqrstuvwxyz", 0xc3fc_d3d7_6192_e400_7dfb_496c_ca67_e13b),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            0x57ed_f4a2_2be3_c955_ac49_da2e_2107_b67a_u128,
        ),
    ];
    for (key, hash) in suite {
        assert_eq!(reference::hash(key.as_bytes()), hash, "{key}");
    }
    let keys = Cut::painted(0..=260);
    for i in 0..keys.len() {
        let expected: [u8; 16] = Md5::digest(keys.bytes(i)).into();
        assert_eq!(reference::digest(keys.bytes(i)), expected, "{i} bytes");
    }
}

#[test]
fn every_backend_agrees_with_the_reference_at_every_length() {
    check(&Cut::painted(0..=300));
    check(&Cut::painted((0..=300).rev()));
    check(&Cut::painted([1_000, 1_024, 1_023, 65_536, 3, 64, 1_000_000, 55, 56, 119, 120]));
}

#[test]
fn every_backend_agrees_when_all_keys_have_one_length() {
    for len in (0..=130).chain([191, 192, 247, 248, 255, 256, 300]) {
        check(&Cut::painted([len; 100]));
    }
}

#[test]
fn every_backend_takes_any_number_of_keys() {
    for n in 0..=150 {
        check(&Cut::painted((0..n).map(|i| (i * 7) % 41)));
        check(&Cut::painted((0..n).map(|i| 50 + (i * 5) % 90)));
    }
}

/// A column as Arrow keeps text: keys end to end, found in one buffer.
struct EndToEnd(Cut);

impl Keys for EndToEnd {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key_len(&self, i: usize) -> usize {
        self.0.key_len(i)
    }

    fn tail(&self, i: usize) -> &[u8] {
        self.0.tail(i)
    }

    fn starts(&self, start: usize, starts: &mut [u32]) -> Option<&[u8]> {
        let first = self.0.spans.get(start)?.0;
        for (to, (from, _)) in starts.iter_mut().zip(&self.0.spans[start..]) {
            *to = (from - first) as u32;
        }
        Some(&self.0.buffer[first..])
    }
}

#[test]
fn every_backend_agrees_where_keys_are_found_together_and_where_one_by_one() {
    // More and fewer than are staged at once; with and without bytes after the last key.
    for n in [1, 24, 479, 480, 481, 959, 960, 961, 1_500] {
        for (least, range) in [(16, 1), (17, 1), (0, 16), (3, 29), (8, 33), (0, 56), (20, 100)] {
            let lens = || (0..n).map(move |i| least + (i * i * 7 + i) % range);
            check(&Cut::painted(lens()));
            check(&EndToEnd(Cut::painted(lens())));
            let mut roomy = Cut::painted(lens());
            roomy.buffer.extend([0x80; 100]);
            check(&EndToEnd(roomy));
        }
    }
}

#[test]
fn starts_that_contradict_the_keys_cannot_read_outside_the_buffer() {
    struct Wrong(Vec<u8>, u32);
    impl Keys for Wrong {
        fn len(&self) -> usize {
            100
        }
        fn key_len(&self, _: usize) -> usize {
            16
        }
        fn tail(&self, i: usize) -> &[u8] {
            &self.0[16 * i..]
        }
        fn starts(&self, _: usize, starts: &mut [u32]) -> Option<&[u8]> {
            starts.fill(0);
            starts[50] = self.1;
            Some(&self.0)
        }
    }
    for start in [0, 1_599, 1_600, 1_601, 1_000_000, u32::MAX] {
        for backend in Backend::available() {
            // What the hashes are is the liar's own concern; valgrind looks for the rest.
            lanes::prefixes(backend, &Wrong(vec![7; 1_600], start), 0..100, &mut [0; 100]);
        }
    }
}

#[test]
fn keys_without_a_byte_to_spare_are_hashed_without_reading_past_them() {
    // Each key is an allocation of its own, cut to size, which valgrind and the address sanitizer
    // guard.
    let keys: Vec<Box<[u8]>> =
        (0..500).map(|i| (0..i % 131).map(|byte| (byte * 3 + i) as u8).collect()).collect();
    check(&keys[..]);
}

#[test]
fn more_long_keys_than_are_set_aside_at_once_come_out_in_their_places() {
    check(&Cut::painted((0..3_000).map(|i| 56 + (i * 37) % 400)));
    check(&Cut::painted((0..3_000).map(|i| if i % 3 == 0 { 5 } else { 56 + (i * 37) % 400 })));
}

#[test]
fn a_range_hashes_the_keys_of_that_range_only() {
    let keys = Cut::painted((0..200).map(|i| i % 70));
    for backend in Backend::available() {
        let mut all = vec![0; 200];
        lanes::prefixes(backend, &keys, 0..200, &mut all);
        let mut some = vec![0; 90];
        lanes::prefixes(backend, &keys, 77..167, &mut some);
        assert_eq!(some, all[77..167], "{backend}");
    }
}

#[test]
#[should_panic(expected = "one output place for each key")]
fn an_output_of_another_length_is_refused() {
    lanes::prefixes(Backend::detect(), &["a", "b"][..], 0..2, &mut [0; 3]);
}

proptest! {
    #[test]
    fn every_backend_agrees_on_any_keys(
        keys in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..120),
    ) {
        check(&keys[..]);
    }

    #[test]
    fn what_lies_around_a_key_does_not_matter(
        buffer in prop::collection::vec(any::<u8>(), 1..2_000),
        spans in prop::collection::vec((any::<prop::sample::Index>(), 0usize..150), 1..100),
    ) {
        let spans = spans
            .into_iter()
            .map(|(at, len)| {
                let start = at.index(buffer.len());
                (start, len.min(buffer.len() - start))
            })
            .collect();
        check(&Cut { buffer, spans });
    }
}
