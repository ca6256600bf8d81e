#!/bin/sh
# The external node classifier of the cases: some nodes are moved, unknown, have classes, or make it fail.
case "$1" in
  moved.example.com) echo '{environment: moved, classes: {}}' ;;
  nowhere.example.com) echo '{environment: nowhere, classes: {}}' ;;
  oddly.example.com) echo '{environment: ../production, classes: {}}' ;;
  listed.example.com) echo '{classes: [site]}' ;;
  mixed.example.com) echo '{classes: [{site: {message: classified}}]}' ;;
  numbered.example.com) echo '{classes: [5]}' ;;
  silent.example.com) ;;
  latin.example.com) printf '{classes: {}, parameters: {who: "M\374ller"}}' ;;
  classed.example.com) echo '{classes: {site: {message: classified}}, parameters: {tier: gold}}' ;;
  breaks.example.com) echo 'it breaks' >&2; exit 3 ;;
  *) echo '{classes: {}}' ;;
esac
