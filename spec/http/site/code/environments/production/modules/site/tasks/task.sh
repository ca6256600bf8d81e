#!/bin/sh
echo 2
