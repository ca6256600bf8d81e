# Seconds, or a number with its unit.
type Profile::Interval = Variant[Integer[1], Pattern[/\A\d+(ms|s|m|h)\z/]]
