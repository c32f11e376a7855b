# Shared by the scripts of this folder; sourced, never run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

fail_usage() {
  printf '%s: %s (try --help)\n' "${0##*/}" "$1" >&2
  exit 2
}

# configure PRESET [CMAKE OPTIONS...]
configure() {
  local preset=$1
  shift
  local options=("$@")
  if command -v ccache >/dev/null; then
    # Precompiled headers are cached only with these two.
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  (cd "$root" && cmake --preset "$preset" "${options[@]}")
}

# build PRESET [TARGETS...]
build() {
  local preset=$1
  shift
  local only=()
  if (($#)); then only=(--target "$@"); fi
  cmake --build "$root/build/$preset" -j "$jobs" "${only[@]}"
}

# The counts of all test runs of this script.
passed=0 failed=0 skipped=0

# junit_count FILE ATTRIBUTE
junit_count() { sed -n "s/^.*[[:space:]]$2=\"\\([0-9]*\\)\".*\$/\\1/p" "$1" | head -n 1; }

# Adds the counts of a JUnit file that ctest wrote. No file, or nothing executed, is a failure.
count_junit() {
  local file=$1 total bad left_out
  if [[ ! -s $file ]]; then
    printf '%s: no results\n' "$file" >&2
    failed=$((failed + 1))
    return
  fi
  local header
  header=$(mktemp)
  # Only the <testsuite ...> element: the attributes of the test cases do not count.
  sed -n '/<testsuite\b/,/>/p' "$file" >"$header"
  total=$(junit_count "$header" tests)
  bad=$(junit_count "$header" failures)
  left_out=$(($(junit_count "$header" skipped) + $(junit_count "$header" disabled)))
  rm -f "$header"
  local good=$((total - bad - left_out))
  if ((good + bad == 0)); then
    printf '%s: no test was executed\n' "$file" >&2
    bad=1
  fi
  passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left_out))
}

# run_tests PRESET [CTEST OPTIONS...]: runs the tests of build/PRESET and adds their counts.
run_tests() {
  local preset=$1
  shift
  local report="$root/build/$preset/junit.xml"
  rm -f "$report"
  ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error -j "$jobs" \
    --output-junit "$report" "$@" || true
  count_junit "$report"
}

# build_and_test PRESET DEVELOPER [CTEST OPTIONS...]: builds what the array `targets` names, all where it is empty. A
# build that fails counts as one failure.
targets=()
build_and_test() {
  local preset=$1 developer=$2
  shift 2
  say "build $preset"
  if ! { configure "$preset" -DPLUMBLINE_DEVELOPER="$developer" >/dev/null && build "$preset" "${targets[@]}"; }; then
    printf 'FAILED: the build of %s\n' "$preset" >&2
    failed=$((failed + 1))
    return
  fi
  say "test $preset"
  run_tests "$preset" "$@"
}

# A step that is no test of ctest's: one failure when the command fails, one pass when it does not.
step() {
  local name=$1
  shift
  say "$name"
  if "$@"; then
    passed=$((passed + 1))
  else
    printf 'FAILED: %s\n' "$name" >&2
    failed=$((failed + 1))
  fi
}

# The last line of a test script, and its exit code.
finish() {
  printf '\n%d passed, %d failed' "$passed" "$failed"
  if ((skipped)); then printf ', %d skipped' "$skipped"; fi
  printf '\n'
  ((failed == 0 && passed > 0))
}
