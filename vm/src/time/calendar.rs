//! The proleptic Gregorian calendar: days since the epoch to dates and back.

/// A moment taken apart, in some zone.
#[derive(Clone, Copy, Debug)]
pub struct DateParts {
    /// Year.
    pub year: i64,
    /// Month from 1.
    pub month: u32,
    /// Day from 1.
    pub day: u32,
    /// Hour.
    pub hour: u32,
    /// Minute.
    pub minute: u32,
    /// Second.
    pub second: u32,
    /// Nanosecond.
    pub nanosecond: u32,
    /// Days since Sunday.
    pub weekday: u32,
    /// Day of the year from 1.
    pub yearday: u32,
    /// Seconds since the epoch.
    pub epoch: i64,
    /// Offset of the zone in seconds.
    pub offset: i32,
}

/// Days since 1970-01-01.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * shifted + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * shifted + 2) / 5 + 1) as u32;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Takes a moment (nanoseconds since the epoch) apart in a zone `offset` seconds east of UTC.
pub fn parts(nanoseconds: i128, offset: i32) -> DateParts {
    let epoch = nanoseconds.div_euclid(super::SECOND) as i64;
    let nanosecond = nanoseconds.rem_euclid(super::SECOND) as u32;
    let local = epoch + i64::from(offset);
    let days = local.div_euclid(86_400);
    let seconds = local.rem_euclid(86_400) as u32;
    let (year, month, day) = civil_from_days(days);
    DateParts {
        year,
        month,
        day,
        hour: seconds / 3600,
        minute: seconds / 60 % 60,
        second: seconds % 60,
        nanosecond,
        weekday: (days + 4).rem_euclid(7) as u32,
        yearday: (days - days_from_civil(year, 1, 1) + 1) as u32,
        epoch,
        offset,
    }
}

/// ISO 8601's week: its year and number.
pub fn iso_week(parts: &DateParts) -> (i64, u32) {
    let weekday = i64::from((parts.weekday + 6) % 7);
    let week = (i64::from(parts.yearday) - 1 - weekday + 10) / 7;
    let weeks_in = |year: i64| {
        let p = |y: i64| (y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400)).rem_euclid(7);
        if p(year) == 4 || p(year - 1) == 3 { 53 } else { 52 }
    };
    if week < 1 {
        (parts.year - 1, weeks_in(parts.year - 1) as u32)
    } else if week > weeks_in(parts.year) {
        (parts.year + 1, 1)
    } else {
        (parts.year, week as u32)
    }
}

/// Names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of the days of the week.
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
