#!/bin/sh
# The external node classifier of the cases: some nodes are moved, unknown, or make it fail.
case "$1" in
  moved.example.com) echo '{environment: moved, classes: {}}' ;;
  nowhere.example.com) echo '{environment: nowhere, classes: {}}' ;;
  classed.example.com) echo '{classes: {site: {message: classified}}, parameters: {tier: gold}}' ;;
  breaks.example.com) echo 'it breaks' >&2; exit 3 ;;
  *) echo '{classes: {}}' ;;
esac
