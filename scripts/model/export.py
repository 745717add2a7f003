"""Writes a trained table as an ONNX graph that loads like a BERT feature extractor, with config.json and manifest.json.

usage: python3 export.py TABLE.npy MODEL_DIR [--tokens 200]      (MODEL_DIR holds tokenizer.json, tokenizer_config.json; its
name is the model's)

Graph: input_ids, attention_mask, token_type_ids int64 [batch, tokens] -> last_hidden_state float32
[batch, tokens, dimensions] = int8 row * float scale of the row. The caller pools (mean over attention_mask) and
normalizes. The rows of special tokens are zero, so that padding adds nothing.
"""
import argparse
import hashlib
import json
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FILES = ("onnx/model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json")


def quantize(table):
    """int8 rows [vocabulary, dimensions] and float32 scales [vocabulary, 1]."""
    scale = np.abs(table).max(1, keepdims=True).astype(np.float32) / 127
    return np.rint(table / np.where(scale == 0, 1, scale)).astype(np.int8), scale


def graph(name, rows, scale):
    shape = ["batch", "tokens"]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"], axis=0),
        helper.make_node("Cast", ["rows"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["scale", "input_ids"], ["scales"], axis=0),
        helper.make_node("Mul", ["numbers", "scales"], ["last_hidden_state"]),
    ]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, shape) for n in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, rows.shape[1]])
    made = helper.make_graph(nodes, name, inputs, [output], [numpy_helper.from_array(rows, "table"), numpy_helper.from_array(scale, "scale")])
    model = helper.make_model(made, producer_name="pathmend", opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def manifest(folder, name, dimensions, tokens):
    files = {name: hash_of(f"{folder}/{name}") for name in FILES}
    calibration, path = None, f"{folder}/manifest.json"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            old = json.load(file)
        # A calibration holds for the vectors it was measured on, and for no others.
        if old["files"] == files and old.get("maximumTokens") == tokens:
            calibration = old.get("calibration")
    return {
        "id": name,
        "description": "Static sub-word embedding trained from random weights by scripts/model on public, mostly English text; "
                       "vocabulary learned from the same text. For matching page passages with paths and questions.",
        "licence": "Apache-2.0; learned from text under its own licences, which scripts/model/README.md lists",
        "files": files, "dimensions": dimensions, "pooling": "mean", "normalize": True,
        "prefixes": {"query": "", "passage": ""}, "maximumTokens": tokens, "dtype": "fp32", "calibration": calibration,
    }


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("model")
    parser.add_argument("--tokens", type=int, default=200, help="passage length that evaluate.py found best")
    args = parser.parse_args()
    table = np.load(args.table).astype(np.float32)
    rows, scale = quantize(table)
    os.makedirs(f"{args.model}/onnx", exist_ok=True)
    name = os.path.basename(os.path.abspath(args.model))
    onnx.save(graph(name, rows, scale), f"{args.model}/onnx/model.onnx")
    # What transformers.js needs to take the graph for an encoder; it reads no weights from these figures.
    write(f"{args.model}/config.json", {
        "model_type": "bert", "architectures": ["BertModel"], "hidden_size": table.shape[1], "vocab_size": table.shape[0],
        "num_attention_heads": 1, "num_hidden_layers": 0, "intermediate_size": table.shape[1], "max_position_embeddings": 8192,
        "type_vocab_size": 1, "pad_token_id": 0})
    write(f"{args.model}/manifest.json", manifest(args.model, name, table.shape[1], args.tokens))
    size = sum(os.path.getsize(f"{args.model}/{name}") for name in FILES)
    print(f"{table.shape[0]} rows of {table.shape[1]}, {size / 1e6:.2f} MB")


main()
