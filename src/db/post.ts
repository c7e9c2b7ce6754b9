import { type Leg, type Posting, postingsOf } from '../domain/ledger.ts'
import type { EntityManager } from './orm.ts'

/** The legs of one movement, all at one provider account. */
export type Entry = { movementUuid: string; legs: Leg[] }

/**
 * Writes the postings of some movements and moves the balances with them, in the caller's transaction.
 * Balances are locked in sorted order, so that two transactions never wait for each other; a bucket that would go
 * below zero is refused by the database (constraint `balance_covered`).
 */
export async function post(em: EntityManager, providerAccountUuid: string, entries: Entry[]): Promise<void> {
  const postings = entries.flatMap(entry =>
    postingsOf(entry.legs).map(posting => ({ ...posting, movementUuid: entry.movementUuid })),
  )
  if (postings.length === 0) return
  const after = await moveBalances(em, providerAccountUuid, postings)
  const rows = withBalances(postings, after)
  await em.execute(
    `insert into posting (movement_uuid, account_uuid, provider_account_uuid, bucket, cents, balance_cents)
     select movement, account, ?, bucket, cents, balance
     from unnest(array[?]::uuid[], array[?]::uuid[], array[?]::text[], array[?]::bigint[], array[?]::bigint[])
       with ordinality as written (movement, account, bucket, cents, balance, position)
     order by position`,
    [
      providerAccountUuid,
      rows.map(row => row.movementUuid),
      rows.map(row => row.accountUuid),
      rows.map(row => row.bucket),
      rows.map(row => row.cents),
      rows.map(row => row.balanceCents),
    ],
  )
}

/** Adds the postings to their balances and answers each balance afterwards, by `account/bucket`. */
async function moveBalances(em: EntityManager, providerAccountUuid: string, postings: Posting[]) {
  const sums = new Map<string, Posting>()
  for (const posting of postings) {
    const sum = sums.get(bucketOf(posting)) ?? { ...posting, cents: 0 }
    sum.cents += posting.cents
    sums.set(bucketOf(posting), sum)
  }
  const wanted = [...sums.values()]
  const rows: { account_uuid: string; bucket: string; cents: string }[] = await em.execute(
    `with wanted as (
       select account, bucket, cents from unnest(array[?]::uuid[], array[?]::text[], array[?]::bigint[]) as w (account, bucket, cents)
     ), locked as (
       select b.account_uuid, b.bucket from balance b
       join wanted w on w.account = b.account_uuid and w.bucket = b.bucket
       where b.provider_account_uuid = ?
       order by b.account_uuid, b.bucket for update of b
     )
     update balance b set cents = b.cents + w.cents
     from locked l join wanted w on w.account = l.account_uuid and w.bucket = l.bucket
     where b.provider_account_uuid = ? and b.account_uuid = l.account_uuid and b.bucket = l.bucket
     returning b.account_uuid, b.bucket, b.cents`,
    [
      wanted.map(sum => sum.accountUuid),
      wanted.map(sum => sum.bucket),
      wanted.map(sum => sum.cents),
      providerAccountUuid,
      providerAccountUuid,
    ],
  )
  if (rows.length !== wanted.length) throw new Error('a posting to an account without a connection there')
  return new Map(rows.map(row => [`${row.account_uuid}/${row.bucket}`, Number(row.cents)]))
}

/** Each posting with its bucket's balance after it: counted backwards from the balance after the last. */
function withBalances<T extends Posting>(postings: T[], after: Map<string, number>) {
  return postings
    .toReversed()
    .map(posting => {
      const balanceCents = after.get(bucketOf(posting)) ?? 0
      after.set(bucketOf(posting), balanceCents - posting.cents)
      return { ...posting, balanceCents }
    })
    .toReversed()
}

function bucketOf(posting: Posting): string {
  return `${posting.accountUuid}/${posting.bucket}`
}
