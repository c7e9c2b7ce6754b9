import type { FinalState, Violation } from '../final-state.ts'

/** SPEC §7: postings add up to zero, balances are their sum, no merchant owes, and the provider's balance is ours. */
export function checkLedgerBalances({
  unbalancedMovements: unbalanced,
  buckets,
  holdings,
}: FinalState): Violation[] {
  const held = buckets.filter(one => one.bucket !== 'outside')
  const ours = Map.groupBy(held, one => one.providerAccount)
  return [
    ...unbalanced.map(({ movement, cents }) => ({
      rule: 'postings_not_zero',
      where: `movement ${movement}`,
      detail: `adds up to ${cents}`,
    })),
    ...buckets
      .filter(one => one.cents !== one.foldCents)
      .map(({ account, providerAccount, bucket, cents, foldCents }) => ({
        rule: 'balance_is_no_fold',
        where: `${account} ${providerAccount} ${bucket}`,
        detail: `balance ${cents}, postings ${foldCents}`,
      })),
    ...held
      .filter(one => (one.bucket === 'shortfall' ? one.cents > 0 : one.cents < 0))
      .map(({ account, providerAccount, bucket, cents }) => ({
        rule: 'bucket_below_zero',
        where: `${account} ${providerAccount} ${bucket}`,
        detail: `${cents}`,
      })),
    ...holdings.flatMap(({ providerAccount, cents }) => {
      const sum = (ours.get(providerAccount) ?? []).reduce((total, one) => total + one.cents, 0)
      return sum === cents
        ? []
        : [{ rule: 'provider_differs', where: providerAccount, detail: `ledger ${sum}, provider ${cents}` }]
    }),
    // Nothing is in progress and no dispute is open any more, so nothing may be held for it.
    ...buckets
      .filter(one => HELD_BUCKETS.has(one.bucket) && one.cents !== 0)
      .map(({ account, providerAccount, bucket, cents }) => ({
        rule: 'held_for_nothing',
        where: `${account} ${providerAccount} ${bucket}`,
        detail: `${cents}`,
      })),
  ]
}

const HELD_BUCKETS = new Set(['provisioned', 'blocked', 'retained'])
