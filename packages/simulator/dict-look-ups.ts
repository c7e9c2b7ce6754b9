import { readAccountOptions } from './account-options.ts'
import type { SimulatedAccount } from './accounts.ts'
import { findKeyHolder, type KeyHolder } from './key-holder.ts'
import { CHANGING_KEY, FRAUD_MARKED_KEY, isUnknownMagicKey } from './magic-recipients.ts'
import { detectDocumentKind } from './pix-key.ts'
import type { SimulatorState } from './state.ts'

type DictState = Pick<SimulatorState, 'accounts' | 'store' | 'now'>

/** A bucket of tokens, refilled on the simulator's clock. `minTokens`: below them no look-up is made. */
type BucketRule = { name: string; capacity: number; refillPerMinute: number; minTokens: number }

/** DICT's buckets for a person and a company (DICT API 2.12.1, ENTRIES_READ_USER_ANTISCAN). */
function findDictRule({ holderDocument }: SimulatedAccount): BucketRule {
  const isPerson = detectDocumentKind(holderDocument) === 'CPF'
  const size = isPerson ? { capacity: 100, refillPerMinute: 2 } : { capacity: 1_000, refillPerMinute: 20 }
  return { name: 'dict', minTokens: 1, ...size }
}

type Bucket = { tokens: number; at: string }

/** Reads a bucket as it is now; one without a row is full. */
export function readBucket({ store, now }: DictState, { id }: SimulatedAccount, rule: BucketRule): number {
  const row = store.first<Bucket>(
    'SELECT tokens, at FROM dictBucket WHERE accountId = ? AND name = ?',
    id,
    rule.name,
  )
  if (!row) return rule.capacity
  const minutes = Math.max(0, now().getTime() - Date.parse(row.at)) / 60_000
  return Math.min(rule.capacity, row.tokens + minutes * rule.refillPerMinute)
}

/** Adds tokens to a bucket, or takes them where `tokens` is negative; it is never below zero nor above its capacity. */
export function changeBucket(
  state: DictState,
  account: SimulatedAccount,
  rule: BucketRule,
  tokens: number,
): void {
  const level = Math.max(0, Math.min(rule.capacity, readBucket(state, account, rule) + tokens))
  state.store.run(
    `INSERT INTO dictBucket (accountId, name, tokens, at) VALUES (?, ?, ?, ?)
     ON CONFLICT (accountId, name) DO UPDATE SET tokens = excluded.tokens, at = excluded.at`,
    account.id,
    rule.name,
    level,
    state.now().toISOString(),
  )
}

/** What DICT answers to a look-up of a key. `exhausted`: a bucket has too few tokens, and the look-up was not made. */
export type DictAnswer =
  | { kind: 'found'; owner: KeyHolder }
  | { kind: 'not_found' }
  | { kind: 'fraud' }
  | { kind: 'exhausted' }

/**
 * Looks a key up for an account: one token where it is found, twenty where it is not, of DICT's bucket and of the provider's own. The key
 * whose owner changes has another owner from the second look-up on.
 */
export function lookUpDictKey(
  state: DictState,
  account: SimulatedAccount,
  key: string,
  providerRule?: BucketRule,
): DictAnswer {
  const dictRules = readAccountOptions(account).enforces_dict_budget ? [findDictRule(account)] : []
  const rules = [...dictRules, ...(providerRule ? [providerRule] : [])]
  if (rules.some(rule => readBucket(state, account, rule) < rule.minTokens)) return { kind: 'exhausted' }
  const isUnknown = isUnknownMagicKey(key)
  for (const rule of rules) changeBucket(state, account, rule, isUnknown ? -20 : -1)
  if (isUnknown) return { kind: 'not_found' }
  if (key === FRAUD_MARKED_KEY) return { kind: 'fraud' }
  const isFirst = key === CHANGING_KEY && state.store.nextCount(`look-up of ${account.id}`) === 1
  return { kind: 'found', owner: findKeyHolder(state.accounts, key, { isBeforeChange: isFirst }) }
}
