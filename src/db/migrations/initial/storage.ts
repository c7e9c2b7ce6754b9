/**
 * Vacuums a large table every few thousand rows: an index-only scan answers a page or a count only from pages that a vacuum
 * has visited.
 */
export const FREQUENT_VACUUM = `with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02)`
