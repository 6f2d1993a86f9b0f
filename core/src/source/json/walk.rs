//! Where the records of a JSON text lie: one a line, one behind the other without anything between
//! them, in one array, or in an array that is a member of an object, as in the answers of services.
//!
//! A text is walked twice if its records are not lines: once to cut it where a record ends, and
//! once to read it. Both find the same records, since both are this walk.

use super::scan::{Fault, Scan};
use memchr::{memchr, memchr_iter};

/// How the records of a text lie in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Each on its own line, so that a broken one ends at its line's end.
    Lines,
    /// In any other way.
    Stream,
}

/// What the text is in the middle of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// Nothing.
    #[default]
    Top,
    /// An array of records.
    Array,
    /// The array of records that is a member of an object.
    Envelope,
    /// That object, behind its array of records.
    Tail,
}

/// What a walk came upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Record,
    /// Something that is no record; it has been passed over.
    Broken,
    /// The end of the text, inside a record.
    CutShort,
    End,
}

/// A walk over the records of a text.
#[derive(Debug, Clone)]
pub(super) struct Walk<'a> {
    scan: Scan<'a>,
    layout: Layout,
    /// The name of the member that holds the records, if one does.
    envelope: Option<&'a str>,
    place: Place,
    /// Whether something broken was passed over, so that the place may be another one.
    lost: bool,
    /// Objects entered so far.
    pub(super) envelopes: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        text: &'a [u8],
        layout: Layout,
        envelope: Option<&'a str>,
        place: Place,
    ) -> Self {
        Self { scan: Scan::new(text, 0), layout, envelope, place, lost: false, envelopes: 0 }
    }

    /// Where the walk is, between records.
    pub(super) fn position(&self) -> (usize, Place) {
        (self.scan.at, self.place)
    }

    /// The next record: `record` takes it, its brace being next.
    #[inline]
    pub(super) fn next(
        &mut self,
        mut record: impl FnMut(&mut Scan<'a>) -> Result<(), Fault>,
    ) -> Step {
        loop {
            let Some(sign) = self.pass_separators() else { return Step::End };
            let start = self.scan.at;
            let taken = match (self.place, sign) {
                (place, b'{') if place != Place::Tail => {
                    let may_hold = place == Place::Top || self.lost;
                    if may_hold && let Some(name) = self.envelope {
                        self.enter(name, start, &mut record)
                    } else {
                        record(&mut self.scan).map(|()| true)
                    }
                }
                (Place::Top, b'[') => Ok(self.go(Place::Array)),
                (Place::Array, b']') | (Place::Tail, b'}') => Ok(self.go(Place::Top)),
                (Place::Envelope, b']') => Ok(self.go(Place::Tail)),
                (Place::Tail, b'"') => {
                    self.scan.name().and_then(|_| self.scan.value()).map(|_| false)
                }
                _ => Err(Fault::Bad),
            };
            match taken {
                Ok(true) => return Step::Record,
                Ok(false) => {}
                Err(fault) => return self.recover(start, fault),
            }
        }
    }

    /// Passes over what may stand between records, and gives the byte behind it.
    #[inline(always)]
    fn pass_separators(&mut self) -> Option<u8> {
        loop {
            match self.scan.peek()? {
                // The last one begins each record of a JSON text sequence.
                b' ' | b'\n' | b'\r' | b'\t' | b',' | 0x1e => self.scan.at += 1,
                sign => return Some(sign),
            }
        }
    }

    /// Goes on in `place`; this is no record.
    fn go(&mut self, place: Place) -> bool {
        self.scan.at += 1;
        self.place = place;
        self.lost = false;
        false
    }

    /// Enters the object here if it has the member `name` with an array, and takes it as a record
    /// if not.
    fn enter(
        &mut self,
        name: &str,
        start: usize,
        record: &mut impl FnMut(&mut Scan<'a>) -> Result<(), Fault>,
    ) -> Result<bool, Fault> {
        self.scan.at += 1;
        if self.scan.next_sign()? != b'}' {
            loop {
                let found = self.scan.name()?;
                let is_array = self.scan.next_sign()? == b'[';
                if is_array && self.scan.between(found.start..found.end) == name.as_bytes() {
                    self.envelopes += 1;
                    return Ok(self.go(Place::Envelope));
                }
                self.scan.skip()?;
                match self.scan.next_sign()? {
                    b',' => self.scan.at += 1,
                    b'}' => break,
                    _ => return Err(Fault::Bad),
                }
            }
        }
        self.scan.at = start;
        record(&mut self.scan).map(|()| true)
    }

    /// Goes on behind what cannot be read, which began at `start`.
    #[cold]
    fn recover(&mut self, start: usize, fault: Fault) -> Step {
        let text = self.scan.text;
        let found = match self.layout {
            Layout::Lines => memchr(b'\n', &text[start..]).map(|at| start + at + 1),
            Layout::Stream if fault == Fault::End => None,
            Layout::Stream => next_record(text, self.scan.at.max(start + 1)),
        };
        if self.layout == Layout::Lines {
            self.place = Place::Top;
        }
        self.lost = true;
        if let Some(at) = found {
            self.scan.at = at;
            return Step::Broken;
        }
        self.scan.at = start;
        Step::CutShort
    }
}

/// Where a record seems to begin: at a brace behind another, a comma, a bracket or a line break.
fn next_record(text: &[u8], from: usize) -> Option<usize> {
    memchr_iter(b'{', text.get(from..)?).map(|at| from + at).find(|&at| {
        let before = text[..at].iter().rev();
        let mut before = before.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        matches!(before.next(), None | Some(b'}' | b',' | b'[' | b'\n' | 0x1e))
    })
}

/// Where the last record of `text` ends that is there as a whole, and what place that is.
pub(super) fn last_end(
    text: &[u8],
    layout: Layout,
    envelope: Option<&str>,
    place: Place,
) -> (usize, Place) {
    let mut walk = Walk::new(text, layout, envelope, place);
    loop {
        match walk.next(Scan::skip) {
            Step::Record | Step::Broken => {}
            Step::CutShort | Step::End => return walk.position(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The records of a text, and how many things in it are none.
    fn walked(text: &str, layout: Layout, envelope: Option<&str>) -> (Vec<String>, usize) {
        let mut walk = Walk::new(text.as_bytes(), layout, envelope, Place::Top);
        let (mut records, mut broken) = (Vec::new(), 0);
        loop {
            let step = walk.next(|scan| {
                let start = scan.at;
                scan.skip()?;
                records.push(text[start..scan.at].to_owned());
                Ok(())
            });
            match step {
                Step::Record => {}
                Step::Broken => broken += 1,
                Step::CutShort => return (records, broken + 1),
                Step::End => return (records, broken),
            }
        }
    }

    fn stream(text: &str) -> (Vec<String>, usize) {
        walked(text, Layout::Stream, None)
    }

    #[test]
    fn records_come_from_lines_arrays_and_from_nothing_between_them() {
        let both = || vec!["{\"a\":1}".to_owned(), "{\"a\":{\"b\":[2]}}".to_owned()];
        for text in [
            "{\"a\":1}{\"a\":{\"b\":[2]}}",
            "[{\"a\":1},{\"a\":{\"b\":[2]}}]",
            "[\n  {\"a\":1},\n  {\"a\":{\"b\":[2]}}\n]\n",
            "{\"a\":1}\n{\"a\":{\"b\":[2]}}\r\n",
            "{\"a\":1},\n{\"a\":{\"b\":[2]}},\n",
            "\u{1e}{\"a\":1}\n\u{1e}{\"a\":{\"b\":[2]}}\n",
            "[{\"a\":1}][][{\"a\":{\"b\":[2]}}]",
        ] {
            assert_eq!(stream(text), (both(), 0), "{text}");
            assert_eq!(walked(text, Layout::Lines, None), (both(), 0), "{text}");
        }
    }

    #[test]
    fn records_come_from_the_answers_of_services_one_behind_the_other() {
        let text = "{\"Next\":[{}],\"Records\":[{\"a\":1},{\"a\":2}],\"x\":{\"y\":1}}\n\
                    {\"Records\":[],\"x\":null}{\"b\":3}{\"Records\": [ {\"a\":4} ] }";
        let records = ["{\"a\":1}", "{\"a\":2}", "{\"b\":3}", "{\"a\":4}"].map(str::to_owned);
        assert_eq!(walked(text, Layout::Stream, Some("Records")), (records.to_vec(), 0));
    }

    #[test]
    fn a_broken_line_costs_no_other() {
        let text = "{\"a\":1}\n{\"a\":\n{\"a\":2}\nnot json\n{\"a\":\"x\n\n{\"a\":3}\n{\"a\"";
        let records = ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"].map(str::to_owned);
        assert_eq!(walked(text, Layout::Lines, None), (records.to_vec(), 4));
    }

    #[test]
    fn a_broken_record_of_a_stream_costs_no_other() {
        let good = vec!["{\"a\":1}".to_owned(), "{\"a\":2}".to_owned()];
        assert_eq!(stream("{\"a\":1}garbage{\"b\":1}{\"a\":2}"), (good.clone(), 1));
        assert_eq!(stream("[{\"a\":1},{\"b\" 1},{\"a\":2}]"), (good.clone(), 1));
        assert_eq!(stream("[{\"a\":1},\n{\"a\":2},\n{\n\"a\":\n"), (good.clone(), 1));
        let text = "{\"Records\":[{\"a\":1},{\"b\":]}\n{\"Records\":[{\"a\":2}]}";
        assert_eq!(walked(text, Layout::Stream, Some("Records")), (good, 1));
    }

    proptest! {
        #[test]
        fn a_text_that_is_cut_gives_the_records_of_the_whole(
            text in r#"([\[\]{},\n ]|"a":|"b"|1|\{"a":1\}|\{"R":\[){0,30}"#,
            first in 0usize..80,
            lines: bool,
        ) {
            let layout = if lines { Layout::Lines } else { Layout::Stream };
            let whole = walked(&text, layout, Some("R"));
            let start = &text[..first.min(text.len())];
            let (end, place) = last_end(start.as_bytes(), layout, Some("R"), Place::Top);
            prop_assert!(end <= start.len());
            let (before, _) = walked(&text[..end], layout, Some("R"));
            prop_assert!(whole.0.starts_with(&before));
            let rest = last_end(&text.as_bytes()[end..], layout, Some("R"), place);
            prop_assert!(rest.0 <= text.len() - end);
        }
    }
}
