import type { SchemaPart } from './schema-part.ts'

/** Which provider each worker reaches, so that a worker without a network knows that another worker has one. */
export const providerReach: SchemaPart = {
  tables: `
-- Unlogged: after a crash the next probe follows in 5 s.
create unlogged table provider_reach (
  worker text not null,
  origin text not null,
  probed_at timestamptz not null,
  reached_at timestamptz,
  primary key (worker, origin)
);`,
}
