#!/bin/sh
# Makes or updates the schemas of Temporal's two databases; running it again changes nothing.
set -eu
for name in temporal visibility; do
  database=temporal
  [ "$name" = visibility ] && database=temporal_visibility
  sql() {
    temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" -p "${DB_PORT:-5432}" -u "$POSTGRES_USER" --pw "$POSTGRES_PWD" --db "$database" "$@"
  }
  sql create || true # It is there already.
  sql setup-schema -v 0.0 || true # So is its table of versions.
  sql update-schema --schema-name "postgresql/v12/$name"
done
