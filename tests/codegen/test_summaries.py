# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The sentence about each function: present, of its own, and more than the words of the function's name."""

import collections
import re

import pytest

from codegen import apis, docstrings, summaries

MOST = 112  # characters: one line of a docstring


def words(text):
    """Return the words of a sentence or a name in small letters, without plurals and filling words."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", text)
    found = {part.lower().removesuffix("s") for part in parts}
    return found - {"a", "an", "the", "of", "for", "to", "cu", "cuda", "nvml", "nvrtc", "file", "function", "call"}


def test_words():
    assert words("cuStreamGetFlags") == {"stream", "get", "flag"}
    assert words("Get the flags of a stream.") == words("cuStreamGetFlags")


@pytest.mark.parametrize("name", apis.APIS)
def test_each_function_has_a_sentence_of_its_own(libraries, name):
    sentences = {function: summaries.of(name, function) for function in libraries[name].functions}
    assert [function for function, text in sentences.items() if text == f"Call {function}."] == []
    assert [text for text, count in collections.Counter(sentences.values()).items() if count > 1] == []
    fit = r"[A-Z][^\n]*[^.\s]\."
    assert [text for text in sentences.values() if not re.fullmatch(fit, text) or len(text) > MOST] == []
    assert [text for function, text in sentences.items() if words(text) <= words(function)] == []


@pytest.mark.parametrize("name", apis.APIS)
def test_each_sentence_belongs_to_a_function(libraries, name):
    assert set(summaries.read(name)) <= set(libraries[name].functions)


def test_a_function_of_a_newer_header_is_named():
    assert summaries.of("driver", "cuNewerThanThis") == "Call cuNewerThanThis."
    assert summaries.of("curand", "curandGenerate") == "Call curandGenerate."


def test_the_runtime_shares_the_sentences_of_the_driver(libraries):
    assert "cudaGraphicsMapResources" in summaries.of("runtime", "cudaGLMapBufferObject")
    for function in libraries["runtime"].functions:
        assert not re.search(r"\bcu[A-Z]|CUDA_ERROR", summaries.of("runtime", function)), function


def test_docstrings_state_the_direction_of_each_parameter(libraries):
    driver = libraries["driver"]
    text = docstrings.render(driver, driver.functions["cuMemcpyDtoH"])
    assert "dstHost : writable buffer or address, filled, out\nsrcDevice : CUdeviceptr, in\n" in text
    for name, library in libraries.items():
        for function in library.functions.values():
            listed = re.search(r"Parameters\n-+\n(.*?)\n\n", docstrings.render(library, function), re.DOTALL)
            for line in listed[1].splitlines() if listed else ():
                assert line.endswith((", in", ", out", ", in/out")), (name, function.name, line)


def test_docstrings_of_the_driver_list_errors_and_the_version(libraries):
    driver = libraries["driver"]
    for function in driver.functions.values():
        text = docstrings.render(driver, function)
        assert re.search(r"Errors\n------\nCUresult\n    CUDA_ERROR_\w+", text), function.name
        assert re.search(r"Needs a driver of CUDA \d+\.\d or newer\.", text), function.name
    unlisted = {name for name, function in driver.functions.items() if not function.errors}
    assert set(docstrings.UNLISTED_ERRORS) == unlisted
