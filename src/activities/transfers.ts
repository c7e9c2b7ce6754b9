import { namedAttempts } from '../db/attempts.ts'
import type { Failure, Transfer } from '../db/entities/transfer.ts'
import type { EntityManager } from '../db/orm.ts'
import { lockAvailable, lockBalances } from '../db/post.ts'
import { transferHeld, transferReleased } from '../domain/ledger.ts'
import { feeOf } from '../domain/money.ts'
import { transfer as life } from '../domain/transfer.ts'
import { acceptedTransfer } from '../wire/transfer.ts'
import { announceTransfer } from './announce.ts'
import { partyOf } from './connections.ts'
import { repayments } from './inflow.ts'
import { lockTransferBeside, moveTransfer, type PixOut } from './move.ts'
import { book, failMovement } from './movements.ts'
import type { By, Outgoing } from './outgoing.ts'
import { failureOf } from './transfer-failures.ts'
import { takeReturns } from './transfer-returns.ts'
import { know, outMovement, settle, settleTwice, settleUncovered } from './transfer-settlements.ts'

/** Payout rules of a transfer, which may go through several providers (SPEC §4, §6). */
export const pixOut: Outgoing<PixOut> = {
  operation: 'transfer',
  lock: lockTransferBeside,

  over({ transfer: { state, failure } }) {
    return life.isOver(state) ? (failure?.code ?? state) : null
  },

  orderOf: ({ transfer }) => transfer,

  notTaken: endNotTaken,

  begin(em, { transfer }, by) {
    return beginTransfer(em, transfer, by)
  },

  send(provider, { transfer }, { attempt, connection }: By) {
    return provider.sendTransfer({
      id: attempt.reference,
      cents: transfer.valueCents,
      pixKey: transfer.pixKey,
      document: transfer.document ?? null,
      payerKey: connection.collectionKey ?? null,
    })
  },

  find(provider, attempt) {
    return provider.findTransfer(attempt.reference)
  },

  async accepted(em, { transfer, attempts }, sending) {
    if (transfer.state !== 'sending') return
    know(transfer, sending)
    moveTransfer(transfer, 'accepted', new Date())
    transfer.accepted ??= acceptedTransfer(transfer, await namedAttempts(em, attempts))
  },

  async settled(em, out, attempt, sending) {
    const { transfer } = out
    if (life.accepts(transfer.state, 'accepted')) await pixOut.accepted(em, out, sending)
    const mine = transfer.connection.uuid === attempt.connectionUuid
    const inTime = mine && life.accepts(transfer.state, 'settled')
    const late = life.accepts(transfer.state, 'settled_late')
    if (!inTime && !late && !mine) return settleTwice(em, transfer, attempt, sending)
    attempt.state = 'settled'
    await em.flush() // First, because the event shows it, with the moment of its writing.
    const isHeld = transfer.heldCents > 0 // Not where a restored balance did not cover it.
    if (inTime && isHeld) await settle(em, out, sending)
    else if (inTime || late) await settleUncovered(em, out, attempt, sending)
  },

  afterwards(em, out, attempt, sending) {
    return takeReturns(em, { ...out, attempt }, sending.returns ?? [])
  },

  standing({ transfer: { state, connection } }) {
    return { transfer: { state, connectionUuid: connection.uuid } }
  },

  /** Another provider may follow, so the hold stays until that one begins or none is left; after an acceptance none is. */
  async refused(em, out, attempt) {
    const { transfer } = out
    const mayBeTriedAgain = transfer.scheduledFor && attempt.finality !== 'final'
    if (mayBeTriedAgain && life.accepts(transfer.state, 'put_off')) return putOff(em, transfer)
    if (transfer.state !== 'settling' || transfer.connection.uuid !== attempt.connectionUuid) return
    await endUnsent(em, out, 'rejected', {
      code: attempt.code ?? 'rejected',
      message: attempt.message ?? 'the provider rejected the transfer',
      provider: transfer.connection.provider,
      ...(attempt.providerCode && { provider_code: attempt.providerCode }),
    })
  },
}

/**
 * Leaving one provider for the next is one transaction: the old hold is given back, the new one taken. `availableCents` of
 * one that holds nothing yet and whose balances are locked already.
 */
export async function beginTransfer(
  em: EntityManager,
  transfer: Transfer,
  { connection, availableCents }: Pick<By, 'connection'> & { availableCents?: number | undefined },
): Promise<{ code: string; message: string } | null> {
  const { accountUuid, valueCents } = transfer
  const { providerAccountUuid } = connection
  const feeCents = feeOf(valueCents, connection.fees.transfer)
  await releaseHold(em, transfer, providerAccountUuid)
  transfer.connection = connection
  transfer.providerAccountUuid = providerAccountUuid
  transfer.sender = partyOf(connection)
  transfer.feeCents = feeCents
  if (transfer.state === 'created') moveTransfer(transfer, 'sending_started', new Date())
  const cents = availableCents ?? (await lockAvailable(em, { accountUuid, providerAccountUuid }))
  if (cents < valueCents + feeCents)
    return { code: 'insufficient_balance', message: 'the available balance does not cover value and fee' }
  await hold(em, transfer)
  return null
}

/** Ends a transfer that did not become visible before its deadline; a finished one stays as it is. */
async function endNotTaken(em: EntityManager, out: PixOut): Promise<void> {
  const event = out.transfer.state === 'created' ? 'not_taken' : 'refused'
  if (life.accepts(out.transfer.state, event)) await endUnsent(em, out, event, failureOf('not_taken'))
}

/** Ends a transfer of which nothing moved: releases its hold, stores its failure, writes the event. */
export async function endUnsent(
  em: EntityManager,
  out: PixOut,
  event: 'refused' | 'rejected' | 'not_taken' | 'cancelled' | 'never_sent',
  failure: Failure | null,
): Promise<void> {
  const at = new Date()
  const { transfer } = out
  await releaseHold(em, transfer)
  transfer.failure = failure
  moveTransfer(transfer, event, at)
  await announceTransfer(em, out, { at })
}

/** Puts a scheduled transfer off that no provider could carry out: nothing is held for it, and it can be cancelled. */
export async function putOff(em: EntityManager, transfer: Transfer): Promise<void> {
  await releaseHold(em, transfer)
  moveTransfer(transfer, 'put_off', new Date())
}

async function hold(em: EntityManager, transfer: Transfer): Promise<void> {
  const held = transfer.valueCents + transfer.feeCents
  transfer.movement = outMovement(em, transfer, {
    connectionUuid: transfer.connection.uuid,
    providerAccountUuid: transfer.providerAccountUuid,
  })
  transfer.heldCents = held
  await book(em, transfer.movement, transferHeld(transfer.accountUuid, held))
}

/**
 * What is free again repays what the service has lent and covers what disputes lack meanwhile, like any inflow. Disputes are
 * locked before balances, and those of the provider account it goes on at, `next`, with those that it leaves.
 */
async function releaseHold(em: EntityManager, transfer: Transfer, next?: string): Promise<void> {
  const { movement, accountUuid, heldCents: cents } = transfer
  if (cents === 0 || !movement) return
  const { providerAccountUuid } = movement
  const inflow = { providerAccountUuid, credits: [{ accountUuid, cents }] }
  const legs = [...transferReleased(accountUuid, cents), ...(await repayments(em, inflow))]
  if (next)
    await lockBalances(em, { accountUuids: [accountUuid], providerAccountUuids: [providerAccountUuid, next] })
  failMovement(movement, new Date())
  await book(em, movement, legs)
  transfer.heldCents = 0
}
