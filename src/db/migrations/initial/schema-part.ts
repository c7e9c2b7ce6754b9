/**
 * SQL of one noun's part of the initial schema. `tables` creates its tables and indexes and may reference only tables of
 * parts before it; `rules` runs after all tables exist: references to later tables, functions and triggers.
 *
 * PostgreSQL names primary keys, references and NOT NULL constraints (`charge_pkey`, `charge_account_uuid_fkey`);
 * every other constraint, index, trigger and function is named here. A check of one column is `<table>_<column>_check`.
 */
export type SchemaPart = { tables?: string; rules?: string }
