#!/usr/bin/env python3
"""Write all-MiniLM-L6-v2 as convert.py writes multilingual-e5-small, so that one script can tune both.

    python minilm.py MINILM OUT

MINILM: a folder with onnx/model_quantized.onnx, the tokenizer's files and a manifest. The weights are those of the int8 file, rounded
again with one scale for each output and each word. numpy and onnx.
"""
import os
import shutil
import sys

import numpy as np
import onnx
from onnx import numpy_helper

import convert

FILE = "onnx/model_quantized.onnx"


class Dense:
    """A matrix [out, in] of float32."""

    def __init__(self, values):
        self.values = values

    def dense(self):
        return self.values


def read(path):
    file = onnx.load(path)
    init = {i.name: numpy_helper.to_array(i) for i in file.graph.initializer}

    def full(name):
        if name in init:
            return init[name].astype(np.float32)
        rounded, zero = init[name + "_quantized"].astype(np.float32), init[name + "_zero_point"].astype(np.float32)
        return (rounded - zero) * init[name + "_scale"]

    # A matrix is named after its number in the file; the node that uses it says where it belongs.
    matrices = {}
    for node in file.graph.node:
        if node.op_type == "MatMulInteger":
            matrices[node.name.replace("/MatMul_quant", "").strip("/").replace("/", ".")] = full(node.input[1].removesuffix("_quantized"))

    def linear(*names):
        return Dense(np.concatenate([matrices[n].T for n in names])), np.concatenate([full(n + ".bias") for n in names])

    def norm(name):
        return full(name + ".weight"), full(name + ".bias")

    layers = 1 + max(int(name.split(".")[2]) for name in matrices)
    word = full("embeddings.word_embeddings.weight")
    pos = full("embeddings.position_embeddings.weight") + full("embeddings.token_type_embeddings.weight")[0]
    layer = []
    for i in range(layers):
        p = f"encoder.layer.{i}."
        layer.append(dict(
            qkv=linear(*(f"{p}attention.self.{x}" for x in ("query", "key", "value"))),
            out=linear(p + "attention.output.dense"), up=linear(p + "intermediate.dense"), down=linear(p + "output.dense"),
            ln1=norm(p + "attention.output.LayerNorm"), ln2=norm(p + "output.LayerNorm")))
    return dict(width=word.shape[1], layers=layers, heads=12, eps=1e-12, word=Dense(word), pos=pos,
                ln=norm("embeddings.LayerNorm"), layer=layer)


if __name__ == "__main__":
    start, out = sys.argv[1:]
    shutil.copytree(start, out, dirs_exist_ok=True)
    onnx.save(convert.build(read(os.path.join(start, FILE)), convert.word_q8, convert.linear_q8(127)), os.path.join(out, FILE))
