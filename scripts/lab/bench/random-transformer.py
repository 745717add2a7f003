"""Writes a model folder with a transformer of random weights, the size of all-MiniLM-L6-v2, for benchmarks only:
what it says is noise, what it costs is real. `python3 random-transformer.py TOKENIZER_FOLDER OUT_FOLDER`, with numpy
and onnx installed. The folder takes about 90 MB; write it outside the repository.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS, HIDDEN, HEADS, INNER, WORDS, POSITIONS = 6, 384, 12, 1536, 33454, 512
HEAD = HIDDEN // HEADS

random = np.random.default_rng(1)
nodes, weights = [], []


def weight(name, *shape, scale=0.05):
    return constant(name, (random.standard_normal(shape) * scale).astype(np.float32))


def constant(name, value):
    weights.append(numpy_helper.from_array(np.asarray(value), name))
    return name


def node(kind, inputs, name, **attributes):
    nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
    return name


def dense(x, name, rows, columns):
    product = node("MatMul", [x, weight(f"{name}.weight", rows, columns)], f"{name}.product")
    return node("Add", [product, weight(f"{name}.bias", columns)], name)


def normalized(x, name):
    scale = constant(f"{name}.scale", np.ones(HIDDEN, np.float32))
    shift = constant(f"{name}.shift", np.zeros(HIDDEN, np.float32))
    return node("LayerNormalization", [x, scale, shift], name, axis=-1, epsilon=1e-12)


def heads(x, name, order):
    split = node("Reshape", [x, "split"], f"{name}.split")
    return node("Transpose", [split], f"{name}.heads", perm=order)


def attention(x, name):
    query = heads(dense(x, f"{name}.query", HIDDEN, HIDDEN), f"{name}.query", [0, 2, 1, 3])
    key = heads(dense(x, f"{name}.key", HIDDEN, HIDDEN), f"{name}.key", [0, 2, 3, 1])
    value = heads(dense(x, f"{name}.value", HIDDEN, HIDDEN), f"{name}.value", [0, 2, 1, 3])
    scores = node("MatMul", [query, key], f"{name}.scores")
    scaled = node("Div", [scores, "root"], f"{name}.scaled")
    masked = node("Add", [scaled, "bias"], f"{name}.masked")
    shares = node("Softmax", [masked], f"{name}.shares", axis=-1)
    mixed = node("MatMul", [shares, value], f"{name}.mixed")
    together = node("Transpose", [mixed], f"{name}.together", perm=[0, 2, 1, 3])
    joined = node("Reshape", [together, "joined"], f"{name}.joined")
    return dense(joined, f"{name}.out", HIDDEN, HIDDEN)


def gelu(x, name):
    scaled = node("Div", [x, "root2"], f"{name}.scaled")
    erf = node("Erf", [scaled], f"{name}.erf")
    plus = node("Add", [erf, "one"], f"{name}.plus")
    product = node("Mul", [x, plus], f"{name}.doubled")
    return node("Mul", [product, "half"], name)


def graph():
    constant("split", np.array([0, 0, HEADS, HEAD], np.int64))
    constant("joined", np.array([0, 0, HIDDEN], np.int64))
    constant("axes", np.array([1, 2], np.int64))
    for name, value in {"root": HEAD**0.5, "root2": 2**0.5, "one": 1, "half": 0.5, "lowest": -10000}.items():
        constant(name, np.array(value, np.float32))
    # BERT's additive mask: 0 where a token counts, very small where it is padding.
    counts = node("Cast", ["attention_mask"], "counts", to=TensorProto.FLOAT)
    pads = node("Sub", ["one", counts], "pads")
    flat = node("Mul", [pads, "lowest"], "flat")
    node("Unsqueeze", [flat, "axes"], "bias")
    # Positions 0, 1, 2, … are what summing ones gives.
    ones = node("ConstantOfShape", [node("Shape", ["input_ids"], "shape")], "ones",
                value=helper.make_tensor("ones.value", TensorProto.INT64, [1], [1]))
    upto = node("CumSum", [ones, constant("axis1", np.array(1, np.int64))], "upto", exclusive=1)
    words = node("Gather", [weight("words", WORDS, HIDDEN), "input_ids"], "word")
    places = node("Gather", [weight("places", POSITIONS, HIDDEN), upto], "place")
    types = node("Gather", [weight("types", 2, HIDDEN), "token_type_ids"], "type")
    placed = node("Add", [words, places], "placed")
    x = normalized(node("Add", [placed, types], "typed"), "embedded")
    for i in range(LAYERS):
        x = normalized(node("Add", [x, attention(x, f"{i}.attention")], f"{i}.attended"), f"{i}.attention.norm")
        inner = gelu(dense(x, f"{i}.inner", HIDDEN, INNER), f"{i}.gelu")
        x = normalized(node("Add", [x, dense(inner, f"{i}.outer", INNER, HIDDEN)], f"{i}.added"), f"{i}.norm")
    node("Identity", [x], "last_hidden_state")
    shape = ["rows", "width"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape)
              for name in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, HIDDEN])
    return helper.make_graph(nodes, "random-transformer", inputs, [output], weights)


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(source / name, out / name)
    model = helper.make_model(graph(), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(out / "onnx" / "model.onnx"))
    config = {"model_type": "bert", "architectures": ["BertModel"], "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
              "num_attention_heads": HEADS, "intermediate_size": INNER, "vocab_size": WORDS,
              "max_position_embeddings": POSITIONS}
    (out / "config.json").write_text(json.dumps(config))
    # Passages of the same length as the bundled model's.
    (out / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 200}))


main()
