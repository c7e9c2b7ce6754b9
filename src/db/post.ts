import { type Leg, type Posting, postingsOf } from '../domain/ledger.ts'
import type { EntityManager } from './orm.ts'

/** The legs of one movement, all at one provider account. */
export type Entry = { movementUuid: string; providerAccountUuid: string; legs: Leg[] }

type Row = Posting & { movementUuid: string; providerAccountUuid: string }

/**
 * Writes the postings of some movements and moves the balances with them, in the caller's transaction.
 * All buckets of an account are locked together and in sorted order, so that two transactions never wait for each other
 * whichever bucket each began with; one that would go below zero is refused by the database (constraint `balance_covered`).
 */
export async function post(em: EntityManager, entries: Entry[]): Promise<void> {
  const postings: Row[] = entries.flatMap(({ movementUuid, providerAccountUuid, legs }) =>
    postingsOf(legs).map(posting => ({ ...posting, movementUuid, providerAccountUuid })),
  )
  if (postings.length === 0) return
  const rows = withBalances(postings, await moveBalances(em, postings))
  // Nobody waits for an answer: in quotes, as MikroORM writes it, it travels with what follows (src/db/pool.ts).
  await em.execute(
    `insert into "posting" (movement_uuid, account_uuid, provider_account_uuid, bucket, cents, balance_cents)
     select movement, account, provider_account, bucket, cents, balance
     from unnest(array[?]::uuid[], array[?]::uuid[], array[?]::uuid[], array[?]::text[], array[?]::bigint[], array[?]::bigint[])
       with ordinality as written (movement, account, provider_account, bucket, cents, balance, position)
     order by position`,
    [
      rows.map(row => row.movementUuid),
      rows.map(row => row.accountUuid),
      rows.map(row => row.providerAccountUuid),
      rows.map(row => row.bucket),
      rows.map(row => row.cents),
      rows.map(row => row.balanceCents),
    ],
  )
}

/** Adds the postings to their balances and answers each balance afterwards, by its place. */
async function moveBalances(em: EntityManager, postings: Row[]): Promise<Map<string, number>> {
  const sums = new Map<string, Row>()
  for (const posting of postings) {
    const sum = sums.get(placeOf(posting)) ?? { ...posting, cents: 0 }
    sum.cents += posting.cents
    sums.set(placeOf(posting), sum)
  }
  const wanted = [...sums.values()]
  const rows: { provider_account_uuid: string; account_uuid: string; bucket: string; cents: string }[] =
    await em.execute(
      `with wanted as (
         select * from unnest(array[?]::uuid[], array[?]::uuid[], array[?]::text[], array[?]::bigint[])
           as w (provider_account, account, bucket, cents)
       ), locked as (
         select provider_account_uuid, account_uuid, bucket from balance
         where (provider_account_uuid, account_uuid) in (select provider_account, account from wanted)
         order by provider_account_uuid, account_uuid, bucket for update
       )
       update balance b set cents = b.cents + w.cents
       from locked l
       join wanted w on w.provider_account = l.provider_account_uuid and w.account = l.account_uuid and w.bucket = l.bucket
       where b.provider_account_uuid = l.provider_account_uuid and b.account_uuid = l.account_uuid
         and b.bucket = l.bucket
       returning b.provider_account_uuid, b.account_uuid, b.bucket, b.cents`,
      [
        wanted.map(sum => sum.providerAccountUuid),
        wanted.map(sum => sum.accountUuid),
        wanted.map(sum => sum.bucket),
        wanted.map(sum => sum.cents),
      ],
    )
  if (rows.length !== wanted.length) throw new Error('a posting to an account without a connection there')
  return new Map(
    rows.map(row => [`${row.provider_account_uuid}/${row.account_uuid}/${row.bucket}`, Number(row.cents)]),
  )
}

/** Each posting with its bucket's balance after it: counted backwards from the balance after the last. */
function withBalances(postings: Row[], after: Map<string, number>) {
  return postings
    .toReversed()
    .map(posting => {
      const balanceCents = after.get(placeOf(posting)) ?? 0
      after.set(placeOf(posting), balanceCents - posting.cents)
      return { ...posting, balanceCents }
    })
    .toReversed()
}

function placeOf(posting: Row): string {
  return `${posting.providerAccountUuid}/${posting.accountUuid}/${posting.bucket}`
}

/** What an account could spend at a provider account right now, its balances locked until the transaction ends. */
export async function lockAvailable(
  em: EntityManager,
  at: { accountUuid: string; providerAccountUuid: string },
): Promise<number> {
  const rows: { bucket: string; cents: string }[] = await em.execute(
    `select bucket, cents from balance where provider_account_uuid = ? and account_uuid = ? order by bucket for update`,
    [at.providerAccountUuid, at.accountUuid],
  )
  return Number(rows.find(row => row.bucket === 'available')?.cents ?? 0)
}
