/**
 * SQL of one noun's part of the initial schema. `tables` creates its tables and indexes and may reference only tables of
 * parts before it; `rules` runs after all tables exist: references to later tables, functions and triggers.
 *
 * PostgreSQL names primary keys, references, NOT NULL constraints (charge_pkey, charge_account_uuid_fkey)
 * and checks of one column (charge_state_check). Every other constraint, index, trigger and function is named here.
 * Indexes of lists are in the order in which rows come, and read backward: pages that are filled at their end stay full.
 * For the same reason the uuids of attempts, movements and events begin with their time (version 7).
 * The `created_at` of a table that a cursor reads, by an index of `created_at` and the uuid, has milliseconds, as the cursor has:
 * a batch that a statement inserts by now() would otherwise be partly after its own position.
 */
export type SchemaPart = { tables?: string; rules?: string }

/**
 * Vacuums a large table every few thousand rows: an index-only scan answers a page or a count only from pages that a vacuum
 * has visited.
 */
export const FREQUENT_VACUUM = `with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02)`
