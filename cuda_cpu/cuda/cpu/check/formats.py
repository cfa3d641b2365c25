# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Reports of findings: text, JSON, and XML with the elements that compute-sanitizer's reports have."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from xml.etree import ElementTree

from cuda.cpu.check.finding import SEVERITIES, STACKS, Finding, Stack, to_dict
from cuda.cpu.check.suppressions import Rule

VERSION = 1  # of the JSON; rises if a key changes its meaning


@dataclass
class Report:
    """The findings of a program and its child processes."""

    checks: str
    status: int  # of the program
    findings: list[Finding]
    suppressed: list[Finding] = field(default_factory=list)
    unused: list[Rule] = field(default_factory=list)  # rules that have suppressed nothing
    suppressions: str = ""  # their file
    failed: int = 0  # launches that failed by faults that are no findings, such as a trap

    def counts(self) -> dict[str, int]:
        found = Counter(each.severity for each in self.findings)
        return {severity: found[severity] for severity in reversed(SEVERITIES)}


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 or noun in ("info", "suppressed") else "s")


def summary(report: Report) -> str:
    """Return the counts and the unused rules, in a line each."""
    counts = [_number(count, severity) for severity, count in report.counts().items() if count or severity == "error"]
    if report.suppressed:
        counts.append(_number(len(report.suppressed), "suppressed"))
    if report.failed:
        counts.append(f"{report.failed} launch{'es' * (report.failed > 1)} failed without a finding")
    lines = [f"check: {', '.join(counts)}"]
    lines += [
        f"check: unused suppression, {report.suppressions} line {rule.line}: {rule.text}" for rule in report.unused
    ]
    return "\n".join(lines)


def to_text(report: Report) -> str:
    return "\n".join([*map(str, report.findings), summary(report)]) + "\n"


def to_json(report: Report) -> str:
    """Return the report as JSON; the guide "Check kernels" describes the keys."""
    data = {
        "version": VERSION,
        "checks": report.checks,
        "status": report.status,
        "counts": report.counts(),
        "failed": report.failed,
        "findings": [to_dict(each) for each in report.findings],
        "suppressed": [to_dict(each) for each in report.suppressed],
        "unused_suppressions": [{"line": each.line, "text": each.text} for each in report.unused],
    }
    return json.dumps(data, indent=1)


def to_xml(report: Report) -> str:
    """Return the report as XML: a `record` for each finding."""
    root = ElementTree.Element("ComputeSanitizerOutput")
    for each in report.findings:
        _record(root, each)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _record(root: ElementTree.Element, finding: Finding) -> None:
    record = ElementTree.SubElement(root, "record")
    _texts(record, tool=finding.checker, kind=finding.kind, severity=finding.severity, count=finding.count)
    if finding.process_name:
        _texts(record, process=finding.process, processName=finding.process_name)
    what = ElementTree.SubElement(record, "what")
    _texts(what, text=finding.message, address=f"0x{finding.address:x}", size=finding.size)
    if finding.allocation_size:
        _texts(what, allocationAddress=f"0x{finding.allocation_address:x}", allocationSize=finding.allocation_size)
    if finding.stream or finding.other_stream:
        _texts(what, stream=finding.stream, otherStream=finding.other_stream)
    if finding.kernel:
        where = ElementTree.SubElement(record, "where")
        top = finding.device_stack[0] if finding.device_stack else None
        _texts(where, func=finding.kernel, instruction=finding.instruction, launch=finding.launch)
        if top is not None and top.file:
            _texts(where, file=top.file, line=top.line)
        for name in ("block", "thread"):
            x, y, z = getattr(finding, name)
            _texts(ElementTree.SubElement(record, name), x=x, y=y, z=z)
    for name in STACKS:
        _stack(record, name, getattr(finding, name))


def _stack(record: ElementTree.Element, name: str, frames: Stack) -> None:
    if not frames:
        return
    first, *rest = name.split("_")
    stack = ElementTree.SubElement(record, first + "".join(map(str.capitalize, rest)))
    for frame in frames:
        element = ElementTree.SubElement(stack, "frame")
        _texts(element, func=frame.function, file=frame.file, line=frame.line)
        if frame.text:
            _texts(element, text=frame.text)


def _texts(parent: ElementTree.Element, **values: object) -> None:
    for name, value in values.items():
        ElementTree.SubElement(parent, name).text = _printable(str(value))


def _printable(text: str) -> str:
    """Return text without the control characters that XML cannot express."""
    return "".join(each if each >= " " or each in "\t\n" else "?" for each in text)
