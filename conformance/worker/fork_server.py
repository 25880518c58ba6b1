"""Fork workers from a process that has imported the adapter and its framework, and has made no call.

A request is one message with the path of the new worker's folder for temporary files, and with its descriptors: the
pipes for its requests, replies and errors, and one for its status. The server writes the worker's process id to the
last, and its exit code (negative for a signal) once the worker and the processes that it started have ended.

Every page of memory that a worker touches is copied, and every library in the process makes forking slower, so this
module imports no more than it needs.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import socket
import struct
import sys
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Optional

from conformance.worker import adapters
from conformance.worker.processes import adopt_orphans, children, end_with_parent, kill_children, outlive_parent
from conformance.worker.session import serve_standard_streams

NO_FOLDER = b"-"
"""A request for a worker without a folder for temporary files; the request for any other is the path of its folder."""
NUMBER = struct.Struct("<q")
"""A process id or an exit code, on the status pipe of a worker."""
_MAX_REQUEST_SIZE = 65536


def run(descriptor: int, adapter: str, mode: str, device: Optional[str] = None) -> None:
    """Serve requests from the socket ``descriptor`` until its other end is closed; then kill all workers.

    device: if given, the framework is set up for it before workers are forked, unless that starts threads: they would
    be missing in the workers.
    """
    loaded = adapters.load(adapter, mode)
    if device is not None:
        process = os.fork()
        if process == 0:
            end_with_parent()
            loaded.setup(device, mode)
            if len(list(Path("/proc/self/task").iterdir())) > 1:
                os._exit(1)
            _serve(descriptor, replace(loaded, setup=_is_set_up))
        if os.waitpid(process, 0)[1] == 0:
            return
    _serve(descriptor, loaded)


def _serve(descriptor: int, adapter: adapters.Adapter) -> None:
    gc.collect()
    gc.freeze()  # so that a collection in a worker does not copy the pages that it shares with the server
    with socket.socket(fileno=descriptor) as control:
        _Server(control, adapter).run()
    os._exit(0)


def _is_set_up(_device: str, _mode: str) -> None:
    """In place of an adapter's ``setup`` that the server has called."""


class _Server:
    def __init__(self, control: socket.socket, adapter: adapters.Adapter) -> None:
        self._control = control
        self._adapter = adapter
        self._imported = children()
        """Processes that the import started."""
        self._adopts = adopt_orphans()
        outlive_parent()  # its end closes the socket, and then all workers are ended
        self._statuses: dict[int, int] = {}
        """The descriptor for the status of each living worker, by process id."""
        self._temporaries: dict[int, str] = {}
        """The folder for temporary files of each living worker that has one."""
        self._wakeup, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)
        self._child_handler = signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)

    def run(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._wakeup, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select()}
                if self._wakeup in ready:
                    os.read(self._wakeup, 4096)
                    self._report_endings()
                if self._control.fileno() in ready and not self._serve_request(selector):
                    break
        for worker in self._statuses:
            _kill_group(worker)
        kill_children(self._imported)

    def _serve_request(self, selector: selectors.BaseSelector) -> bool:
        """Fork the worker of the next request; return False if the socket was closed."""
        data, descriptors, _, _ = socket.recv_fds(self._control, _MAX_REQUEST_SIZE, 4)
        if not data:
            return False
        _flush()
        server = os.getpid()
        try:
            worker = os.fork()
        except OSError:
            traceback.print_exc()
            _close(descriptors)  # the closed status pipe tells that no worker was started
            return True
        temporary = None if data == NO_FOLDER else os.fsdecode(data)
        if worker == 0:
            end_with_parent()  # otherwise the suite adopts it, and what kills its own parent kills the suite
            if os.getppid() != server:
                os._exit(1)
            selector.close()
            os._exit(self._work(temporary, descriptors))
        *streams, status = descriptors
        _close(streams)
        self._statuses[worker] = status
        if temporary is not None:
            self._temporaries[worker] = temporary
        _write(status, worker)
        return True

    def _report_endings(self) -> None:
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            # Until it is waited for, its process id, which is that of its group, is not used again.
            if ended.si_pid in self._statuses:
                _kill_group(ended.si_pid)
            _, code = os.waitpid(ended.si_pid, 0)
            self._report_ending(ended.si_pid, os.waitstatus_to_exitcode(code))

    def _report_ending(self, worker: int, code: int) -> None:
        status = self._statuses.pop(worker, None)
        if status is None:
            return  # a process that the import started
        if self._adopts and not self._statuses:
            kill_children(self._imported)  # what a worker started in sessions of their own
        temporary = self._temporaries.pop(worker, None)
        if temporary is not None:
            _remove(temporary)
        _write(status, code)
        os.close(status)

    def _work(self, temporary: Optional[str], descriptors: list[int]) -> int:
        """Be a worker until its requests end, and return its exit code."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, self._child_handler or signal.SIG_DFL)
        for standard, descriptor in enumerate(descriptors[:3]):
            os.dup2(descriptor, standard)
        _close([*descriptors, *self._statuses.values(), self._wakeup, self._wakes])
        self._control.close()
        _renew(temporary)
        return _exit_code_of_work(self._adapter)


def _renew(temporary: Optional[str]) -> None:
    """Give the process random numbers and, if named, a new temporary folder; Python seeds ``random`` itself.

    What a worker itself imports is new anyway.
    """
    numpy_random, tempfile = sys.modules.get("numpy.random"), sys.modules.get("tempfile")
    if numpy_random is not None:
        numpy_random.seed(int.from_bytes(os.urandom(4), sys.byteorder))  # without a seed, NumPy touches 90 pages more
    if temporary is not None:
        os.mkdir(temporary, 0o700)  # noqa: PTH102 - a Path touches 50 pages more
        os.environ["TMPDIR"] = temporary
        if tempfile is not None:
            tempfile.tempdir = None  # type: ignore[attr-defined]


def _exit_code_of_work(adapter: adapters.Adapter) -> int:
    """The exit code that the interpreter would give to a process that serves requests."""
    code = 0
    try:
        serve_standard_streams(adapter)
    except SystemExit as error:
        code = _code_of(error)
    except BaseException:
        traceback.print_exc()
        code = 1
    _flush()
    return code


def _code_of(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # it is closed, or None
            stream.flush()


def _close(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        if descriptor > 2:
            os.close(descriptor)


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)  # noqa: PTH106 - as for mkdir; it is usually empty
    except OSError:
        import shutil  # loads libraries for compression

        shutil.rmtree(folder, ignore_errors=True)


def _write(status: int, number: int) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody waits for the worker any more
        os.write(status, NUMBER.pack(number))


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
