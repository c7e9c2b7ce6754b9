import { EVENT_RETENTION_DAYS } from '../domain/webhooks/webhook.ts'

/**
 * Every table: what it holds, whether it grows, its personal data, how long a row is kept, and what deletes it. Maintenance deletes
 * by this table (src/db/repositories/pruning.ts), and docs/retention.md is made from it: `npm run docs:tables`.
 */

export type TableRetention = {
  /** What a row is. */
  holds: string
  /** What rows are written for as long as the service runs; absent where their number follows that of accounts, users and connections. */
  growsWith?: string
  /** Columns with personal data, also sealed or masked. */
  personal?: readonly string[]
  kept: Kept
}

/** How long rows of a table are kept. */
export type Kept = PrunedRows | DeletedRows | { why: string }

/** Rows that the schedule `event-pruning` deletes by their age, in batches. */
type PrunedRows = {
  days: number
  /** Column with the moment from which the days count. */
  after: string
  /** SQL condition of the rows of `kept`, an alias of the table, that are deleted; and for the page, what stays longer. */
  only?: { condition: string; exception: string }
}

/** Rows that code of their own deletes: after `days`, or as `until` says. `by`: the source file that does. */
type DeletedRows = { days?: number; until: string; by: string }

const MONEY = 'records of money and of who ordered it, for the legal term'
const WHILE_USED = 'as long as what it belongs to'
const SETTINGS = 'as long as the account'

/** PIX and operations of differences that no comparison has found gone. */
const DIFFERING_SQL = `select c.uuid as connection_uuid, id from difference d
  join connection c on c.provider_account_uuid = d.provider_account_uuid
  cross join lateral unnest(array[d.end_to_end, d.detail #>> '{entry,returnOf}', d.detail #>> '{entry,reference}']) id
  where d.settled_at is null and id is not null`

/** A notification about what a difference is open about stays: reconciliation routes it again. */
export const IS_EXPLAINED_SQL = `(kept.connection_uuid, coalesce(kept.end_to_end, '')) not in (${DIFFERING_SQL})
  and (kept.connection_uuid, coalesce(kept.reference, '')) not in (${DIFFERING_SQL})`

export const RETENTION = {
  // Money.
  movement: {
    holds: 'a movement of money, with sender and receiver',
    growsWith: 'money',
    personal: ['pix_key', 'sender', 'receiver'],
    kept: { why: MONEY },
  },
  posting: { holds: 'a line of the ledger', growsWith: 'money', kept: { why: MONEY } },
  balance: { holds: 'the sum of the postings of a bucket', kept: { why: MONEY } },
  charge: {
    holds: 'a charge, its payload and its debtor',
    growsWith: 'charges',
    personal: [
      'beneficiary_name',
      'beneficiary_document',
      'debtor_name',
      'debtor_document',
      'debtor_email',
      'debtor_address',
      'message',
      'additional_info',
      'issued_as',
      'receiver',
      'pix_key',
      'failure',
    ],
    kept: { why: MONEY },
  },
  charge_expiry: {
    holds: 'an operator’s confirmation that a charge was not paid',
    growsWith: 'operators’ acts',
    personal: ['confirmed_by'],
    kept: { why: MONEY },
  },
  charge_revision: {
    holds: 'a revision of a charge, or a retry of a debit',
    growsWith: 'revisions',
    personal: ['message'],
    kept: { why: MONEY },
  },
  split: { holds: 'a share of a charge', growsWith: 'charges', kept: { why: MONEY } },
  transfer: {
    holds: 'a transfer and its receiver',
    growsWith: 'transfers',
    personal: [
      'pix_key',
      'bank_account',
      'payment_code',
      'document',
      'receiver_id',
      'lookup',
      'beneficiary_name',
      'beneficiary_document',
      'sender',
      'receiver',
      'accepted',
      'failure',
    ],
    kept: { why: MONEY },
  },
  transfer_batch: { holds: 'a batch of transfers', growsWith: 'batches', kept: { why: MONEY } },
  transfer_batch_item: {
    holds: 'what an item of a batch orders',
    growsWith: 'batches',
    personal: ['description', 'details'],
    kept: { why: MONEY },
  },
  refund: {
    holds: 'a refund',
    growsWith: 'refunds',
    personal: ['description', 'failure'],
    kept: { why: MONEY },
  },
  dispute: {
    holds: 'a dispute and the reply to it',
    growsWith: 'disputes',
    personal: ['details', 'provider_analysis', 'analysis'],
    kept: { why: MONEY },
  },
  contest: {
    holds: 'the contest of what was returned by a dispute',
    growsWith: 'disputes',
    personal: ['analysis'],
    kept: { why: MONEY },
  },
  attachment: {
    holds: 'an attachment of a reply or a contest; its file is in the storage',
    growsWith: 'disputes',
    personal: ['name', 'storage_key'],
    kept: { why: MONEY },
  },
  recurrence: {
    holds: 'a recurrence and its payer',
    growsWith: 'recurrences',
    personal: ['debtor_name', 'debtor_document', 'debtor_address', 'sealed_payer_account', 'failure'],
    kept: { why: MONEY },
  },
  qr_code: {
    holds: 'a static code',
    growsWith: 'codes',
    personal: ['pix_key'],
    kept: { why: 'printed codes are paid for years' },
  },
  deposit_return: { holds: 'an order to return a deposit', growsWith: 'returns', kept: { why: MONEY } },
  deposit_assignment: { holds: 'an order to assign a deposit', growsWith: 'deposits', kept: { why: MONEY } },
  attempt: {
    holds: 'an operation at one provider, and its outcome',
    growsWith: 'operations',
    personal: ['message', 'provider_message', 'sealed_handle'],
    kept: { why: MONEY },
  },
  attempt_answer: {
    holds: 'which answers an attempt got, counted by code',
    growsWith: 'operations',
    kept: { why: MONEY },
  },
  payment_link: {
    holds: 'a payment link',
    growsWith: 'links',
    personal: ['note'],
    kept: { why: 'an address that was sent keeps what it promises' },
  },
  payment_link_charge: {
    holds: 'a charge that a payer asked a link for',
    growsWith: 'links',
    kept: { why: MONEY },
  },
  approval_request: {
    holds: 'an order that waits for approvals, or has',
    growsWith: 'approved orders',
    personal: ['maker'],
    kept: { why: MONEY },
  },
  approval: {
    holds: 'an approval or a rejection',
    growsWith: 'approved orders',
    personal: ['approver', 'reason'],
    kept: { why: MONEY },
  },
  difference: {
    holds: 'a disagreement with a provider’s statement',
    growsWith: 'differences',
    personal: ['detail', 'closed_by'],
    kept: { why: MONEY },
  },
  account_entry: {
    holds: 'an entry of a statement that is not a PIX',
    growsWith: 'tariffs and the like',
    kept: { why: MONEY },
  },
  ledger_adjustment: {
    holds: 'a correction of the ledger',
    growsWith: 'operators’ acts',
    kept: { why: MONEY },
  },
  balance_check: { holds: 'the last balance that a provider reported', kept: { why: WHILE_USED } },
  ledger_archive: {
    holds: 'a month of the ledger that is in the storage, with its digest',
    growsWith: 'months',
    kept: { why: MONEY },
  },

  // Accounts, their settings, and who acts.
  account: {
    holds: 'a merchant’s account',
    personal: ['name', 'document'],
    kept: { why: 'the contract, and the money that moved by it' },
  },
  token: { holds: 'an API token', personal: ['name', 'author'], kept: { why: 'names who ordered what' } },
  app_user: {
    holds: 'a user of the dashboard',
    personal: ['email', 'name', 'password_hash', 'last_sign_in_at'],
    kept: { why: 'names who ordered what' },
  },
  user_invitation: {
    holds: 'an invitation to an account',
    personal: ['email'],
    kept: {
      days: 30,
      after: 'expires_at',
      only: {
        condition: 'kept.accepted_at is null',
        exception: 'one that was accepted, as long as its user',
      },
    },
  },
  password_reset: {
    holds: 'a link for a new password',
    growsWith: 'forgotten passwords',
    personal: ['sealed_message'],
    kept: { days: 1, after: 'expires_at' },
  },
  user_totp: { holds: 'a second factor', personal: ['sealed_secret'], kept: { why: WHILE_USED } },
  recovery_code: { holds: 'a recovery code of a second factor, hashed', kept: { why: WHILE_USED } },
  dashboard_session: {
    holds: 'a session of the dashboard',
    growsWith: 'sign-ins',
    personal: ['user_agent', 'network'],
    kept: { days: 1, after: 'expires_at' },
  },
  sign_in_attempt: {
    holds: 'a failed sign-in, by hashes',
    growsWith: 'failed sign-ins',
    personal: ['email_hash', 'address_hash', 'device_hash'],
    kept: { until: 'a day', by: 'src/db/repositories/sign-in-attempts.ts' },
  },
  operator_action: {
    holds: 'an act of an operator or a user, and its reason',
    growsWith: 'acts',
    personal: ['actor', 'reason'],
    kept: { why: 'evidence of who changed what; PostgreSQL refuses every change' },
  },
  pause: {
    holds: 'a pause',
    personal: ['actor', 'reason'],
    kept: { until: 'the pause ends', by: 'src/admin/pauses.ts' },
  },
  account_limits: {
    holds: 'limits of an account, with the receivers that it trusts',
    personal: ['limits', 'pending'],
    kept: { why: SETTINGS },
  },
  limit_usage: {
    holds: 'what was sent in a day, a night, or to a receiver by a hash',
    growsWith: 'transfers',
    personal: ['receiver_hash'],
    kept: {
      days: 30,
      after: 'starts_on',
      only: { condition: `kept.name <> 'new_receiver'`, exception: 'what was sent to a receiver in all' },
    },
  },
  connection: {
    holds: 'a connection to a provider, with sealed credentials',
    personal: ['collection_key', 'virtual_account'],
    kept: { why: SETTINGS },
  },
  provider_account: { holds: 'an account at a provider', personal: ['name'], kept: { why: SETTINGS } },
  provider_account_identity: {
    holds: 'what identifies an account at a bank, hashed',
    kept: { why: SETTINGS },
  },
  provider_account_opening: { holds: 'what an opening balance was read with', kept: { why: MONEY } },
  default_provider: { holds: 'the order of an account’s providers', kept: { why: SETTINGS } },
  callout_secret: { holds: 'what signs call-outs, sealed', kept: { why: SETTINGS } },
  webhook: { holds: 'an endpoint of an account', kept: { why: SETTINGS } },
  report_schedule: { holds: 'a schedule of reports', kept: { why: SETTINGS } },
  pix_key: {
    holds: 'a PIX key of an account',
    personal: ['key'],
    kept: { why: 'says where money was collected' },
  },

  // What is kept for a while.
  event: {
    holds: 'an event as GET showed it',
    growsWith: 'operations',
    personal: ['body'],
    kept: {
      days: EVENT_RETENTION_DAYS,
      until: `${EVENT_RETENTION_DAYS} days; longer while a delivery of it is open, or its PIX is held for a return`,
      by: 'src/db/repositories/events.ts',
    },
  },
  delivery: {
    holds: 'an event on its way to an endpoint',
    growsWith: 'operations',
    kept: { until: 'its event is deleted', by: 'src/db/repositories/events.ts' },
  },
  delivery_attempt: {
    holds: 'an attempt of a delivery, with up to a kilobyte of the answer',
    growsWith: 'operations',
    personal: ['answer'],
    kept: { until: 'its event is deleted', by: 'src/db/repositories/events.ts' },
  },
  provider_notification: {
    holds: 'a notification of a provider, unchanged',
    growsWith: 'operations',
    personal: ['body'],
    kept: {
      days: 30,
      after: 'routed_at',
      only: {
        condition: IS_EXPLAINED_SQL,
        exception: 'one that no workflow has accepted, or about an open difference',
      },
    },
  },
  unexplained_answer: {
    holds: 'a response of a provider that no document explains, sealed',
    growsWith: 'unexplained responses',
    personal: ['sealed_body'],
    kept: {
      days: 30,
      after: 'last_seen_at',
      only: {
        condition: '(kept.period_from is null or kept.resolved_at is not null)',
        exception: 'an item that no later list has explained',
      },
    },
  },
  code_reading: {
    holds: 'what was read of a PIX code',
    growsWith: 'read codes',
    personal: ['receiver', 'sealed_code'],
    kept: { days: 30, after: 'created_at' },
  },
  key_lookup: {
    holds: 'a look-up of a PIX key, masked; sealed in full until it expires',
    growsWith: 'look-ups',
    personal: ['shown_key', 'receiver', 'sealed_answer'],
    kept: { days: 30, after: 'created_at' },
  },
  key_answer: {
    holds: 'the answer about a PIX key, sealed',
    growsWith: 'look-ups',
    personal: ['key_mac', 'sealed_answer'],
    kept: { until: 'one to ten minutes', by: 'src/db/repositories/key-lookups.ts' },
  },
  auth_code: {
    holds: 'a code that proves an address',
    growsWith: 'requested codes',
    personal: ['key', 'sealed_message'],
    kept: {
      days: 30,
      after: 'expires_at',
      only: {
        condition: 'not exists (select from pix_key where auth_code_uuid = kept.uuid)',
        exception: 'one that proved a key, as long as the key',
      },
    },
  },
  auth_code_request: {
    holds: 'when a code was requested, by a hash of the address',
    growsWith: 'requested codes',
    personal: ['address_hash'],
    kept: { until: 'an hour', by: 'src/db/migrations/initial/pix-keys.ts' },
  },
  report: {
    holds: 'a report; its file is in the storage for 30 days, sealed',
    growsWith: 'reports',
    kept: { why: 'its digest says what was handed out' },
  },
  api_request: {
    holds: 'a request of a token, without its bodies',
    growsWith: 'requests',
    kept: { days: 7, until: '7 days', by: 'src/db/repositories/api-requests.ts' },
  },
  search_entry: {
    holds: 'the words that an operation is found by',
    growsWith: 'operations',
    personal: ['words'],
    kept: { why: 'follows the rows of its operation' },
  },

  // Counters and states of processes.
  list_counter: { holds: 'the length of a list by day', growsWith: 'days', kept: { why: WHILE_USED } },
  list_counter_change: {
    holds: 'a change of such a length',
    growsWith: 'operations',
    kept: { until: 'it is folded, within minutes', by: 'src/db/repositories/list-counters.ts' },
  },
  key_lookup_times: {
    holds: 'when a token looked keys up',
    kept: { until: 'a minute', by: 'src/db/repositories/key-lookups.ts' },
  },
  key_lookup_count: { holds: 'an account’s look-ups of a day', kept: { why: WHILE_USED } },
  lookup_budget: { holds: 'look-ups that a provider account has left', kept: { why: WHILE_USED } },
  pix_key_creation_times: { holds: 'when an account ordered keys', kept: { why: WHILE_USED } },
  rate_bucket: { holds: 'the rate limit of a token', kept: { why: WHILE_USED } },
  circuit_breaker: { holds: 'the last failures of a connection', kept: { why: WHILE_USED } },
  provider_access_token: {
    holds: 'an access token of a provider, sealed',
    kept: { until: 'a day after its renewal was due', by: 'src/db/repositories/provider-access-tokens.ts' },
  },
  provider_pace: { holds: 'the next turn of calls of a provider account', kept: { why: WHILE_USED } },
  provider_reach: {
    holds: 'which provider a worker reaches',
    kept: { until: 'an hour after the worker has gone', by: 'src/db/repositories/provider-reach.ts' },
  },
  lost_workflow: {
    holds: 'a row that moves without a workflow',
    kept: { until: 'its workflow runs', by: 'src/db/repositories/lost-workflows.ts' },
  },
  workflow_sweep: { holds: 'the last comparison of rows with workflows', kept: { why: WHILE_USED } },
} satisfies Record<string, TableRetention>

export type TableName = keyof typeof RETENTION

/** Tables whose rows maintenance deletes by their age. */
export const PRUNED_TABLES: ReadonlyMap<TableName, PrunedRows> = new Map(
  Object.entries(RETENTION).flatMap(([table, { kept }]: [string, TableRetention]) =>
    'after' in kept ? [[table as TableName, kept] as const] : [],
  ),
)
