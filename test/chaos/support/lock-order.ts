import { createRequire } from 'node:module'

type SendStatement = (...request: unknown[]) => unknown
/** The clients of the pool; `src/db/pipeline/pg.d.ts` declares only what the code uses. */
const { Client } = createRequire(import.meta.url)('pg') as {
  Client: { prototype: { query: SendStatement } }
}

/** The disputes and balances that a transaction has locked, each as `provider account/account`, and what comes after them. */
type LockedMoney = {
  disputes: Set<string>
  balances: Set<string>
  hasBalances: boolean
  /** Accounts whose balance was locked at a provider account that the statement found by a subquery. */
  firstAccounts: Set<string>
  hasLimits: boolean
  hasCounters: boolean
}

const DISPUTE_LOCK = /\bdispute\b[\s\S]*r\.kind = 'RECEIVED_MED'[\s\S]*for update$/
const BALANCE_LOCK = /\bbalance\b[\s\S]*\bfor update\b/
const POSTINGS = /insert into posting/
const LIMITS_LOCK = /\bfrom account_limits\b[\s\S]*for no key update$/
const COUNTERS_LOCK = /\b(insert into|update) limit_usage\b/
const AVAILABLE_BALANCE = /^select bucket, cents from balance/

/**
 * Reads the statements of all transactions of this process and returns what was locked out of order: disputes come
 * before balances, balances before the limits of an account, these before its counters, and what is locked later either is
 * locked already or comes after it in the order of the keys. Without that order, two transactions that credit each other's
 * accounts, or order from one, may deadlock. A deadlock is listed too.
 */
export function watchLockOrder(): { violations: string[]; stop(): void } {
  const violations: string[] = []
  const transactions = new WeakMap<object, LockedMoney>()
  const original = Client.prototype.query

  function lockDisputes(locked: LockedMoney, keys: string[]): void {
    const added = keys.filter(key => !locked.disputes.has(key))
    if (added.length > 0 && (locked.hasBalances || locked.disputes.size > 0))
      violations.push(`disputes of ${added.join(', ')} after ${locked.hasBalances ? 'balances' : 'others'}`)
    for (const key of keys) locked.disputes.add(key)
  }

  function lockBalances(locked: LockedMoney, keys: string[]): void {
    const last = [...locked.balances].sort().at(-1) ?? ''
    const added = keys.filter(key => !locked.balances.has(key))
    const unordered = added.filter(key => key < last)
    if (unordered.length > 0) violations.push(`balances of ${unordered.join(', ')} after ${last}`)
    const unlocked = added.filter(key => !locked.firstAccounts.has(key.split('/')[1]!))
    if (unlocked.length > 0 && (locked.hasLimits || locked.hasCounters))
      violations.push(`balances of ${unlocked.join(', ')} after the limits of an account`)
    locked.hasBalances = true
    for (const key of keys) locked.balances.add(key)
  }

  function lockLimits(locked: LockedMoney): void {
    if (locked.hasCounters && !locked.hasLimits)
      violations.push('the limits of an account after its counters')
    locked.hasLimits = true
  }

  /** `runInTransaction` repeats what PostgreSQL has rolled back because of one, so that no call fails with it. */
  function reportDeadlock(error: Error): void {
    if (error.message === 'deadlock detected') violations.push('a deadlock')
  }

  Client.prototype.query = function (this: object, ...given) {
    const [request] = given as [string | { text: string; values: unknown[] }]
    const { text, values } = typeof request === 'string' ? { text: request, values: [] } : request
    if (/^(begin|start transaction)/.test(text))
      transactions.set(this, {
        disputes: new Set(),
        balances: new Set(),
        hasBalances: false,
        firstAccounts: new Set(),
        hasLimits: false,
        hasCounters: false,
      })
    if (/^(commit|rollback)$/.test(text)) transactions.delete(this)
    const locked = transactions.get(this)
    const result = original.apply(this, given)
    void Promise.resolve(result).catch(reportDeadlock)
    if (!locked) return result
    if (COUNTERS_LOCK.test(text)) locked.hasCounters = true
    // An account without limits has no row to lock.
    else if (LIMITS_LOCK.test(text))
      void (result as Promise<{ rowCount: number }>).then(
        ({ rowCount }) => rowCount > 0 && lockLimits(locked),
        () => undefined,
      )
    else if (DISPUTE_LOCK.test(text)) {
      const [providerAccount, accounts] = values as [string, string[]]
      lockDisputes(
        locked,
        accounts.map(account => `${providerAccount}/${account}`),
      )
    } else if (BALANCE_LOCK.test(text)) {
      const keys = keysOfBalances(text, values)
      if (AVAILABLE_BALANCE.test(text) && text.includes('(select'))
        locked.firstAccounts.add(String(values.at(-1)))
      if (!AVAILABLE_BALANCE.test(text)) lockBalances(locked, keys)
      // One without a row is not locked: the transfer that it is read for exists already.
      else
        void (result as Promise<{ rowCount: number }>).then(
          ({ rowCount }) => rowCount > 0 && lockBalances(locked, keys),
          () => undefined,
        )
    }
    return result
  }

  return {
    violations,
    stop() {
      Client.prototype.query = original
    },
  }
}

/** Returns the keys that a statement locks; none where it finds the provider account by a subquery. */
function keysOfBalances(text: string, values: unknown[]): string[] {
  if (POSTINGS.test(text)) {
    const [, providerAccounts, accounts] = values as [unknown, string[], string[]]
    return accounts.map((account, index) => `${providerAccounts[index]}/${account}`)
  }
  if (AVAILABLE_BALANCE.test(text)) return text.includes('(select') ? [] : [`${values[0]}/${values[1]}`]
  const [first, second] = values as [string | string[], string | string[]]
  const [providerAccounts, accounts] = /where provider_account_uuid/.test(text)
    ? [[first].flat(), [second].flat()]
    : [[second].flat(), [first].flat()]
  return providerAccounts.flatMap(providerAccount => accounts.map(account => `${providerAccount}/${account}`))
}
