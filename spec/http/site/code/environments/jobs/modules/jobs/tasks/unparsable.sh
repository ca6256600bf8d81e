echo unparsable
