import type { SchemaPart } from './schema-part.ts'

/** Where workers publish their metrics, so that one scrape of any API process includes all of them. */
export const metrics: SchemaPart = {
  tables: `
-- Unlogged: after a crash the next publication follows in 5 s.
create unlogged table worker_metrics (
  worker text primary key,
  at timestamptz not null,
  exposition text not null
);`,
}
