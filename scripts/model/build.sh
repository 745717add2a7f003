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
"$python" "$here/train.py" "$work" "$model/tokenizer.json" "$work/table.npy" ${STEPS:+--steps "$STEPS"}
"$python" "$here/export.py" "$work/table.npy" "$model"
echo "table and tokens: $work"
if [ $# -ge 3 ]; then
  "$python" "$here/evaluate.py" "$3" "$model/tokenizer.json" "$model/onnx/model.onnx" --tokens 128,200
fi
