"""A language is one record: a registry that has it finds all that the product asks for."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from toy_language import Words

from auditor.config import load_config
from auditor.core.errors import UsageError
from auditor.core.request import Pace
from auditor.core.subject import Language
from auditor.languages.model import HarnessSupport, ReadyProject, RequiredProgram
from auditor.languages.python import PYTHON
from auditor.languages.registry import LANGUAGES, LanguageRegistry
from auditor.languages.subject_setup import prepare_project

PACE = Pace(warm_seconds=1.0, block_seconds=0.1, longest_seconds=0.1)


def prepare(spec, placed, config, machine):
    return ReadyProject(SimpleNamespace(harness="toy", notes=()), SimpleNamespace())


TOY = replace(
    PYTHON,
    language="toy",
    kind="toy",
    main_harness="toy",
    harnesses={
        "toy": HarnessSupport(prepare=prepare, pace=PACE, calls=lambda selected_ids, all_ids: ())
    },
    choose_harness=lambda folder: "toy",
    subject_types=(),
    mutator=Words(),
    rule_prefix="toy",
    split_benchmark=lambda benchmark: ("words", benchmark),
    image="toy",
    programs=(
        RequiredProgram(
            name="toyc",
            argument="-v",
            oldest=(1,),
            purpose="toys",
            debian="apt install toy",
            macos="brew install toy",
        ),
    ),
)
WITH_TOY = LanguageRegistry((*LANGUAGES, TOY))


@pytest.fixture
def config(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps({"subject": "."}))
    return replace(load_config("c.json", {}, tmp_path), harness="toy")


def test_a_language_is_added_by_one_record(tmp_path, config):
    placed = SimpleNamespace(name="words", tree=tmp_path)

    ready, language = prepare_project(config, placed, None, WITH_TOY)

    assert language is TOY
    assert language.harnesses[ready.project.harness].pace == PACE
    assert WITH_TOY.language_of_harness("toy") == "toy"
    assert WITH_TOY.split_benchmark("hop", "toy") == ("words", "hop")


def test_an_unknown_harness_is_refused_with_the_names_of_those_that_are_there(tmp_path, config):
    placed = SimpleNamespace(name="words", tree=tmp_path)

    with pytest.raises(UsageError, match="unknown harness 'toy'; known: asv, go, jmh, pyperf"):
        prepare_project(config, placed, None)


def test_each_language_of_the_product_has_one_record():
    assert [record.language for record in LANGUAGES] == list(Language)


def test_no_two_languages_share_a_harness_a_kind_or_a_prefix_of_rules():
    names = [name for record in LANGUAGES for name in record.harnesses]

    assert len(set(names)) == len(names)
    assert len({record.kind for record in LANGUAGES}) == len(LANGUAGES.languages)
    assert len({record.rule_prefix for record in LANGUAGES}) == len(LANGUAGES.languages)


@pytest.mark.parametrize(
    ("language", "benchmark", "parts"),
    [
        (Language.GO, "example.org/ring.BenchmarkPush/8", ("example.org/ring", "BenchmarkPush/8")),
        (Language.GO, "BenchmarkPush", ("", "BenchmarkPush")),
        (Language.JAVA, "org.Ring.push[size=1.5]", ("org.Ring", "push[size=1.5]")),
        ("unknown", "ring.push", ("ring", "push")),
    ],
)
def test_ids_of_benchmarks_are_split_as_their_language_does(language, benchmark, parts):
    assert LANGUAGES.split_benchmark(benchmark, language) == parts
