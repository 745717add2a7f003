"""The bundled sentence encoders in torch: their weights read from the int8 ONNX file, and written back into it.

A linear layer's weight is [in, out] with one scale for each output, which both files have. Word rows stay as they are: they are not
tuned. numpy, onnx, torch, tokenizers.
"""
import json
import os
import shutil
import unicodedata

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from tokenizers import Tokenizer

FILE = "onnx/model_quantized.onnx"
HEADS = 12
BLOCK = 32
PARTS = ("qkv", "out", "up", "down")
TOP = 63  # see linear_q8 in convert.py


def four_bits(packed, scales):
    """Rows of blocks of 32 weights of four bits, two to a byte (see convert.py)."""
    nibbles = np.empty((packed.shape[0], packed.shape[1] * 2), np.float32)
    nibbles[:, 0::2], nibbles[:, 1::2] = packed & 15, packed >> 4
    return (nibbles - 8) * np.repeat(scales.astype(np.float32), BLOCK, axis=1)


class OwnFile:
    """A file of convert.py: each linear layer has its name, weights are symmetric."""

    def __init__(self, init):
        self.init = init

    def word(self):
        if "word" in self.init and self.init["word"].dtype == np.uint8:
            return four_bits(self.init["word"], self.init["word_scale"])
        return self.init["word"].astype(np.float32) * self.init["word_scale"]

    def position(self):
        return self.init["position"]

    def norm(self, name):
        return self.init[f"{name}.w"], self.init[f"{name}.b"]

    def linear(self, layer, part):
        name = f"{layer}.{part}"
        return self.init[f"{name}.w"].astype(np.float32) * self.init[f"{name}.scale"], self.init[f"{name}.b"]

    def put_linear(self, put, layer, part, weight, bias):
        name = f"{layer}.{part}"
        scale = steps(torch.from_numpy(weight)).numpy()
        put(f"{name}.w", np.rint(weight / scale).astype(np.int8))
        put(f"{name}.scale", scale)
        put(f"{name}.b", bias)

    def put_norm(self, put, name, weight, bias):
        put(f"{name}.w", weight)
        put(f"{name}.b", bias)


def steps(weight):
    """What one step of each output is worth: TOP of them are its largest weight."""
    return (weight.abs().amax(0) / TOP).clamp_min(1e-12)


def rounded(weight):
    """A layer's weight as `put_linear` stores it. Gradients pass as if it were not rounded (Bengio 2013, straight-through)."""
    with torch.no_grad():
        scale = steps(weight)
        moved = torch.round(weight / scale) * scale - weight
    return weight + moved


def folded(text):
    """What the tokenizer's normalizer does in pathmend: NFKC, runs of blanks as one."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


class Encoder(torch.nn.Module):
    """`read(texts)` gives token ids; calling it with those gives vectors of length one, [texts, width]."""

    def __init__(self, folder):
        super().__init__()
        self.folder = folder
        self.manifest = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
        file = onnx.load(os.path.join(folder, FILE))
        self.file = OwnFile({i.name: numpy_helper.to_array(i) for i in file.graph.initializer})
        self.register_buffer("word", torch.tensor(self.file.word()))
        self.register_buffer("position", torch.tensor(self.file.position()))
        self.layers = sum(name.endswith(".qkv.w") for name in self.file.init)
        self.weights = torch.nn.ParameterDict()
        for name in ["ln"] + [f"{i}.ln{k}" for i in range(self.layers) for k in (1, 2)]:
            self._add(name, self.file.norm(name))
        for i in range(self.layers):
            for part in PARTS:
                self._add(f"{i}.{part}", self.file.linear(i, part))
        tokens = json.load(open(os.path.join(folder, "tokenizer.json"), encoding="utf-8"))
        # The library refuses a charsmap that is left out; `folded` does the same.
        self.folds = tokens["model"]["type"] == "Unigram"
        if self.folds:
            tokens["normalizer"] = None
        tokens["truncation"] = tokens["padding"] = None
        self.tokenizer = Tokenizer.from_str(json.dumps(tokens))

    def _add(self, name, pair):
        for kind, value in zip("wb", pair):
            self.weights[f"{name}/{kind}".replace(".", "_")] = torch.nn.Parameter(torch.tensor(np.array(value)))

    def _get(self, name):
        key = name.replace(".", "_")
        return self.weights[f"{key}/w"], self.weights[f"{key}/b"]

    def read(self, texts, kind, most):
        prefix = self.manifest["prefixes"][kind]
        texts = [prefix + (folded(text) if self.folds else text) for text in texts]
        rows = [one.ids for one in self.tokenizer.encode_batch(texts)]
        return [row if len(row) <= most else row[: most - 1] + row[-1:] for row in rows]

    def forward(self, rows):
        longest = max(map(len, rows))
        ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
        mask = torch.tensor([[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows])
        n, t, width = len(rows), longest, self.word.shape[1]

        def linear(x, name):
            weight, bias = self._get(name)
            return x @ rounded(weight) + bias

        def norm(x, name):
            return F.layer_norm(x, (width,), *self._get(name), 1e-12)

        x = norm(self.word[ids] + self.position[:t], "ln")
        seen = mask[:, None, None, :].bool()
        for i in range(self.layers):
            q, k, v = (one.view(n, t, HEADS, -1).transpose(1, 2) for one in linear(x, f"{i}.qkv").split(width, -1))
            # torch's own attention took half of a step: its gradient is slow in half precision on a CPU.
            near = (q @ k.transpose(2, 3) * k.shape[-1] ** -0.5).masked_fill(~seen, -1e4)
            a = (torch.softmax(near, -1).to(v.dtype) @ v).transpose(1, 2).reshape(n, t, width)
            x = norm(x + linear(a, f"{i}.out"), f"{i}.ln1")
            x = norm(x + linear(F.gelu(linear(x, f"{i}.up")), f"{i}.down"), f"{i}.ln2")
        return F.normalize((x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)

    def write(self, out):
        """A folder like the one that was read, with these weights."""
        shutil.copytree(self.folder, out, dirs_exist_ok=True)
        file = onnx.load(os.path.join(self.folder, FILE))
        index = {i.name: i for i in file.graph.initializer}

        def put(name, array):
            old = numpy_helper.to_array(index[name])
            index[name].CopyFrom(numpy_helper.from_array(np.asarray(array, old.dtype).reshape(old.shape), name))

        values = {name: tuple(x.detach().numpy() for x in self._get(name)) for name in
                  ["ln"] + [f"{i}.ln{k}" for i in range(self.layers) for k in (1, 2)] + [f"{i}.{p}" for i in range(self.layers) for p in PARTS]}
        for name, (weight, bias) in values.items():
            if "ln" in name:
                self.file.put_norm(put, name, weight, bias)
            else:
                self.file.put_linear(put, *name.split("."), weight, bias)
        onnx.save(file, os.path.join(out, FILE))
