//! A day of the calendar: the date of a record, of a probe, of a catalogue.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A day, counted from 1970-01-01. Shown as `2026-11-30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// Seconds of a day.
const DAY: u64 = 86_400;

impl Day {
    /// The day of a moment, in seconds since 1970-01-01 UTC.
    #[must_use]
    pub fn of_unix(seconds: u64) -> Self {
        Self(i64::try_from(seconds / DAY).unwrap_or(i64::MAX))
    }

    /// A day of the Gregorian calendar; the parts are not checked.
    #[must_use]
    pub const fn of(year: i64, month: i64, day: i64) -> Self {
        // Years begin in March, so that the leap day is the last one.
        let shifted = if month > 2 { year } else { year - 1 };
        let (era, month_from_march) = (shifted.div_euclid(400), (month + 9) % 12);
        let year_of_era = shifted - era * 400;
        let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        Self(era * 146_097 + day_of_era - 719_468)
    }

    /// How many days later than the other; negative when earlier.
    #[must_use]
    pub const fn days_since(self, other: Self) -> i64 {
        self.0.saturating_sub(other.0)
    }

    fn parts(self) -> (i64, i64, i64) {
        let shifted = self.0.saturating_add(719_468);
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = (month_from_march + 2) % 12 + 1;
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl Serialize for Day {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Day {
    type Err = ();

    /// Exactly `YYYY-MM-DD`, a day that exists.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '-');
        let mut number = |digits: usize| -> Option<i64> {
            parts.next().filter(|p| p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
        };
        let (Some(year), Some(month), Some(day)) = (number(4), number(2), number(2)) else { return Err(()) };
        let found = Self::of(year, month, day);
        // A day that does not exist comes back as another one.
        if (1..=12).contains(&month) && found.to_string() == text { Ok(found) } else { Err(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (1_709_164_800, "2024-02-29"),
            (1_796_083_200, "2026-12-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(Day::of_unix(seconds).to_string(), text);
            assert_eq!(text.parse(), Ok(Day::of_unix(seconds)));
        }
        for bad in
            ["2026-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-11-31", "", "2026-11-30T00:00", "+026-11-30"]
        {
            assert_eq!(bad.parse::<Day>(), Err(()), "{bad}");
        }
        assert_eq!(Day::of(2026, 12, 1).days_since(Day::of(2026, 11, 30)), 1);
    }
}
