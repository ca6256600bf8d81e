//! Floats as Ruby prints them.

/// A float as Ruby prints it: `1.0`, `1.0e+15`, `1.5e-07`.
pub fn float_to_s(f: f64) -> String {
    if f.is_nan() {
        return "NaN".into();
    }
    if f.is_infinite() {
        return if f > 0.0 { "Infinity" } else { "-Infinity" }.into();
    }
    if f == 0.0 {
        return if f.is_sign_negative() { "-0.0" } else { "0.0" }.into();
    }
    // The shortest digits that read back as the same float: `d.ddde±x`.
    let shortest = format!("{f:e}");
    let (mantissa, exponent) = shortest.split_once('e').unwrap_or((&shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let point = exponent + 1;
    if (-3..=15).contains(&point) {
        let text = if point <= 0 {
            format!("0.{}{digits}", "0".repeat(-point as usize))
        } else if digits.len() <= point as usize {
            format!("{digits}{}.0", "0".repeat(point as usize - digits.len()))
        } else {
            format!("{}.{}", &digits[..point as usize], &digits[point as usize..])
        };
        return format!("{sign}{text}");
    }
    let fraction = if digits.len() > 1 { &digits[1..] } else { "0" };
    let exponent_sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}.{fraction}e{exponent_sign}{:02}", &digits[..1], exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::float_to_s;

    #[test]
    fn floats_print_as_in_ruby() {
        for (f, text) in [
            (1.0, "1.0"),
            (1e14, "100000000000000.0"),
            (1e15, "1.0e+15"),
            (123_456_789_012_345.0, "123456789012345.0"),
            (1_234_567_890_123_456.0, "1.234567890123456e+15"),
            (999_999_999_999_999.9, "999999999999999.9"),
            (1e-4, "0.0001"),
            (1e-5, "1.0e-05"),
            (0.000_123_45, "0.00012345"),
            (1e100, "1.0e+100"),
            (5e-324, "5.0e-324"),
            (-0.0, "-0.0"),
            (f64::MAX, "1.7976931348623157e+308"),
            (-1.5e-7, "-1.5e-07"),
        ] {
            assert_eq!(float_to_s(f), text);
        }
    }
}
