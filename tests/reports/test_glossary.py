"""The terms of the pages: one list, that of the docs, and links that lead to it."""

import re
from pathlib import Path

import pytest
from page_text import unlinked

from reports.html import TERMS, PageTerms

DOCS = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text()
MEANINGS = {
    name.strip(): meaning.replace("`", "").strip()
    for cell, meaning in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", DOCS, re.MULTILINE)
    for name in cell.split(",")
}


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_a_term_means_what_the_glossary_of_the_docs_says(term):
    meanings = {MEANINGS[form] for form in (term.name, *term.forms) if form in MEANINGS}

    assert meanings <= {term.meaning}
    assert not term.meaning.endswith(".")
    assert len(term.meaning.split()) <= 20


def test_most_of_the_terms_stand_in_the_docs():
    assert sum(term.name in MEANINGS for term in TERMS) > len(TERMS) / 2


def test_no_two_terms_share_a_form_or_a_place():
    forms = [form.lower() for term in TERMS for form in (term.name, *term.forms)]

    assert len(forms) == len(set(forms))
    assert len({term.anchor for term in TERMS}) == len(TERMS)


def test_a_sentence_links_the_first_use_of_each_term():
    terms = PageTerms()

    marked = terms.mark("A slowdown is a slowdown; pairs have a threshold.")

    assert marked.count('href="#term-slowdown"') == 1
    assert [term.name for term in terms.used_terms] == ["pair", "slowdown", "threshold"]
    assert unlinked(marked) == "A slowdown is a slowdown; pairs have a threshold."


def test_the_longest_form_is_the_term():
    terms = PageTerms()

    terms.mark("the detection curve")

    assert [term.name for term in terms.used_terms] == ["detection curve"]


@pytest.mark.parametrize("text", ["--score-mode", "a/share/b", "share.go", "scoreboard", "pears"])
def test_what_only_looks_like_a_term_is_no_link(text):
    assert "<a" not in PageTerms().mark(text)


def test_names_that_mean_harm_stay_names():
    marked = PageTerms().mark("<script>score</script>\N{RIGHT-TO-LEFT OVERRIDE}")

    assert "<script>" not in marked
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in marked
    assert "&lt;script&gt;" in marked
