#!/bin/sh
# Builds the production image and starts its API as the chart does: not as root, over a read-only file system, without capabilities. Needs
# Docker, or Podman as DOCKER=podman.
set -eu
cd "$(dirname "$0")/.."
docker=${DOCKER:-docker}
"$docker" build --tag trilho:check --build-arg TRILHO_BUILD_ID=check .
bytes=$("$docker" image inspect --format '{{.Size}}' trilho:check)
echo "The image has $((bytes / 1000000)) MB."
[ "$bytes" -le 300000000 ] || { echo 'It is larger than 300 MB.' >&2; exit 1; }

# No server is there: the API serves its health all the same, and waits for them.
container=$("$docker" run --detach --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges \
  --env DATABASE_URL=postgresql://trilho@127.0.0.1:1/trilho --env TEMPORAL_ADDRESS=127.0.0.1:1 \
  --env TRILHO_SECRET_KEY="check:$(head -c 32 /dev/urandom | base64)" trilho:check)
trap '"$docker" rm --force "$container" > /dev/null' EXIT
tries=0
until "$docker" exec "$container" bash -c \
  'exec 3<>/dev/tcp/127.0.0.1/3000 && printf "GET /healthz HTTP/1.0\r\n\r\n" >&3 && grep -q "^HTTP/1.1 200" <&3'; do
  tries=$((tries + 1))
  [ "$tries" -lt 30 ] || { "$docker" logs "$container" >&2; exit 1; }
  sleep 1
done
[ "$("$docker" exec "$container" id -u)" = 1000 ] || { echo 'It runs as another user than 1000.' >&2; exit 1; }
"$docker" exec "$container" node dist/cli.js --help > /dev/null
echo 'It runs as user 1000 over a read-only file system.'
