//! The members that the first records have, as columns have names.

use super::scan::{Fault, Scan};
use super::text::unescaped;
use super::walk::{Layout, Place, Step, Walk};
use std::collections::HashSet;

/// Names that are kept: a log in which every record has members of its own has no end of them.
const NAMES: usize = 1 << 12;

/// Levels below which members are not named.
const LEVELS: usize = 6;

/// Records that are looked into.
const RECORDS: usize = 1 << 14;

/// Dotted paths, those of the outer members first, and else in order of appearance.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<(usize, String)>,
    seen: HashSet<String>,
}

impl Names {
    /// The names in the records at the start of a text; of those below the member `within` only,
    /// without its name, if one is given.
    pub(super) fn of(start: &[u8], envelope: Option<&str>, within: Option<&str>) -> Vec<String> {
        let mut names = Self::default();
        let mut walk = Walk::new(start, Layout::Stream, envelope, Place::Top);
        for _ in 0..RECORDS {
            match walk.next(|scan| names.look(scan, within, "", 0)) {
                Step::Record | Step::Broken => {}
                Step::CutShort | Step::End => break,
            }
        }
        names.names.sort_by_key(|(level, _)| *level);
        names.names.into_iter().map(|(_, name)| name).collect()
    }

    fn look(
        &mut self,
        scan: &mut Scan<'_>,
        within: Option<&str>,
        before: &str,
        level: usize,
    ) -> Result<(), Fault> {
        scan.members(|scan, name| {
            let raw = &scan.text[name.start..name.end];
            let plain = unescaped(raw).ok_or(Fault::Bad)?;
            let Ok(name) = String::from_utf8(plain) else { return scan.skip() };
            let opens = scan.next_sign()?;
            if let Some(within) = within {
                if opens == b'{' && name == within {
                    return scan.members(|scan, name| {
                        let name = String::from_utf8_lossy(&scan.text[name.start..name.end]);
                        self.add(name.into_owned(), 0);
                        scan.skip()
                    });
                }
                return scan.skip();
            }
            let name = if before.is_empty() { name } else { format!("{before}.{name}") };
            match opens {
                b'{' if level < LEVELS => self.look(scan, None, &name, level + 1),
                b'{' | b'[' => scan.skip(),
                _ => {
                    self.add(name, level);
                    scan.skip()
                }
            }
        })
    }

    fn add(&mut self, name: String, level: usize) {
        if self.names.len() < NAMES && self.seen.insert(name.clone()) {
            self.names.push((level, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_dotted_and_the_outer_ones_come_first() {
        let text = b"{\"a\":{\"b\":{\"c\":1}},\"d\":[{\"x\":1}],\"e\":null}\n{\"f\\\"\":2,\"e\":1}";
        assert_eq!(Names::of(text, None, None), ["e", "f\"", "a.b.c"]);
    }

    #[test]
    fn the_names_of_a_member_are_those_within_it() {
        let text = b"{\"Item\":{\"pk\":{\"S\":\"x\"},\"n\":{\"N\":\"1\"}}}";
        assert_eq!(Names::of(text, None, Some("Item")), ["pk", "n"]);
    }

    #[test]
    fn a_million_names_are_not_kept() {
        let lines: Vec<_> = (0..10_000).map(|i| format!("{{\"name-{i}\":1}}\n")).collect();
        assert_eq!(Names::of(lines.concat().as_bytes(), None, None).len(), NAMES);
    }
}
