//! Moments, in seconds since 1970, as certificates, inventories and statuses have them.

use crate::fault::Fault;
use der::DateTime;
use der::asn1::{GeneralizedTime, UtcTime};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use x509_cert::time::Time;

/// Seconds of a day.
pub const DAY: u64 = 24 * 60 * 60;

/// The longest time that certificates are good for, as Puppet Server has it: fifty years.
pub const LONGEST: u64 = 1_576_800_000;

/// How long lists of revoked certificates are good for.
pub const LIST: u64 = 5 * 365 * DAY + DAY;

/// How long before its end a certificate or a list is told of, and a list of one's own renewed: thirty days.
pub const SOON: u64 = 30 * DAY;

/// This moment.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// As certificates have it: UTC time up to 2049, as their standard wants, a longer form behind that.
///
/// # Errors
/// Beyond the year 9999.
pub fn of_certificate(seconds: u64) -> Result<Time, Fault> {
    let since = Duration::from_secs(seconds);
    match UtcTime::from_unix_duration(since) {
        Ok(time) => Ok(Time::UtcTime(time)),
        Err(_) => {
            Ok(Time::GeneralTime(GeneralizedTime::from_date_time(DateTime::from_unix_duration(since)?)))
        }
    }
}

/// As inventories and statuses have it: `2026-11-23T07:11:01UTC`.
pub fn text(time: &Time) -> String {
    let nanoseconds = i128::from(time.to_unix_duration().as_secs()) * 1_000_000_000;
    bunraku::time::format(nanoseconds, "%Y-%m-%dT%H:%M:%SUTC")
}

/// Seconds of a time to live as it is written: a number, and `y`, `d`, `h`, `m` or `s` behind it.
///
/// # Errors
/// The words for what is none.
pub fn to_live(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let unit = match text.get(digits.len()..).unwrap_or_default() {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => DAY,
        "y" => 365 * DAY,
        _ => 0,
    };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let seconds = number.and_then(|number| number.checked_mul(unit)).filter(|seconds| *seconds > 0);
    match seconds {
        Some(seconds) if seconds <= LONGEST => Ok(seconds),
        Some(_) => {
            Err(format!("'{text}' is more than {LONGEST} seconds, the longest that Puppet Server takes"))
        }
        None => Err(format!("'{text}' is no time to live: a number, and y, d, h, m or s behind it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_puppet_writes_them() {
        let text_of = |seconds| text(&of_certificate(seconds).unwrap());
        assert_eq!(text_of(1_795_504_261), "2026-11-24T07:11:01UTC");
        assert!(matches!(of_certificate(2_524_607_999), Ok(Time::UtcTime(_))));
        assert!(matches!(of_certificate(2_524_608_000), Ok(Time::GeneralTime(_))));
        assert_eq!(text_of(2_524_608_000), "2050-01-01T00:00:00UTC");
        assert!(of_certificate(u64::MAX).is_err());
    }

    #[test]
    fn times_to_live_have_units() {
        assert_eq!(
            ["5", "5s", "2m", "1h", "1d", "5y"].map(|text| to_live(text).unwrap()),
            [5, 5, 120, 3600, DAY, 157_680_000]
        );
        for wrong in ["", "y", "-1", "1w", "1 d", "+5", "51y", "0", "99999999999999999999", "1d1"] {
            assert!(to_live(wrong).is_err(), "{wrong}");
        }
    }
}
