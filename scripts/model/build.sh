#!/bin/sh
# Learns the vocabulary and the embedding from a training folder and writes models/pathmend-static-v1 (see README.md).
# usage: scripts/model/build.sh TRAIN_DIR [MODEL_DIR] [SITES_DIR]      PYTHON: the interpreter, WORK: a scratch folder;
# STEPS: fewer training steps, to try the chain
set -eu
[ $# -ge 1 ] || { sed -n 3,4p "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
train=$1
model=${2:-$here/../../models/pathmend-static-v1}
python=${PYTHON:-/usr/bin/python3}
work=${WORK:-$(mktemp -d)}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
mkdir -p "$work" "$model"
"$python" "$here/vocabulary.py" "$train" "$model"
"$python" "$here/pairs.py" "$train" "$model/tokenizer.json" "$work"
run() { out=$1; shift; "$python" "$here/train.py" "$work" "$model/tokenizer.json" "$work/$out.npy" "$@"; }
run first --steps "${STEPS:-1500}"
# The first table tells which passages are alike, for the other runs to tell them apart.
run second --first "$work/first.npy" --base --steps "${STEPS:-1500}" --noise 0.3 --one-site 0.4 --alike 0.3 --thin 0 0
run table --first "$work/first.npy" --mean "$work/first.npy" "$work/second.npy" --steps "${STEPS:-5000}"
"$python" "$here/export.py" "$work/table.npy" "$model"
echo "table and tokens: $work"
if [ $# -ge 3 ]; then
  "$python" "$here/evaluate.py" "$3" "$model/tokenizer.json" "$model/onnx/model.onnx" --fused
fi
