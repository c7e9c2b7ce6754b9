import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS } from '../domain/disputes/attachment.ts'

/** Every bound and wait of the API, and why it is that. */

/** SPEC §1: JSON up to 100 kB. */
export const MAX_BODY_BYTES = 100 * 1024

/** Ten attachments as large as they may be, and the texts beside them. */
export const MAX_FORM_BYTES = MAX_ATTACHMENTS * MAX_ATTACHMENT_BYTES + 1024 * 1024

/** Bytes of one text of a form: more than the longest that is taken, so that the schema says what is wrong with it. */
export const MAX_FORM_TEXT_BYTES = 64 * 1024

/** Far more texts than any form has. */
export const MAX_FORM_FIELDS = 50

/** Texts and files together: whoever sends more sends no form, and what is wrong with each of them is not collected. */
export const MAX_FORM_PARTS = 100

/** A form is read and answered long before: what is older a process left behind that did not end in order. */
export const STALE_FORM_AFTER_MS = 60 * 60_000

/** Forms of one account that one process reads at once: their files lie on its disk. */
export const MAX_CONCURRENT_FORMS = 4

/** Deeper than any body of the contract, shallow enough for every recursion behind it. */
export const MAX_BODY_DEPTH = 16

/** SPEC §1: characters of an accepted `X-Request-Id`. */
export const MAX_REQUEST_ID_CHARS = 128

/** SPEC §9: a revocation is seen everywhere within a second, so no process trusts what it read for longer. */
export const TOKEN_CACHE_MS = 1_000

/** Tokens, known or not, that one process remembers for that second: a flood of bad ones costs no more memory. */
export const MAX_CACHED_TOKENS = 10_000

/** SPEC §1: a process keeps its share of a token's limit for up to a second. */
export const RATE_LEASE_MS = 1_000

/** A process whose token ran dry asks again no more often than this, however many requests come. */
export const EXHAUSTED_LEASE_MS = 100

/** SPEC §1: from a request's arrival, without the time in which its body is sent, to its answer. */
export const REQUEST_DEADLINE_MS = 5_000

/** Of a request's time, what is kept to read back and to tell what became of its longest step. */
export const READ_BACK_RESERVE_MS = 500

/** What is stored at the last moment is committed a little later, before the request looks for it. */
const COMMIT_RESERVE_MS = 500

/** With less of its time left a request begins nothing. */
export const MIN_TO_START_MS = READ_BACK_RESERVE_MS + COMMIT_RESERVE_MS

/** Of a request's time, what is kept to show a page of the dashboard that says why there is no other. */
export const PAGE_RESERVE_MS = 200

/** One statement gets this much before PostgreSQL ends it, and one that froze has half a second more (src/db/client/orm.ts). */
export const STATEMENT_TIMEOUT_MS = 3_500

/** What a 503 of the service itself asks the caller to wait. */
export const UNAVAILABLE_RETRY_S = 5

/** Nobody knows how long an operator's pause will last. */
export const PAUSED_RETRY_S = 60

/** A readiness probe that waits longer than its caller says nothing. */
export const PROBE_TIMEOUT_MS = 2_000

/** A request must have arrived whole by then, so that slow senders hold no connection. */
export const REQUEST_ARRIVAL_TIMEOUT_MS = 30_000

/**
 * A proxy in front keeps a connection that rests for a minute as a rule, and has to be the one that hangs up: a request
 * that meets our end would be answered 502, and nobody knew whether it arrived.
 */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000

/** Who is hung up on before having read what was wrong may never read it; who goes on sending is not waited for. */
export const CLOSE_DELAY_MS = 1_000

/** Ten attachments over a line of 3 Mbit/s. */
export const UPLOAD_TIMEOUT_MS = 300_000

/** Longer than the longest answer (10 s, SPEC §2 and §4), shorter than what an orchestrator grants before killing. */
export const SHUTDOWN_TIMEOUT_MS = 15_000

/** Of the 5 s in which an outage is answered, what finding Temporal may take. */
export const TEMPORAL_READY_TIMEOUT_MS = 3_000

/** SPEC §2: a create that is stored waits this long for its outcome, from the request's arrival. */
export const CREATE_WAIT_MS = 10_000

/** Of a request's time, what is kept to take a reply whose files are stored. */
export const DISPUTE_REPLY_RESERVE_MS = 1_500

/** SPEC §1: the time of a request grows by what storing its files takes at this rate. */
export const STORED_BYTES_PER_MS = 4_000

/** SPEC §4: a transfer waits for its time at most this long. */
export const MAX_SCHEDULE_AHEAD_MS = 90 * 24 * 60 * 60 * 1_000

/** Of the 5 s in which a request is answered, what telling Temporal of a written row may take. */
export const WAKE_TIMEOUT_MS = 3_500
