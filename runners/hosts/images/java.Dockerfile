FROM debian:stable-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates default-jdk-headless git maven \
    && rm -rf /var/lib/apt/lists/*
