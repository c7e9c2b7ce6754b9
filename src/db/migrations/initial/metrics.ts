import type { SchemaPart } from './schema-part.ts'

/**
 * Where workers publish their metrics, so that one scrape of any API process includes all of them, and which provider
 * each worker reaches, so that a worker without a network knows that another worker has one.
 */
export const metrics: SchemaPart = {
  tables: `
-- Unlogged: after a crash the next publication follows in 5 s.
create unlogged table worker_metrics (
  worker text primary key,
  at timestamptz not null,
  exposition text not null
);

-- Unlogged: after a crash the next probe follows in 5 s.
create unlogged table provider_reach (
  worker text not null,
  origin text not null,
  probed_at timestamptz not null,
  reached_at timestamptz,
  primary key (worker, origin)
);`,
}
