/**
 * The 5 s within which callers are answered (src/api/limits.ts), and as much again as a machine may stand still: whoever
 * waits for one thing after another takes longer.
 */
export const RESPONSE_LIMIT_MS = 7_500
