#!/bin/bash
# Says the version of the fake perf, which each test asks for, without starting Node; fake-perf.mjs does everything else.
# Bash passes on variables that are none of its own, however they are named.
case "$1" in
  --version) text=${FAKE_PERF_VERSION-perf version 6.1.192} logged='["--version"]' ;;
  version) text='  get_cpuid: [ on  ]  # HAVE_AUXTRACE_SUPPORT' logged='["version","--build-options"]' ;;
  stat) echo "${FAKE_PERF_BREAKPOINTS-20},,$4,1205116,100.00,," >&2; exit ;;
  *) exec "${0%sh}mjs" "$@" ;;
esac
[ -z "$FAKE_PERF_LOG" ] || printf '%s\n' "$logged" >>"$FAKE_PERF_LOG"
printf '%s\n' "$text"
