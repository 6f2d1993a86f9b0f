//! How uneven a key makes places, whatever their number: the fullest of 8, 32, 128 or 512 places,
//! over many placements of the same keys.

use super::json::pretty;
use super::number::{grouped, percent, plural, times};
use super::printable::printable;
use super::table::{Column, lines};
use crate::tally::HotKey;
use serde::Serialize;
use std::fmt::Write;

/// One number of places.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Fullest {
    /// How many places.
    pub places: usize,
    /// The share that each would have if all were even.
    pub even: f64,
    /// The share of the fullest, in the middle of all placements.
    pub median: f64,
    /// The share of the fullest that all but one placement in twenty stay below.
    pub p95: f64,
    /// The share of the fullest in the placement of seed 0.
    pub seed_0: f64,
}

impl Fullest {
    /// How many times the even share the fullest place holds, in the middle of all placements.
    pub fn times_even(&self) -> f64 {
        self.median / self.even
    }

    /// The rate of the whole at which the fullest place meets `limit`, in the middle of all
    /// placements.
    ///
    /// ```
    /// use shardlane::report::Fullest;
    /// let fullest =
    ///     Fullest { places: 512, even: 1.0 / 512.0, median: 0.051, p95: 0.051, seed_0: 0.051 };
    /// assert_eq!(fullest.throttles_at(3_000.0).round(), 58_824.0);
    /// ```
    pub fn throttles_at(&self, limit: f64) -> f64 {
        limit / self.median
    }
}

/// The skew of a log's keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Skew {
    /// Records, after weights.
    pub records: u64,
    /// Rows that could not be used.
    pub rejected: u64,
    /// How many placements were simulated.
    pub seeds: u32,
    /// Each number of places.
    pub fullest: Vec<Fullest>,
    /// The hottest key, if hot keys were counted and there is any.
    pub top: Option<HotKey>,
}

#[derive(Serialize)]
struct Document<'a> {
    records: u64,
    rejected: u64,
    seeds: u32,
    floor: Option<f64>,
    top_key: Option<String>,
    fullest: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    fullest: &'a Fullest,
    times_even: f64,
}

impl Skew {
    /// The share of the hottest key: however many places there are, one of them holds as much.
    pub fn floor(&self) -> Option<f64> {
        let top = self.top.as_ref()?;
        (self.records > 0).then(|| top.records as f64 / self.records as f64)
    }

    /// The skew as text for a screen of 100 columns.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{}; the fullest place over {} of the same keys (simulated)\n\n",
            plural(self.records, "record"),
            plural(self.seeds.into(), "placement"),
        );
        let cells =
            |of: &dyn Fn(&Fullest) -> String| self.fullest.iter().map(of).collect::<Vec<_>>();
        let shares: Vec<f64> = self.fullest.iter().map(|fullest| fullest.median).collect();
        let table = lines(&[
            Column::right(["", "places"], cells(&|of| grouped(of.places as u64))),
            Column::right(["", "even"], cells(&|of| precise(of.even))),
            Column::right(["fullest,", "median"], cells(&|of| precise(of.median))),
            Column::bars(&shares),
            Column::right(["", "p95"], cells(&|of| precise(of.p95))),
            Column::right(["times", "even"], cells(&|of| times(of.times_even()))),
        ]);
        for line in table {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        if let (Some(top), Some(floor)) = (&self.top, self.floor()) {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "\nThe hottest key, {}, has {} of all records: no number of places brings the \
                 fullest below that.",
                printable(&top.key),
                precise(floor)
            );
        }
        if self.rejected > 0 {
            let _ = writeln!(text, "{} could not be used", plural(self.rejected, "row"));
        }
        text
    }

    /// The skew as JSON: `records`, `rejected`, `seeds`, `floor` (the hottest key's share),
    /// `top_key`, and `fullest`, each with `places`, `even`, `median`, `p95`, `seed_0`,
    /// `times_even`.
    pub fn to_json(&self) -> String {
        pretty(&Document {
            records: self.records,
            rejected: self.rejected,
            seeds: self.seeds,
            floor: self.floor(),
            top_key: self.top.as_ref().map(|top| printable(&top.key)),
            fullest: self
                .fullest
                .iter()
                .map(|fullest| Row { fullest, times_even: fullest.times_even() })
                .collect(),
        })
    }

    /// The skew as CSV with a head line.
    pub fn to_csv(&self) -> String {
        let mut text = "places,even,median,p95,seed_0,times_even\n".to_owned();
        for of in &self.fullest {
            let Fullest { places, even, median, p95, seed_0 } = of;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{places},{even},{median},{p95},{seed_0},{}", of.times_even());
        }
        text
    }
}

/// A share with two places behind the point, as skews are told; with one if it is large.
fn precise(share: f64) -> String {
    if share < 0.9995 { format!("{:.2}%", 100.0 * share) } else { percent(share) }
}
