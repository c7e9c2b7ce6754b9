import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../domain/disputes/attachment.ts'

/** Every limit and timeout of the API, with its reason. */

/** Largest JSON body: 100 kB (SPEC §1). */
export const MAX_BODY_BYTES = 100 * 1024

/** Largest batch of transfers, JSON or CSV: a kilobyte for each of its items. */
export const MAX_BATCH_BYTES = 5 * 1024 * 1024

/** Most fields that one answer names with their errors: more help nobody, and 5,000 items may have four each. */
export const MAX_FIELD_ERRORS = 100

/** Largest form: ten attachments of maximum size, and the texts. */
export const MAX_FORM_BYTES = MAX_ATTACHMENTS * MAX_ATTACHMENT_BYTES + 1024 * 1024

/** Most bytes of a form outside its texts and files: headers of parts, which are held in memory. */
export const MAX_FORM_HEADER_BYTES = 1024 * 1024

/** Largest text of a form, in bytes: above the longest accepted text, so that the schema reports the error. */
export const MAX_FORM_TEXT_BYTES = 64 * 1024

/** Most texts of a form, far more than any form has. */
export const MAX_FORM_FIELDS = 50

/** Most parts of a form, texts and files together. Above it the request fails at once, without an error per part. */
export const MAX_FORM_PARTS = 100

/** Age after which a spool folder is stale: its process was killed, because a form is read and answered long before. */
export const STALE_FORM_AFTER_MS = 60 * 60_000

/** Most forms of one account that one process reads at once: their files are on its disk. */
export const MAX_CONCURRENT_FORMS = 4

/** Size from which a response is compressed: below it the saved bytes fit in the same packet. */
export const MIN_COMPRESSED_BYTES = 1024

/** Size up to which a response is compressed at once, in less time than a thread of the pool takes to begin. */
export const MAX_SYNC_COMPRESSION_BYTES = 128 * 1024

/** Deepest JSON nesting: deeper than any body of the contract, shallow enough for recursion. */
export const MAX_BODY_DEPTH = 16

/** Longest accepted `X-Request-Id`, in characters (SPEC §1). */
export const MAX_REQUEST_ID_CHARS = 128

/** How long a token lookup is cached: every process sees a revocation within a second (SPEC §9). */
export const TOKEN_CACHE_MS = 1_000

/** Most cached token lookups of one process, valid or not: a flood of invalid tokens costs no more memory. */
export const MAX_CACHED_TOKENS = 10_000

/** How long a process keeps its lease on a token's rate limit (SPEC §1). */
export const RATE_LEASE_MS = 1_000

/** How long a process waits before it asks an empty bucket again, however many requests arrive. */
export const EXHAUSTED_LEASE_MS = 100

/** Time from a request's arrival to its response, without the time in which its body is sent (SPEC §1). */
export const REQUEST_DEADLINE_MS = 5_000

/** Part of the deadline reserved to read the outcome of the longest step and respond. */
export const READ_BACK_RESERVE_MS = 500

/** A row written at the last moment is committed within this time, before the request reads it. */
const COMMIT_RESERVE_MS = 500

/** With less time than this left, a request starts nothing. */
export const MIN_TO_START_MS = READ_BACK_RESERVE_MS + COMMIT_RESERVE_MS

/** Part of the deadline reserved to render a dashboard page that explains the failure. */
export const PAGE_RESERVE_MS = 200

/** Timeout of a statement in PostgreSQL; the client waits half a second longer (src/db/client/orm.ts). */
export const STATEMENT_TIMEOUT_MS = 3_500

/** `Retry-After` of an outage, in seconds. */
export const UNAVAILABLE_RETRY_S = 5

/** `Retry-After` while an operator has paused payments: how long the pause lasts is unknown. */
export const PAUSED_RETRY_S = 60

/** How often a process reads the age of the oldest task that waits for a worker. */
export const TASK_AGE_INTERVAL_MS = 500

/** Limit of a readiness probe: orchestrators do not wait longer. */
export const PROBE_TIMEOUT_MS = 2_000

/** Time within which a request must arrive completely, so that slow clients hold no connections. */
export const REQUEST_ARRIVAL_TIMEOUT_MS = 30_000

/**
 * Idle time of a connection. A proxy in front usually keeps one for a minute and must be the one that closes it: a
 * request that meets our close would be answered 502, and the merchant could not know whether it arrived.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000

/**
 * Delay before a malformed request's connection is destroyed: the client can read the error first; one that keeps
 * sending is not waited for.
 */
export const CLOSE_DELAY_MS = 1_000

/** Time for an upload: ten attachments at 3 Mbit/s. */
export const UPLOAD_TIMEOUT_MS = 300_000

/**
 * Time a stopping server waits for pending requests: longer than the longest response without an upload (10 s, SPEC §9),
 * shorter than an orchestrator waits before it kills.
 */
export const SHUTDOWN_TIMEOUT_MS = 15_000

/** Part of the 5 s deadline for connecting to Temporal. */
export const TEMPORAL_READY_TIMEOUT_MS = 3_000

/**
 * Extension of the deadline once the request for a PIX key, or for its removal, is stored: a lost answer of the provider
 * is looked up in its list (SPEC §9).
 */
export const PIX_KEY_STORED_WAIT_MS = 5_000

/**
 * Extension of the deadline for the look-up of a key: the longest call of a provider, and the longest wait for the same look-up of
 * another caller (SPEC §9).
 */
export const KEY_LOOKUP_WAIT_MS = 5_000

/** Longest wait for the receipt of a bank, by which the deadline of its request is extended; then this service issues its own (SPEC §7). */
export const RECEIPT_WAIT_MS = 3_000

/** Part of the deadline reserved to submit a dispute reply after its files are stored. */
export const DISPUTE_REPLY_RESERVE_MS = 1_500

/** Rate at which the deadline is extended for storing files (SPEC §1). */
export const STORED_BYTES_PER_MS = 4_000

/** Furthest `scheduled_for` of a transfer (SPEC §4). */
export const MAX_SCHEDULE_AHEAD_MS = 90 * 24 * 60 * 60 * 1_000

/** Part of the 5 s deadline for signalling a workflow after its row is written. */
export const SIGNAL_TIMEOUT_MS = 3_500
