//! How files are to be read, where Python code tells.

use crate::errors::Result;
use shardlane::source::Layout;

/// The layout that the keywords tell.
pub(crate) fn layout(
    input_format: Option<&str>,
    delimiter: Option<&str>,
    header: bool,
    kcat_format: Option<&str>,
    key_separator: Option<&str>,
    null_key: Option<String>,
) -> Result<Layout> {
    Ok(Layout {
        format: input_format.map(str::parse).transpose()?,
        delimiter: delimiter.map(str::parse).transpose()?,
        no_header: !header,
        kcat_format: kcat_format.map(str::parse).transpose()?,
        key_separator: key_separator.map(str::parse).transpose()?,
        null_key,
    })
}
