//! How a CSV file is written: what parts its fields, and whether its first row names them.

use super::records::{Next, Records};
use crate::source::builders::Text;
use crate::source::columns::is_usual;
use crate::source::{Columns, Delimiter, Format};

/// Fields of a first row that are looked at.
const FIELDS: usize = 1 << 10;

/// How a CSV file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) struct Dialect {
    pub(in crate::source) delimiter: Delimiter,
    pub(in crate::source) has_header: bool,
}

impl Dialect {
    /// The dialect of what begins with `start`, as told or else as its first row suggests: by the
    /// delimiter that gives it a column that is named or has a usual name, or the most columns.
    pub(in crate::source) fn of(start: &[u8], columns: &Columns) -> Self {
        Self::and_names(start, columns).0
    }

    /// The same, and the fields of the first row; `None` if it is broken.
    pub(in crate::source) fn and_names(
        start: &[u8],
        columns: &Columns,
    ) -> (Self, Option<Vec<String>>) {
        let layout = &columns.layout;
        let has_header = !layout.no_header;
        let told = layout
            .delimiter
            .or_else(|| (layout.format == Some(Format::Tsv)).then_some(Delimiter::TAB));
        let delimiter = told.unwrap_or_else(|| {
            let score = |delimiter: &Delimiter| {
                let names = first_row(start, *delimiter).unwrap_or_default();
                let is_known =
                    |name: &String| columns.named().any(|named| named == name) || is_usual(name);
                (has_header && names.iter().any(is_known), names.len())
            };
            // The first one of the best.
            let usual = Delimiter::USUAL.into_iter().rev();
            usual.max_by_key(score).unwrap_or(Delimiter::COMMA)
        });
        (Self { delimiter, has_header }, first_row(start, delimiter))
    }
}

/// The fields of the first row, as text; `None` if it is broken.
fn first_row(start: &[u8], delimiter: Delimiter) -> Option<Vec<String>> {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start);
    match Records::new(start, delimiter.byte()).next(FIELDS) {
        Next::Record(row) => {
            let text = |text: Text<'_>| String::from_utf8_lossy(text.as_bytes()).into_owned();
            Some(
                (0..row.len()).map(|field| row.get(field).map_or_else(String::new, text)).collect(),
            )
        }
        Next::End => Some(Vec::new()),
        Next::Broken => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Layout;

    fn delimiter(header: &str, key: Option<&str>) -> String {
        let columns = Columns { key: key.map(str::to_owned), ..Columns::default() };
        Dialect::of(header.as_bytes(), &columns).delimiter.to_string()
    }

    #[test]
    fn the_delimiter_is_the_one_that_gives_the_header_known_names_or_the_most() {
        assert_eq!(delimiter("key,size\n", None), "commas");
        assert_eq!(delimiter("key\tsize\n", None), "tabs");
        assert_eq!(delimiter("size;the, key, of it;partition_key\n", None), "semicolons");
        assert_eq!(delimiter("user|\"a,b\"|size of it\n", None), "vertical bars");
        assert_eq!(delimiter("a;b,c\n", None), "commas", "the likelier of equals");
        assert_eq!(delimiter("a,b;user;c,d,e\n", Some("user")), "semicolons");
        assert_eq!(delimiter("user|id\n", Some("user|id")), "commas", "one column, as named");
        assert_eq!(delimiter("\u{feff}key\n", None), "commas");
    }

    #[test]
    fn what_is_told_is_not_sniffed() {
        let layout = Layout { format: Some(Format::Tsv), no_header: true, ..Layout::default() };
        let columns = Columns { layout, ..Columns::default() };
        let dialect = Dialect { delimiter: Delimiter::TAB, has_header: false };
        assert_eq!(Dialect::of(b"key,size\n", &columns), dialect);
    }
}
