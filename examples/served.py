"""A store behind a service, through `coverset.Client`: the service is started here, on this machine only."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time

from coverset import Client, Retriever

with tempfile.TemporaryDirectory() as folder:
    Retriever.open(f"{folder}/tools.cover").add([{"id": "np.sort", "text": "Return a sorted copy of an array."}])
    command = [sys.executable, "-m", "coverset", "serve", f"{folder}/tools.cover", "--port", "0"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert service.stdout is not None
        address = service.stdout.readline().split()[-1]
        with Client(address) as tools:
            while True:
                try:
                    tools.add([{"id": "np.unique", "text": "Find the unique elements of an array."}])
                    break
                except RuntimeError:  # it is still starting
                    time.sleep(0.2)
            print([hit.id for hit in tools.search("sort, then drop duplicates", k=2)])
    finally:
        service.terminate()
        service.wait()
