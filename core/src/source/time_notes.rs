//! What is to be said of times besides the times: the unit of numbers, and zones.

use super::TimeUnit;

/// The seconds at which the years 1990 and 2100 begin. A log of another time is unlikely, and a
/// number of seconds between them is none of milliseconds between them.
const LIKELY: std::ops::Range<i64> = 631_152_000..4_102_444_800;

impl TimeUnit {
    /// The unit in which `number` is a time of the years 1990 to 2099, if it is in any.
    ///
    /// ```
    /// use shardlane::source::TimeUnit;
    /// assert_eq!(TimeUnit::likely(1_357_017_300), Some(TimeUnit::Seconds));
    /// assert_eq!(TimeUnit::likely(1_357_017_300_000), Some(TimeUnit::Milliseconds));
    /// assert_eq!(TimeUnit::likely(20_130_101), None);
    /// ```
    pub fn likely(number: i64) -> Option<Self> {
        let units = Self::ALL.into_iter().zip([1, 1_000, 1_000_000, 1_000_000_000]);
        units
            .into_iter()
            .find(|(_, parts)| LIKELY.contains(&number.div_euclid(*parts)))
            .map(|(unit, _)| unit)
    }
}

/// What is to be said of some rows' times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeNotes {
    /// The unit of times that are numbers, if there are any.
    pub unit: Option<TimeUnit>,
    /// The first such number.
    pub first: Option<i64>,
    /// Whether that unit was not told, and follows from the size of the numbers.
    pub is_guess: bool,
    /// A number that looks like one of another unit, and that unit.
    pub unlike: Option<(i64, TimeUnit)>,
    /// Times in text with a zone or an offset.
    pub zoned: u64,
    /// Times in text without one, which are read as UTC.
    pub zoneless: u64,
}

impl TimeNotes {
    /// What is to be said of numbers of `unit`, the first of which is `first`.
    pub(super) fn of_numbers(unit: TimeUnit, is_guess: bool, first: Option<i64>) -> Self {
        let unlike = first.and_then(|first| Some((first, TimeUnit::likely(first)?)));
        let unlike = unlike.filter(|(_, likely)| *likely != unit);
        Self { unit: Some(unit), first, is_guess, unlike, ..Self::default() }
    }

    /// Goes on with what is to be said of the next rows.
    pub(crate) fn follow(&mut self, next: Self) {
        let other = next.unit.filter(|next| self.unit.is_some_and(|unit| unit != *next));
        self.unit = self.unit.or(next.unit);
        self.is_guess |= next.is_guess;
        // Where the unit was guessed part by part, the parts may differ.
        let guessed = other.and_then(|unit| Some((next.first?, unit)));
        self.first = self.first.or(next.first);
        self.unlike = self.unlike.or(next.unlike).or(guessed);
        self.zoned += next.zoned;
        self.zoneless += next.zoneless;
    }
}
