//! Points in time: reading and printing them, time zones.

use super::{SECOND, TimeFormats, calendar, strftime, strptime};

/// TimeFormats without a zone that a timestamp is read with.
const WITHOUT_ZONE: [&str; 5] = ["%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];
const DEFAULTS: [&str; 10] = [
    "%FT%T.%N %Z",
    "%FT%T %Z",
    "%F %T.%N %Z",
    "%F %T %Z",
    "%F %Z",
    "%FT%T.%N",
    "%FT%T",
    "%F %T.%N",
    "%F %T",
    "%F",
];

/// As Puppet prints a timestamp: `2020-01-02T03:04:05.123000000 UTC`.
pub fn to_s(nanoseconds: i128) -> String {
    strftime::format(&calendar::parts(nanoseconds, 0), DEFAULTS[0])
}

/// Writes a timestamp in a zone.
///
/// # Errors
/// For a zone that is none.
pub fn format(nanoseconds: i128, format: &str, zone: Option<&str>) -> Result<String, String> {
    let offset = match zone {
        None | Some("") => 0,
        Some(zone) => utc_offset(zone)?,
    };
    let mut parts = calendar::parts(nanoseconds, offset);
    parts.offset = offset;
    Ok(strftime::format(&parts, format))
}

/// Seconds east of UTC.
///
/// # Errors
/// For a zone that is none.
pub fn utc_offset(zone: &str) -> Result<i32, String> {
    if zone.eq_ignore_ascii_case("current") {
        return Ok(0);
    }
    strptime::zone_offset(zone).ok_or_else(|| format!("Illegal timezone '{zone}'"))
}

/// Now: `Timestamp.new()` is the language's one way to the clock.
#[expect(clippy::disallowed_types, reason = "nothing else of this crate reads the clock")]
pub fn now() -> i128 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_nanos() as i128)
}

/// Reads a timestamp.
///
/// # Errors
/// Puppet's message where no format fits.
pub fn parse(text: &str, formats: TimeFormats<'_>, zone: Option<&str>) -> Result<i128, String> {
    let zone = zone.filter(|zone| !zone.is_empty());
    let parsed = if let TimeFormats::One(format) = formats {
        let parsed = strptime::parse(text, format)
            .ok_or_else(|| format!("Unable to parse '{text}' using format '{format}'"))?;
        if zone.is_some() && parsed.zone.is_some() {
            return Err(
                "Using a Timezone designator in format specification is mutually exclusive to providing \
                        an explicit timezone argument"
                    .into(),
            );
        }
        parsed
    } else {
        let formats = match formats {
            TimeFormats::AnyOf(formats) => formats,
            _ if zone.is_some() => &WITHOUT_ZONE,
            _ => &DEFAULTS,
        };
        formats
            .iter()
            .filter_map(|format| strptime::parse(text, format))
            .find(|parsed| zone.is_none() || parsed.zone.is_none())
            .ok_or_else(|| {
                format!("Unable to parse '{text}' using any of the formats {}", formats.join(", "))
            })?
    };
    let offset = match zone.or(parsed.zone.as_deref()) {
        Some(zone) => utc_offset(zone)?,
        None => 0,
    };
    if let Some(epoch) = parsed.epoch {
        return Ok(i128::from(epoch) * SECOND + i128::from(parsed.nanosecond));
    }
    let (month, day) = (parsed.month.unwrap_or(1), parsed.day.unwrap_or(1));
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err("argument out of range".into());
    }
    let days = calendar::days_from_civil(parsed.year.unwrap_or(1970), month, day);
    let (hour, minute, second) =
        (parsed.hour.unwrap_or(0), parsed.minute.unwrap_or(0), parsed.second.unwrap_or(0));
    let seconds = days * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second)
        - i64::from(offset);
    Ok(i128::from(seconds) * SECOND + i128::from(parsed.nanosecond))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_default_formats() {
        for (text, printed) in [
            ("2020-01-02T03:04:05.123 UTC", "2020-01-02T03:04:05.123000000 UTC"),
            ("2020-01-02T03:04:05", "2020-01-02T03:04:05.000000000 UTC"),
            ("2020-01-02 03:04:05 +02:00", "2020-01-02T01:04:05.000000000 UTC"),
            ("2020-01-02", "2020-01-02T00:00:00.000000000 UTC"),
        ] {
            assert_eq!(to_s(parse(text, TimeFormats::Default, None).unwrap()), printed);
        }
        assert!(
            parse("x", TimeFormats::Default, None)
                .unwrap_err()
                .starts_with("Unable to parse 'x' using any of")
        );
    }

    #[test]
    fn zones_shift() {
        let then = parse("2020-01-02 03:04:05", TimeFormats::Default, Some("PST")).unwrap();
        assert_eq!(to_s(then), "2020-01-02T11:04:05.000000000 UTC");
        assert_eq!(format(then, "%F %T %z", Some("+01:00")).unwrap(), "2020-01-02 12:04:05 +0100");
    }
}
