# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's log as records of Python's `logging`."""

from __future__ import annotations

import logging
import os
import threading

import pytest
from support.scripts import run_checked, run_script

from cuda.bindings import driver
from cuda.core.utils import DriverLog, driver_messages, log_driver_messages

NAME = "cuda.core.driver"


@pytest.fixture
def messages():
    """Return the records of the documented logger."""
    found = []
    handler = logging.Handler()
    handler.emit = found.append
    logger = logging.getLogger(NAME)
    logger.addHandler(handler)
    logger.propagate = False
    yield found
    logger.removeHandler(handler)
    logger.propagate = True


def fail(ordinal=1000):
    status, _ = driver.cuDeviceGet(ordinal)
    assert status == driver.CUresult.CUDA_ERROR_INVALID_DEVICE


pytestmark = pytest.mark.cpu_only  # whose messages are known; another driver needs CUDA 12.9


@pytest.mark.parametrize("logger", ["a name", None, 3])
def test_only_loggers_are_accepted(logger):
    threads = threading.active_count()
    wrong = rf"DriverLog: logger must be a logging.Logger, not {type(logger).__name__}"
    with pytest.raises(TypeError, match=wrong + ("; log_driver_messages" if logger == "a name" else "$")):
        DriverLog(logger)
    assert threading.active_count() == threads


def test_errors_become_records(messages):
    with log_driver_messages() as log:
        assert repr(log) == "<DriverLog to logger 'cuda.core.driver'>"
        fail(1000)
        log.flush()
        assert [(record.name, record.levelno) for record in messages] == [(NAME, logging.ERROR)]
        assert "device 1000 of" in messages[0].getMessage()
        fail(1001)
    assert ["1001" in record.getMessage() for record in messages] == [False, True]  # close waits as flush does
    assert log.is_closed
    assert log.lost == 0
    fail(1002)
    log.flush()
    log.close()
    assert len(messages) == 2
    assert repr(log) == "<DriverLog to logger 'cuda.core.driver', closed>"
    assert any("device 1002 of" in text for text in driver_messages())


def test_warnings_have_their_level(messages):
    from cuda.cpu.driver.base import error

    with log_driver_messages(logging.getLogger(NAME)):
        error.note_warning("something may be better")
    assert [(record.levelno, record.getMessage()) for record in messages] == [
        (logging.WARNING, "something may be better")
    ]


def test_statuses_of_routine_queries_are_not_logged(device, messages):
    with log_driver_messages():
        attribute = driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
        assert driver.cuPointerGetAttribute(attribute, id(messages))[0] != 0
        fail()
    assert len(messages) == 1


def test_handlers_may_call_cuda(messages):
    """The driver does not wait for handlers, so they may call CUDA, even with calls that fail again."""
    calls = []

    class Asking(logging.Handler):
        def emit(self, record):
            if len(calls) < 3:
                calls.append(driver.cuDeviceGetCount()[0])
                fail(2000)
                log.flush()  # in the thread that delivers: does nothing

    handler = Asking()
    logging.getLogger(NAME).addHandler(handler)
    try:
        with log_driver_messages() as log:
            fail()
            for _ in range(4):
                log.flush()
    finally:
        logging.getLogger(NAME).removeHandler(handler)
    assert calls == [0, 0, 0]
    assert len(messages) == 4


def test_an_exception_of_a_handler_does_not_stop_the_log(messages, capsys):
    def explode(record):
        raise RuntimeError("no")

    logging.getLogger(NAME).addFilter(explode)
    try:
        with log_driver_messages():
            fail()
    finally:
        logging.getLogger(NAME).removeFilter(explode)
    with log_driver_messages():
        fail()
    assert len(messages) == 1
    assert "a handler of cuda.core.driver failed" in capsys.readouterr().err


def test_more_messages_than_the_pipe_holds_arrive(messages):
    """A slow handler loses messages and reports that; no driver call waits for it."""
    gate = threading.Event()

    class Slow(logging.Handler):
        def emit(self, record):
            gate.wait(30)

    handler = Slow()
    logging.getLogger(NAME).addHandler(handler)
    try:
        with log_driver_messages() as log:
            for _ in range(3000):
                fail()
            assert log.lost > 0
            gate.set()
    finally:
        logging.getLogger(NAME).removeHandler(handler)
    assert len(messages) + log.lost == 3000


def test_messages_of_several_threads_arrive(messages):
    with log_driver_messages():
        threads = [threading.Thread(target=lambda: [fail(1000 + i) for i in range(20)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(messages) == 80


def test_starting_and_stopping_while_threads_fail(messages):
    """A callback that runs while its log is closed finishes first, and does not write to a reused file descriptor."""
    over = threading.Event()

    def keep_failing():
        while not over.is_set():
            fail()

    threads = [threading.Thread(target=keep_failing) for _ in range(2)]
    opened = len(os.listdir("/proc/self/fd"))
    for thread in threads:
        thread.start()
    for _ in range(10):
        log_driver_messages().close()
    over.set()
    for thread in threads:
        thread.join()
    assert len(os.listdir("/proc/self/fd")) == opened


def test_the_log_is_imported_at_first_use():
    said = run_checked(
        """
        import sys
        from cuda.core import Device
        Device(0).set_current()
        from cuda.cpu.driver.base import error
        print(len(error.listeners), "cuda.core._utils._driver_log" in sys.modules)
        """
    )
    assert said.split() == ["0", "False"]


def test_messages_are_flushed_at_process_exit():
    done = run_script(
        """
        import logging
        logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
        from cuda.bindings import driver
        from cuda.core.utils import log_driver_messages
        log_driver_messages()  # nobody keeps it
        driver.cuDeviceGet(1000)
        """
    )
    assert done.returncode == 0
    assert done.stderr.startswith("cuda.core.driver ERROR error 101: device 1000 of 1")


def test_a_forked_child_can_close_the_log():
    said = run_checked(
        """
        import os
        from cuda.core.utils import log_driver_messages
        log = log_driver_messages()
        child = os.fork()
        if not child:
            log.flush()
            log.close()
            os._exit(0)
        print(os.waitpid(child, 0)[1], log.is_closed)
        log.close()
        """
    )
    assert said.split() == ["0", "False"]


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"^logger must be a name or a logging.Logger, not int$"):
        log_driver_messages(5)


SAYS = """
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, launch, system

PTX = ".version 8.0\\n.target sm_75\\n.address_size 64\\n.visible .entry k(.param .u32 n) { ret; }"
device = Device(0)
device.set_current()
launch(device.default_stream, LaunchConfig(grid=1, block=1), Program(PTX, "ptx").compile("ptx").get_kernel("k"), 1)
driver.cuPointerGetAttribute(driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, id(device))
try:
    system.Device(0).temperature.get_threshold("mem_max")
except system.NotSupportedError:
    pass
driver.cuDeviceGet(1000)
"""


def test_cuda_cpu_log_prints_errors():
    """CUDA_CPU_LOG=1 prints real errors; =all also the errors of routine queries."""
    loud = run_script(SAYS, CUDA_CPU_LOG="1").stderr.splitlines()
    assert [line for line in loud if line.startswith("cuda.cpu: ")] == [
        "cuda.cpu: error 101: device 1000 of 1: set CUDA_CPU_DEVICES for more"
    ]
    louder = run_script(SAYS, CUDA_CPU_LOG="all").stderr
    assert "cuda.cpu: answer 1: kernel 'k' has 1 parameters, none with index 1" in louder
    assert "cuda.cpu: answer 1: cuPointerGetAttribute: 0x" in louder
    assert "cuda.cpu: error 101: device 1000" in louder
    assert "cuda.cpu: answer 3: nvmlDeviceGetTemperatureThreshold: this system does not report" in louder
