# One image for the API, the worker and the command line, and one, `development`, for the simulator. Debian, because Temporal's native parts are
# built for glibc.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Temporal's native parts for other systems are 110 MB, and those of swc, which only bundles workflows, 40.
RUN npm ci --omit=dev && rm -rf node_modules/@swc/core-* && find node_modules/@temporalio/core-bridge/releases \
  -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -rf {} +

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
# What the pages under /docs are made from.
COPY README.md CONTRIBUTING.md CHANGELOG.md ./
COPY docs ./docs
COPY packages ./packages
# The last steps of the build are no part of what runs.
RUN npm run build && rm dist/build.js dist/offline-routes.js && npm run -s sbom > sbom.cdx.json

# The simulator and the demo account: docker compose --profile simulator. They run from their sources.
FROM build AS development
ENV HOST=0.0.0.0
RUN mkdir -p /simulator && chown 1000:1000 /simulator
USER 1000:1000
CMD ["node", "packages/simulator/main.ts"]

FROM debian:bookworm-slim
# Node's own image has npm, yarn and headers too. Temporal's native part reads the authorities of the system.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates libstdc++6 && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 1000 --create-home node
COPY --from=dependencies /usr/local/bin/node /usr/local/bin/
ENV NODE_ENV=production HOST=0.0.0.0
# Why: packages/dev/env/memory-flags.ts. More cached workflows than the default want a larger old space.
ENV NODE_OPTIONS="--max-old-space-size=320 --max-semi-space-size=8 --v8-pool-size=1" MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY --from=build /app/dist ./dist
# The production packages with their versions, hashes and licences (CycloneDX).
COPY --from=build /app/sbom.cdx.json ./
# The version of its workers (docs/production.md, "Upgrades"); empty, they are unversioned.
ARG TRILHO_BUILD_ID=
ENV TRILHO_BUILD_ID=$TRILHO_BUILD_ID
# Named volumes take over who owns these.
RUN mkdir -p /data /simulator /files/kept /files/coming && chown -R 1000:1000 /data /simulator /files
# By number, so that an orchestrator sees that it is not root.
USER 1000:1000
EXPOSE 3000 3001
# The API's own; compose gives the others theirs.
CMD ["node", "dist/server.js"]
