#!/bin/sh
# Takes out of a folder of packages what Node never loads: the files of other platforms, declarations, source maps, sources,
# tests and documents of packages, and the builds for browsers. Of the Dockerfile and of scripts/bundle.sh.
#
#   scripts/slim.sh node_modules linux/x64
#
# The second argument is what stays of onnxruntime's platforms; `linux` is all of Linux.
set -eu
packages=$1 platform=$2
find "$packages/onnxruntime-node/bin" -type f ! -path "*/$platform/*" -delete
transformers=$packages/@huggingface/transformers
rm -rf -- "$transformers/src" "$transformers/types"
find "$transformers/dist" -type f ! -name transformers.node.mjs -delete
find "$packages" -depth -type d \( -name test -o -name tests -o -name __tests__ -o -name docs -o -name example -o -name examples \
  -o -name benchmark -o -name benchmarks -o -name .github \) -exec rm -rf -- {} +
find "$packages" -type f \( -name '*.ts' -o -name '*.cts' -o -name '*.mts' -o -name '*.tsx' -o -name '*.map' \) -delete
# A package without a file of its licence has it in its README.
find "$packages" -type f -name '*.md' ! -iname '*licen*' ! -iname '*notice*' -exec sh -c '
  for file; do if ls "${file%/*}" | grep --quiet --ignore-case licen; then rm -- "$file"; fi; done' sh {} +
find "$packages" -depth -type d -empty -delete
