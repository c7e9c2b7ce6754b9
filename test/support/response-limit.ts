/**
 * The 5 s within which callers are answered (src/http/limits.ts), and as much again as a machine may stand still: a
 * caller that waits for several things takes longer.
 */
export const RESPONSE_LIMIT_MS = 7_500
