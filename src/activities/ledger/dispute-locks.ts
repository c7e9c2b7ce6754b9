import type { EntityManager } from '../../db/client/orm.ts'
import type { Charge } from '../../db/entities/charge.ts'
import { Dispute } from '../../db/entities/dispute.ts'
import type { Movement } from '../../db/entities/movement.ts'
import { lockBalances } from '../../db/ledger/post.ts'
import { hasLoaded } from '../../db/pipeline/entity-mapper.ts'
import {
  batchQueries,
  constantQuery,
  noQuery,
  type Query,
  runQuery,
  sendChanges,
} from '../../db/pipeline/query.ts'
import { queryUnresolvedDisputesForUpdate } from '../../db/repositories/disputes.ts'

/** Accounts at one provider account, whose unresolved disputes are locked. */
type DisputeOwners = { providerAccountUuid: string; accountUuids: string[] }

/**
 * Locks the unresolved disputes of accounts at one provider account, in the order of their uuids, and returns them
 * oldest first. Every transaction that changes what a dispute holds locks all of them, after the charge and before any
 * balance, so that an inflow, a refund and a dispute never deadlock. A transaction locks the disputes of all its
 * accounts at once: a later call may only repeat some of them. The connection lock is not enough, because a split
 * credits an account whose connection is not locked.
 */
export async function lockDisputes(em: EntityManager, owners: DisputeOwners): Promise<Dispute[]> {
  return (await lockDisputesWithQuery(em, owners, noQuery))[0]
}

/** Locks the disputes of accounts like `lockDisputes`, then all their balances; for transactions that post more than once. */
export async function lockDisputesAndBalances(em: EntityManager, owners: DisputeOwners): Promise<Dispute[]> {
  const disputes = await lockDisputes(em, owners)
  const { providerAccountUuid, accountUuids } = owners
  await lockBalances(em, { accountUuids, providerAccountUuids: [providerAccountUuid] })
  return disputes
}

/**
 * Locks the disputes of the account that received a PIX; of a charge with splits also those of their recipients, and all
 * balances, because what a dispute claims is taken back from them.
 */
export function lockDisputesOfPix(
  em: EntityManager,
  { providerAccountUuid, accountUuid }: Movement,
  charge: Charge | null,
): Promise<Dispute[]> {
  return charge && charge.splits.length > 0
    ? lockDisputesAndBalances(em, getCreditedAccounts(charge))
    : lockDisputes(em, { providerAccountUuid, accountUuids: [accountUuid] })
}

/** Locks disputes like `lockDisputes` and runs `more` after the locks, in the same batch. */
export async function lockDisputesWithQuery<More>(
  em: EntityManager,
  owners: DisputeOwners,
  more: Query<More>,
): Promise<[Dispute[], More]> {
  const lock =
    owners.accountUuids.length > 0 ? queryUnresolvedDisputesForUpdate(em, owners) : constantQuery([])
  if (hasLoaded(em, Dispute)) await sendChanges(em) // Written before the rows are read again.
  const [disputes, result] = await runQuery(em, batchQueries(lock, more))
  return [disputes.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()), result]
}

/** Returns the accounts that a payment of a charge credits: its owner and the recipients of its splits. */
export function getCreditedAccounts({ accountUuid, providerAccountUuid, splits }: Charge) {
  const recipients = splits.getItems().map(split => split.recipient.uuid)
  return { providerAccountUuid, accountUuids: [accountUuid, ...recipients] }
}
