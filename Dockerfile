# The suite with the environment tool that it needs and its cases built, for machines without a network or with many short jobs:
#   docker build -t opconform . && docker run --rm -v "$PWD":/work opconform run ./adapter.py --smoke
# Environments of frameworks are made below /var/lib/conformance when a target first needs them; mount a volume there to keep them.
# For torch.compile and --memcheck, build with --build-arg PACKAGES="g++ valgrind".
FROM python:3.13-slim

ARG PACKAGES=""
RUN if [ -n "$PACKAGES" ]; then apt-get update && apt-get install --yes --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; fi

COPY . /source
RUN python -m pip install --no-cache-dir /source && rm -rf /source

ENV CONFORMANCE_HOME=/var/lib/conformance
RUN conformance check && chmod -R a+rwX /var/lib/conformance

WORKDIR /work
ENTRYPOINT ["conformance"]
CMD ["--help"]
