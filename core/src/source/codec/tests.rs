use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Some text, compressed in two parts, one behind the other.
fn packed(codec: Codec, text: &[u8]) -> Vec<u8> {
    let (a, b) = text.split_at(text.len() / 2);
    let part = |text: &[u8]| match codec {
        Codec::None => text.to_vec(),
        Codec::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        Codec::Zstd => zstd::encode_all(text, 1).unwrap(),
        Codec::Snappy => {
            let mut encoder = snap::write::FrameEncoder::new(Vec::new());
            encoder.write_all(text).unwrap();
            encoder.into_inner().unwrap()
        }
    };
    [part(a), part(b)].concat()
}

fn text() -> Vec<u8> {
    (0..4000).flat_map(|i| format!("user-{},{}\n", i * 7919 % 1009, i % 97).into_bytes()).collect()
}

fn open(bytes: &[u8]) -> (Bytes, Codec, Watch) {
    unpacked(Box::new(Cursor::new(bytes.to_vec()))).unwrap()
}

const ALL: [Codec; 4] = [Codec::None, Codec::Gzip, Codec::Zstd, Codec::Snappy];

#[test]
fn every_codec_is_told_by_its_bytes_and_all_its_parts_are_read() {
    for codec in ALL {
        let bytes = packed(codec, &text());
        let (input, found, watch) = open(&bytes);
        let mut read = Vec::new();
        ahead(input, found).read_to_end(&mut read).unwrap();
        assert_eq!(found, codec);
        assert!(read == text(), "{codec}");
        assert_eq!((watch.bytes_read(), watch.damage()), (bytes.len() as u64, None), "{codec}");
    }
}

#[test]
fn a_stream_cut_short_anywhere_gives_what_came_before_and_says_so() {
    for codec in [Codec::Gzip, Codec::Zstd, Codec::Snappy] {
        let bytes = packed(codec, &text());
        let (mut last, mut whole) = (0, 0);
        for length in ENOUGH..bytes.len() {
            let (mut input, found, watch) = open(&bytes[..length]);
            assert_eq!(found, codec);
            let mut read = Vec::new();
            match input.read_to_end(&mut read) {
                // Where its first part ends, nothing tells that there was a second.
                Ok(_) => whole += 1,
                Err(_) => assert_eq!(watch.damage(), Some("ends early"), "{codec} at {length}"),
            }
            assert!(text().starts_with(&read), "{codec} at {length}");
            assert!(read.len() >= last, "{codec} at {length}: more bytes give no less text");
            last = read.len();
        }
        assert!(whole <= 4, "{codec}: {whole} of the cuts are between parts");
    }
}

/// A disk that fails behind its bytes.
struct Disk(Cursor<Vec<u8>>);
impl Read for Disk {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        match self.0.read(into)? {
            0 => Err(Error::other("the disk fell out")),
            read => Ok(read),
        }
    }
}
#[test]
fn changed_bytes_are_found_and_told_apart_from_a_disk_that_fails() {
    let mut bytes = packed(Codec::Gzip, &text());
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..middle + 64] {
        *byte ^= 0xff;
    }
    let (mut input, _, watch) = open(&bytes);
    input.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(watch.damage(), Some("is damaged"));

    let bytes = packed(Codec::Gzip, &text());
    let disk = Disk(Cursor::new(bytes[..bytes.len() / 2].to_vec()));
    let (mut input, _, watch) = unpacked(Box::new(disk)).unwrap();
    input.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(watch.damage(), None);
}

/// Text in the blocks of Hadoop: two outer ones, of two inner ones each.
fn hadoop(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for outer in text.chunks(text.len().div_ceil(2)) {
        bytes.extend((outer.len() as u32).to_be_bytes());
        for inner in outer.chunks(outer.len().div_ceil(2)) {
            let packed = snap::raw::Encoder::new().compress_vec(inner).unwrap();
            bytes.extend((packed.len() as u32).to_be_bytes());
            bytes.extend(packed);
        }
    }
    bytes
}

/// Text as snappy-java writes it.
fn xerial(text: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01".to_vec();
    for block in text.chunks(text.len().div_ceil(3)) {
        let packed = snap::raw::Encoder::new().compress_vec(block).unwrap();
        bytes.extend((packed.len() as u32).to_be_bytes());
        bytes.extend(packed);
    }
    bytes
}

#[test]
fn snappy_is_read_in_blocks_and_in_one_piece() {
    let piece = snap::raw::Encoder::new().compress_vec(&text()).unwrap();
    for bytes in [hadoop(&text()), xerial(&text()), piece] {
        let (input, found, watch) = open(&bytes);
        let mut read = Vec::new();
        ahead(input, found).read_to_end(&mut read).unwrap();
        assert_eq!(found, Codec::Snappy);
        assert!(read == text(), "the text is the same");
        assert_eq!((watch.bytes_read(), watch.damage()), (bytes.len() as u64, None));
    }
}

#[test]
fn snappy_in_blocks_that_is_cut_short_gives_what_came_before() {
    for bytes in [hadoop(&text()), xerial(&text())] {
        for length in ENOUGH..bytes.len() {
            let (mut input, found, watch) = open(&bytes[..length]);
            assert_eq!(found, Codec::Snappy);
            let mut read = Vec::new();
            let is_whole = input.read_to_end(&mut read).is_ok();
            assert!(is_whole || watch.damage() == Some("ends early"), "at {length}");
            assert!(text().starts_with(&read), "at {length}");
        }
    }
}

#[test]
fn text_of_any_kind_is_not_taken_for_snappy() {
    let mut latin = b"\xe9t\xe9,size\n".to_vec();
    latin.extend(text());
    for bytes in
        [latin, "été,größe\n".into(), "\u{feff}key\n".into(), b"\xff\xfe\xfd".to_vec(), vec![0; 20]]
    {
        let (mut input, found, _) = open(&bytes);
        let mut read = Vec::new();
        input.read_to_end(&mut read).unwrap();
        assert_eq!((found, read), (Codec::None, bytes));
    }
}
