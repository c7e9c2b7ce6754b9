import { PREFLIGHT_CODES } from '../../domain/payouts/unsent-code.ts'
import { listJudgedStates } from '../../domain/providers/answer-judgement.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import { PAYOUT_NOUNS, type PayoutNoun } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'
import { readInSnapshot } from '../client/transaction.ts'
import { formatTextArray } from '../sql-conditions.ts'
import { AWAITS_REPLY_SQL, IS_UNMATCHED_SQL } from './account-tasks.ts'

/** Statistics for the overview's plots: volumes of an account, and the performance of its providers. */

/** Plotted days; fewer where adding up the volume of the account would delay the page. */
export const MAX_PLOTTED_DAYS = 14
const PLOTTED_DAYS = [MAX_PLOTTED_DAYS, 3, 1]
const VOLUME_TIMEOUT_MS = 1_000
/** Days of provider statistics, for the connections of an account or for all. */
const PROVIDER_STATISTICS_DAYS = 7
const MAX_ATTEMPTS_PER_CONNECTION = { ofOne: 1_000, ofAll: 100 }

/** A day (`YYYY-MM-DD`) and the moment at which it begins by the account's clocks. */
export type PlottedDay = { day: string; beginsAt: Date }

export type DailyVolume = { day: string; received: number; sent: number; refunded: number }

/** Scope of statistics: one account and one mode; simulated amounts are never added to money. */
export type StatisticsScope = { accountUuid: string; isSimulated: boolean }

/** SQL condition on a connection column: the connections in scope. */
const CONNECTION_IN_SCOPE_SQL =
  'connection_uuid in (select uuid from connection where account_uuid = ? and is_simulated = ?)'

/**
 * Finds the centavos settled on each of these days, or on the latest of them where all cannot be added up in time; an empty list
 * where not even today's can. The days follow one another and end with today.
 */
export async function findDailyVolumes(
  em: EntityManager,
  { days, ...of }: StatisticsScope & { days: PlottedDay[] },
): Promise<DailyVolume[]> {
  for (const count of PLOTTED_DAYS) {
    const moved = await sumDailyVolumes(em, of, days.slice(-count)).catch(error => {
      if (Object(error).code === QUERY_CANCELED) return null
      throw error
    })
    if (moved) return moved
  }
  return []
}

/** SQLSTATE of a statement that PostgreSQL cancelled. */
const QUERY_CANCELED = '57014'

async function sumDailyVolumes(
  outside: EntityManager,
  { accountUuid, isSimulated }: StatisticsScope,
  days: PlottedDay[],
): Promise<DailyVolume[]> {
  return readInSnapshot(outside, async em => {
    await em.execute(`set local statement_timeout = ${VOLUME_TIMEOUT_MS}`)
    return em.execute<DailyVolume[]>(
      `with days as (
       select day, began_at, number::int
       from unnest(?::text[], ?::timestamptz[]) with ordinality as d (day, began_at, number)
     ), moved as (
       -- Compares moments: conversion of each to a day takes as long as the rest of the statement.
       select width_bucket(settled_at, array(select began_at from days order by number)) as number,
         sum(value_cents) filter (where movement_type = 'IN' and type = 'EXTERNAL_TRANSFER') as received,
         sum(value_cents) filter (where movement_type = 'OUT' and type = 'EXTERNAL_TRANSFER') as sent,
         sum(value_cents) filter (where movement_type = 'OUT' and type = 'EXTERNAL_REFUND') as refunded
       from movement
       where account_uuid = ? and status = 'SETTLED' and type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND')
         and created_at > ?::timestamptz - interval '2 days' and ${CONNECTION_IN_SCOPE_SQL}
       group by 1
     )
     select day, coalesce(received, 0)::float8 as received,
       coalesce(sent, 0)::float8 as sent, coalesce(refunded, 0)::float8 as refunded
     from days left join moved using (number) order by number`,
      [
        ...[
          formatTextArray(days.map(({ day }) => day)),
          formatTextArray(days.map(({ beginsAt }) => beginsAt.toISOString())),
        ],
        ...[accountUuid, days[0]!.beginsAt, accountUuid, isSimulated],
      ],
    )
  })
}

export type ProviderStatistics = {
  provider: ProviderName
  /** Number of attempts that called the provider, or that tried to and could not reach it. */
  calls: number
  /** Share of the calls that the provider accepted, among those that have ended. One without a useful answer is not accepted. */
  success: number | null
  issuingMs: number | null
  settlingMs: number | null
}

/**
 * SQL condition on an attempt: a call was made. False for an attempt that ended before its call, by the ledger's available balance
 * or by a block of the service. True where the provider could not be reached.
 */
export const IS_CALLED_SQL = `not a.is_refused_before_call
  and not (a.state = 'unreachable' and coalesce(a.code, '') = any(?::text[]))`

/**
 * Finds, per provider in scope or of all accounts, the share of accepted calls and the median duration. Counts only attempts
 * that called the provider or could not reach it: a refusal of the service itself says nothing about a provider.
 */
export function findProviderStatistics(
  em: EntityManager,
  of: StatisticsScope | null,
): Promise<ProviderStatistics[]> {
  const { accountUuid = null, isSimulated = null } = of ?? {}
  return em.execute(
    `select c.provider, count(a.uuid)::int as calls,
       count(a.uuid) filter (where a.state = any(?::text[]))::float8
         / nullif(count(a.uuid) filter (where a.state = any(?::text[])), 0) as success,
       percentile_cont(0.5) within group (order by extract(epoch from a.updated_at - a.created_at) * 1000)
         filter (where a.operation = 'issue' and a.state = 'accepted') as "issuingMs",
       percentile_cont(0.5) within group (order by extract(epoch from a.updated_at - a.created_at) * 1000)
         filter (where a.operation = 'transfer' and a.state = 'settled') as "settlingMs"
     from connection c
     left join lateral (
       select * from attempt
       where connection_uuid = c.uuid and created_at > now() - interval '${PROVIDER_STATISTICS_DAYS} days'
       order by created_at desc limit ${of ? MAX_ATTEMPTS_PER_CONNECTION.ofOne : MAX_ATTEMPTS_PER_CONNECTION.ofAll}
     ) a on ${IS_CALLED_SQL}
     where ?::uuid is null or (c.account_uuid = ? and c.is_simulated = ?)
     group by c.provider order by c.provider`,
    [
      formatTextArray(listJudgedStates('accepted')),
      formatTextArray(listJudgedStates('accepted', 'refused', 'without_answer')),
      ...[formatTextArray(PREFLIGHT_CODES), accountUuid, accountUuid, isSimulated],
    ],
  )
}

type AccountCounts = Record<
  'availableCents' | 'pendingCharges' | 'transfersUnderWay' | 'unknown' | 'unmatched' | 'disputes',
  number
>

/** Counts the resources of an account: total, pending, and those that may need attention. */
export async function findAccountCounts(
  em: EntityManager,
  { accountUuid, isSimulated }: StatisticsScope,
): Promise<AccountCounts> {
  const [row] = await em.execute<AccountCounts[]>(
    `with k as (select uuid, provider_account_uuid from connection where account_uuid = ? and is_simulated = ?)
     select
       (select coalesce(sum(cents), 0)::float8 from balance where account_uuid = ? and bucket = 'available'
          and provider_account_uuid in (select provider_account_uuid from k)) as "availableCents",
       (select count(*)::int from charge where account_uuid = ? and state in ('issuing', 'pending')
          and connection_uuid in (select uuid from k)) as "pendingCharges",
       (select count(*)::int from transfer where account_uuid = ? and state in ('created', 'held', 'approved', 'sending', 'settling')
          and connection_uuid in (select uuid from k)) as "transfersUnderWay",
       (select count(*)::int from attempt where state = 'unknown' and operation = any(array[?])
          and connection_uuid in (select uuid from k)) as unknown,
       (select count(*)::int from movement where account_uuid = ? and ${IS_UNMATCHED_SQL}
          and connection_uuid in (select uuid from k)) as unmatched,
       (select count(*)::int from dispute where account_uuid = ? and ${AWAITS_REPLY_SQL}
          and connection_uuid in (select uuid from k)) as disputes`,
    [accountUuid, isSimulated, accountUuid, accountUuid, accountUuid, PAYOUT_NOUNS, accountUuid, accountUuid],
  )
  return row!
}

export type UnknownPayouts = { noun: PayoutNoun; count: number; uuids: string[] }

/** Payouts that one address of a list can name. */
const MAX_NAMED_PAYOUTS = 50

/** Finds the payouts of an account whose outcome at the provider is unknown, by their noun: their number, and the oldest of them. */
export function findUnknownPayouts(
  em: EntityManager,
  { accountUuid, isSimulated }: StatisticsScope,
): Promise<UnknownPayouts[]> {
  return em.execute(
    `select operation as noun, count(distinct subject_uuid)::int as count,
       (array_agg(subject_uuid order by created_at))[1:${MAX_NAMED_PAYOUTS}] as uuids
     from attempt where state = 'unknown' and operation = any(array[?]) and ${CONNECTION_IN_SCOPE_SQL}
     group by operation order by operation`,
    [PAYOUT_NOUNS, accountUuid, isSimulated],
  )
}
