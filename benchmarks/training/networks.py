"""The two neural networks of the study of learned stopping (ASE 2024), and how they are trained.

Source: its Section 4.4 and its public code. Needs keras (the dependency group `training`), which
takes what it computes with from the variable KERAS_BACKEND when it is imported.
"""

from dataclasses import dataclass
from typing import Any

import keras
import numpy as np

from auditor.warmup.detector import WINDOW, Windows
from auditor.warmup.scorers.convolutional import ConvolutionalNetwork, Floats
from training.samples import Sample

_PRIMES = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23)
"""Kernel sizes up to a quarter of a window; the study counts 1 among the primes."""


@dataclass(frozen=True, slots=True)
class Network:
    """Blocks of kernels (size, channels) by ascending size, and how many logits come out.

    `epsilon` of the batch normalisations is what the study's library takes.
    """

    blocks: tuple[tuple[tuple[int, int], ...], ...]
    logits: int
    epsilon: float


FCN = Network((((8, 128),), ((5, 256),), ((3, 128),)), 1, 1e-3)
OSCNN = Network(
    (
        tuple((size, 10) for size in _PRIMES),
        tuple((size, 22) for size in _PRIMES),
        ((1, 100), (2, 100)),
    ),
    2,
    1e-5,
)


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long a network is trained, in epochs, and with how many windows a step.

    The defaults are the study's; training ends early after `patience` epochs without a lower
    validation loss.
    """

    seed: int
    epochs: int = 500
    batch: int = 1024
    patience: int = 50


# The library that the study took for FCN has 0.99. After hundreds of steps that is no difference,
# but in a training of a few epochs the means would lag behind the weights.
_MOMENTUM = 0.9
_PLATEAU = 20
"""Epochs without a lower validation loss after which the learning rate is halved."""
_RATES = (1e-3, 1e-4)
"""The learning rate, and its least."""


class _GlorotInitializer:
    """Draws weights as the library would (Glorot and Bengio 2010).

    The library compiles its own way anew for each shape, a second each.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def __call__(self, shape: tuple[int, ...], **_: object) -> Floats:
        *size, before, after = shape
        limit = np.sqrt(6 / (np.prod(size) * (before + after)))
        return self._rng.uniform(-limit, limit, shape).astype(np.float32)


class Trainee:
    """A network in the library's terms."""

    def __init__(self, network: Network, seed: int) -> None:
        """Make it, with weights drawn at random."""
        initializer = _GlorotInitializer(np.random.default_rng(seed))
        self._convolutions: list[list[Any]] = []
        self._norms: list[Any] = []
        windows = values = keras.Input((WINDOW, 1))
        for kernels in network.blocks:
            layers = [
                keras.layers.Conv1D(many, size, padding="same", kernel_initializer=initializer)
                for size, many in kernels
            ]
            norm = keras.layers.BatchNormalization(momentum=_MOMENTUM, epsilon=network.epsilon)
            parts = [layer(values) for layer in layers]
            concatenated = keras.layers.Concatenate()(parts) if len(parts) > 1 else parts[0]
            values = keras.layers.ReLU()(norm(concatenated))
            self._convolutions.append(layers)
            self._norms.append(norm)
        self._head = keras.layers.Dense(network.logits, kernel_initializer=initializer)
        pooled = keras.layers.GlobalAveragePooling1D()(values)
        self._model = keras.Model(windows, self._head(pooled))

    def fit(self, learn: Sample, validate: Sample, schedule: Schedule) -> None:
        """Train it; what stays are the weights with the lowest validation loss."""
        self._model.compile(
            keras.optimizers.Adam(_RATES[0], beta_1=0.9, beta_2=0.999, epsilon=1e-8),
            _loss(self._head.units),
        )
        self._model.fit(
            learn.windows[:, :, None],
            learn.stable.astype(np.float32),
            validation_data=(validate.windows[:, :, None], validate.stable.astype(np.float32)),
            epochs=schedule.epochs,
            batch_size=schedule.batch,
            verbose=0,
            callbacks=[
                keras.callbacks.EarlyStopping(
                    patience=schedule.patience, restore_best_weights=True
                ),
                keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=_PLATEAU, min_lr=_RATES[1]),
            ],
        )

    def logits(self, windows: Windows) -> Floats:
        """Return what the library finds for windows (windows, 100), (windows, logits)."""
        return np.asarray(self._model.predict(windows[:, :, None], verbose=0))

    def arrays(self) -> dict[str, Floats]:
        """Return its weights for `ConvolutionalNetwork`, with normalisations in the kernels."""
        document: dict[str, Any] = {}
        for block, (layers, norm) in enumerate(zip(self._convolutions, self._norms, strict=True)):
            gamma, beta, mean, variance = (
                get_weight.astype(np.float64) for get_weight in norm.get_weights()
            )
            scale = gamma / np.sqrt(variance + norm.epsilon)
            biases = np.concatenate([layer.get_weights()[1] for layer in layers])
            document[f"bias_{block}"] = (biases - mean) * scale + beta
            parts = np.split(scale, np.cumsum([layer.filters for layer in layers])[:-1])
            for layer, part in zip(layers, parts, strict=True):
                document[f"kernel_{block}_{layer.kernel_size[0]}"] = layer.get_weights()[0] * part
        kernel, bias = self._head.get_weights()
        # Of two logits the study takes the sigmoid of the second.
        document |= {"head": kernel[:, -1], "head_bias": bias[-1]}
        return {name: np.asarray(array, dtype=np.float32) for name, array in document.items()}


def _loss(logits: int) -> Any:
    if logits == 1:
        return keras.losses.BinaryCrossentropy(from_logits=True)
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def trained(
    network: Network, learn: Sample, validate: Sample, schedule: Schedule
) -> ConvolutionalNetwork:
    """Return a network that has learned; the same seed gives the same weights."""
    keras.utils.set_random_seed(schedule.seed)
    trainee = Trainee(network, schedule.seed)
    trainee.fit(learn, validate, schedule)
    return ConvolutionalNetwork(trainee.arrays())
