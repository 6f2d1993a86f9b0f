//! A tally as bytes, to be kept, or carried to where it is merged.
//!
//! | part | form |
//! | --- | --- |
//! | magic | `shardtly`, then the version of this format, 2, in one byte |
//! | map | system and its rules; see [`map`] |
//! | options | window in milliseconds, top, whether sizes include the key |
//! | totals | records and bytes of each open shard, then of the records without a shard of their own if the system spreads such |
//! | others | reasons for rejection in order of name, each with its rows; rows held against the shard that the log names, and those that agree |
//! | times | 0, or 1 with the earliest and the latest as 8 bytes each |
//! | cells | of shards, and as if of one more of the records without a shard; their number; each: windows since the cell before, shards since the one before in the same window, records, bytes |
//! | hot keys | if top is not 0: strayed; of keys without an entry: highest, forgotten, passed, number of bounds, each bound; number of keys; each in order of key and shard: key, shard, 4 bytes of hash, records, bytes, missed; if there are bounds, of each shard 0, or 1 and its registers of distinct keys |
//! | units | for `DynamoDB` only: the usual operation, and two whole tallies whose bytes are half read units and half write units |
//! | carried | 0, or 1 and the whole tally of the records that travel within others |
//! | checksum | the MD5 of all of the above |
//!
//! Numbers are LEB128 varints in their shortest form, fixed widths are little-endian, text and
//! keys follow their length. Every tally has one form only.

mod map;
mod wire;

use super::hot::{Absent, HOT_KEY_CAPACITY, HotKeys, Sketch};
use super::{Agreement, Cell, Counters, Tally, TallyOptions, Totals};
use crate::error::{Error, Result};
use crate::lanes::reference;
use crate::shards::{Operation, Refusal};
use std::time::Duration;
use wire::{Reader, Writer, corrupt};

const MAGIC: &[u8; 8] = b"shardtly";

/// The version that is written, and the only one that is read.
const VERSION: u8 = 2;

/// Bytes of the checksum.
const CHECKSUM: usize = 16;

impl Tally {
    /// The tally as bytes that [`from_bytes`](Self::from_bytes) reads, on any machine; the map and
    /// the options are among them.
    ///
    /// The same content gives the same bytes, whatever the order in which rows were added and
    /// parts merged, as long as the hot keys are exact ([`hot_key_error`](Self::hot_key_error) is
    /// 0). Once keys had to be forgotten, which ones depends on that order; all else still does not.
    ///
    /// ```
    /// use shardlane::{EvenRule, ShardMap, Tally, TallyOptions};
    /// let tally = Tally::new(ShardMap::kinesis(4, EvenRule::FixedStep)?, TallyOptions::default())?;
    /// let again = Tally::from_bytes(&tally.to_bytes())?;
    /// assert_eq!(again.map(), tally.map());
    /// # Ok::<(), shardlane::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.raw(MAGIC);
        out.raw(&[VERSION]);
        map::write(&mut out, &self.map);
        // A window that a tally has is a whole number of them, and within 64 bits.
        out.number(u64::try_from(self.options.window.as_millis()).unwrap_or(u64::MAX));
        out.number(self.options.top as u64);
        out.flag(self.options.size_includes_key);
        for totals in self.places() {
            write_totals(&mut out, *totals);
        }
        self.write_rejected(&mut out);
        out.flag(self.windows.seen().is_some());
        if let Some((first, last)) = self.windows.seen() {
            out.raw(&first.to_le_bytes());
            out.raw(&last.to_le_bytes());
        }
        write_cells(&mut out, self.place_cells().collect());
        if let Some(hot) = &self.hot {
            write_hot(&mut out, hot);
        }
        if let Some(units) = &self.units {
            out.text(self.options.operation.name().as_bytes());
            out.text(&units.reads.to_bytes());
            out.text(&units.writes.to_bytes());
        }
        out.flag(self.carried.is_some());
        if let Some(carried) = &self.carried {
            out.text(&carried.to_bytes());
        }
        let checksum = reference::digest(out.bytes());
        out.raw(&checksum);
        out.into_bytes()
    }

    /// The tally that [`to_bytes`](Self::to_bytes) gave as `bytes`.
    ///
    /// # Errors
    /// `CorruptTally` if they are not a tally, not a whole one, of another version of the format,
    /// or contradict themselves. They are checked before memory is taken for what they say.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(content(bytes)?);
        let tally = Self::read(&mut reader, true)?;
        reader.finish()?;
        Ok(tally)
    }

    /// Reads a tally; one that is `whole` may have others as parts, which those do not.
    fn read(reader: &mut Reader<'_>, whole: bool) -> Result<Self> {
        let map = map::read(reader)?;
        let options = TallyOptions {
            window: Duration::from_millis(reader.number()?),
            top: usize::try_from(reader.number()?).map_err(|_| corrupt("top is too large"))?,
            size_includes_key: reader.flag()?,
            operation: Operation::default(),
        };
        let mut tally =
            if whole { Self::new(map, options) } else { Self::plain(map.into(), options) }
                .map_err(|error| corrupt(error.message()))?;
        let places = tally.places().len();
        let totals = (0..places).map(|_| read_totals(reader)).collect::<Result<Vec<_>>>()?;
        tally.read_rejected(reader)?;
        if reader.flag()? {
            let (first, last) =
                (i64::from_le_bytes(reader.array()?), i64::from_le_bytes(reader.array()?));
            if first > last {
                return Err(corrupt("the earliest time is after the latest"));
            }
            tally.windows.see(first, last);
        }
        tally.read_cells(reader, &totals)?;
        tally.counters = Counters::from_totals(totals);
        let shards = tally.map.len();
        if let Some(hot) = &mut tally.hot {
            *hot = read_hot(reader, shards)?;
        }
        tally.read_units(reader)?;
        tally.read_carried(reader, whole)?;
        Ok(tally)
    }

    fn read_units(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let Some(units) = &mut self.units else { return Ok(()) };
        let name = reader.name()?;
        let operation = Operation::ALL.into_iter().find(|operation| operation.name() == name);
        self.options.operation = operation.ok_or_else(|| corrupt("it is of no operation"))?;
        for part in [&mut units.reads, &mut units.writes] {
            *part = read_part(reader, part)?;
        }
        Ok(())
    }

    fn read_carried(&mut self, reader: &mut Reader<'_>, whole: bool) -> Result<()> {
        if !reader.flag()? {
            return Ok(());
        }
        let carried = read_part(reader, &self.of_carried()?)?;
        let more = |(carried, all): (&Totals, &Totals)| carried.records > all.records;
        if !whole || carried.places().iter().zip(self.places()).any(more) {
            return Err(corrupt("more records travel within others than there are"));
        }
        self.carried = Some(Box::new(carried));
        Ok(())
    }

    fn write_rejected(&self, out: &mut Writer) {
        let mut rejected: Vec<_> = self.rejected().map(|(why, rows)| (why.name(), rows)).collect();
        rejected.sort_unstable();
        out.number(rejected.len() as u64);
        for (name, rows) in rejected {
            out.text(name.as_bytes());
            out.number(rows);
        }
        out.number(self.agreement.compared);
        out.number(self.agreement.agreed);
    }

    fn read_rejected(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let mut last = "";
        for _ in 0..reader.count(2)? {
            let name = reader.name()?;
            let reason = Refusal::ALL.into_iter().find(|reason| reason.name() == name);
            let (Some(reason), true) = (reason, last < name) else {
                return Err(corrupt(format!(
                    "the reasons for rejection go from {last:?} to {name:?}"
                )));
            };
            self.reject(reason, reader.positive()?);
            last = name;
        }
        let (compared, agreed) = (reader.number()?, reader.number()?);
        if agreed > compared {
            return Err(corrupt("more rows agree than were compared"));
        }
        self.observe(Agreement { compared, agreed });
        Ok(())
    }

    fn read_cells(&mut self, reader: &mut Reader<'_>, totals: &[Totals]) -> Result<()> {
        let mut sums = vec![Totals::default(); totals.len()];
        let mut last: Option<Cell> = None;
        for _ in 0..reader.count(4)? {
            let step = reader.number()?;
            let shard = reader.number()?;
            let (window, shard) = match last {
                None => (Some(i64::from_le_bytes(step.to_le_bytes())), Some(shard)),
                Some(last) if step == 0 => {
                    (Some(last.window), shard.checked_add(u64::from(last.shard) + 1))
                }
                Some(last) => (last.window.checked_add_unsigned(step), Some(shard)),
            };
            let shard = shard.and_then(|shard| u32::try_from(shard).ok());
            let sum = shard.and_then(|shard| sums.get_mut(shard as usize));
            let (Some(window), Some(shard), Some(sum)) = (window, shard, sum) else {
                return Err(corrupt("a cell lies outside the map or outside time"));
            };
            let Totals { records, bytes } = read_totals(reader)?;
            if records == 0 {
                return Err(corrupt("a cell is empty"));
            }
            sum.add(Totals { records, bytes });
            let cell = Cell { window, shard, records, bytes };
            self.cells.push(cell);
            last = Some(cell);
        }
        let more = |(sum, total): (&Totals, &Totals)| {
            sum.records > total.records || sum.bytes > total.bytes
        };
        if sums.iter().zip(totals).any(more) {
            return Err(corrupt("the cells of a shard hold more than the shard"));
        }
        Ok(())
    }
}

/// Reads a tally that is a part of another, with the map and the options of `like`.
fn read_part(reader: &mut Reader<'_>, like: &Tally) -> Result<Tally> {
    let mut within = Reader::new(content(reader.text()?)?);
    let part = Tally::read(&mut within, false)?;
    within.finish()?;
    if part.map != like.map || part.options != like.options {
        return Err(corrupt("a part of it is not of the same map and options"));
    }
    Ok(part)
}

/// What lies between the magic and the checksum, after a look at both.
fn content(bytes: &[u8]) -> Result<&[u8]> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(Error::corrupt(format!(
            "these {} bytes are not a tally: a tally begins with \"shardtly\"; give what to_bytes \
             gave",
            bytes.len()
        )));
    };
    match rest.first() {
        Some(&VERSION) => {}
        Some(version) => {
            return Err(Error::corrupt(format!(
                "this tally is in version {version} of its format, and only version {VERSION} can \
                 be read here; read it with the version of shardlane that wrote it"
            )));
        }
        None => return Err(wire::cut_short()),
    }
    let end = bytes.len().checked_sub(CHECKSUM).filter(|&end| end > MAGIC.len());
    let (content, checksum) = bytes.split_at(end.ok_or_else(wire::cut_short)?);
    if reference::digest(content) != checksum {
        return Err(Error::corrupt(
            "this tally is damaged or cut short: its checksum is not that of its content; copy or \
             make it again",
        ));
    }
    Ok(&content[MAGIC.len() + 1..])
}

fn write_totals(out: &mut Writer, totals: Totals) {
    out.number(totals.records);
    out.number(totals.bytes);
}

fn read_totals(reader: &mut Reader<'_>) -> Result<Totals> {
    Ok(Totals { records: reader.number()?, bytes: reader.number()? })
}

fn write_cells(out: &mut Writer, cells: Vec<Cell>) {
    out.number(cells.len() as u64);
    let mut last: Option<Cell> = None;
    for cell in cells {
        let (step, shard) = match last {
            None => (cell.window as u64, cell.shard),
            Some(last) if last.window == cell.window => (0, cell.shard - last.shard - 1),
            Some(last) => (cell.window.wrapping_sub(last.window) as u64, cell.shard),
        };
        out.number(step);
        out.number(shard.into());
        write_totals(out, Totals { records: cell.records, bytes: cell.bytes });
        last = Some(cell);
    }
}

fn write_hot(out: &mut Writer, hot: &HotKeys) {
    out.number(hot.strayed());
    let (numbers, bounds) = hot.absent().parts();
    for number in numbers {
        out.number(number);
    }
    out.number(bounds.len() as u64);
    for bound in bounds {
        out.number((*bound).into());
    }
    let entries = hot.in_order();
    out.number(entries.len() as u64);
    for (key, entry) in entries {
        out.text(key);
        out.number(entry.shard.into());
        out.raw(&entry.prefix.to_le_bytes());
        write_totals(out, entry.load);
        out.number(entry.missed);
    }
    if let Some(sketch) = hot.sketch() {
        for registers in sketch.rows() {
            let is_used = registers.iter().any(|register| *register > 0);
            out.flag(is_used);
            if is_used {
                out.raw(registers);
            }
        }
    }
}

fn read_sketch(reader: &mut Reader<'_>, shards: usize) -> Result<Sketch> {
    let mut sketch = Sketch::new(shards);
    for shard in 0..shards {
        if reader.flag()? {
            let registers = reader.bytes(sketch.row_len())?;
            if !sketch.restore(shard, registers) {
                return Err(corrupt("registers of distinct keys are out of bounds"));
            }
        }
    }
    Ok(sketch)
}

fn read_hot(reader: &mut Reader<'_>, shards: usize) -> Result<HotKeys> {
    let strayed = reader.number()?;
    let numbers = [reader.number()?, reader.number()?, reader.number()?];
    let mut bounds = Vec::new();
    for _ in 0..reader.count(1)? {
        let bound = u32::try_from(reader.number()?);
        bounds.push(bound.map_err(|_| corrupt("a bound of keys without an entry is too large"))?);
    }
    let absent = Absent::of_parts(numbers, bounds)
        .ok_or_else(|| corrupt("the bounds of keys without an entry contradict each other"))?;
    let mut hot = HotKeys::with_errors(absent, strayed);
    let mut last = None;
    let count = reader.count(9)?;
    if count > HOT_KEY_CAPACITY {
        return Err(corrupt("there are more hot keys than a tally holds"));
    }
    for _ in 0..count {
        let key = reader.text()?;
        let shard = u32::try_from(reader.number()?).ok();
        let shard = shard.filter(|&shard| (shard as usize) < shards);
        let shard = shard.ok_or_else(|| corrupt("a hot key lies outside the map"))?;
        let prefix = u32::from_le_bytes(reader.array()?);
        let load = read_totals(reader)?;
        let missed = reader.number()?;
        let rising = last.is_none_or(|last| last < (key, shard));
        if !rising || !hot.restore(key, prefix, shard, load, missed) {
            return Err(corrupt("the hot keys are out of order or out of bounds"));
        }
        last = Some((key, shard));
    }
    if !hot.absent().is_empty() {
        let sketch = read_sketch(reader, shards)?;
        if !hot.restore_sketch(sketch) {
            return Err(corrupt("a hot key is not among the distinct ones"));
        }
    }
    Ok(hot)
}
