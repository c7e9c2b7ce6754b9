/**
 * The 5 s within which callers are answered (src/http/limits.ts), and half as much again, as a caller waits for several
 * things on a busy machine. Measured by `measureRunningTime`, so that a machine that stands still does not exceed it.
 */
export const RESPONSE_LIMIT_MS = 7_500
