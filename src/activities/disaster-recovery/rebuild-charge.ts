import { runInTransaction } from '../../db/client/transaction.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryChargeKind } from '../../db/repositories/charges.ts'
import {
  type ChargeEvent,
  type ChargeState,
  chargeMachine,
  isIssuedChargeState,
  isPaidChargeState,
} from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { FoundCharge } from '../../domain/providers/provider.ts'
import type { ChargeInput, IssueChargeResult } from '../../workflows/contracts/charges.ts'
import type { PreRestoreState, RebuildResult } from '../../workflows/contracts/rebuild.ts'
import {
  failIssuing,
  readIssueResult,
  recordIssuedCharge,
  recordIssueRefusal,
  startIssueAttempt,
  storeCharge,
} from '../charges/issue-charge.ts'
import { isIssuedAsStaticCode, issueStaticCharge } from '../charges/static-charge.ts'
import { recordChargeEvent } from '../events/record-event.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably, guardNotFoundByOrderTime } from '../shared/provider-client.ts'
import { lockCharge, transition } from '../shared/transition.ts'

type KnownCharge = { connectionUuid: string; foundCharge: FoundCharge }

type RebuiltCharge = { order: ChargeInput; restored: PreRestoreState }

/**
 * Rebuilds a charge: stores its row with the payload that the API has shown, or gives a row that is older than its workflow
 * the unpaid end that this had reached. Issues no new payload. Where several providers have a payload, all others are
 * orphans and are cancelled. The charge becomes FAILED where no provider has one. Repeatable.
 */
export async function rebuildCharge(
  dependencies: ActivityDependencies,
  charge: RebuiltCharge,
): Promise<RebuildResult> {
  const { order, restored } = charge
  if (order.debit && !(await isRecurrenceCreated(dependencies, order.debit.recurrenceUuid)))
    return { kind: 'unknown', code: 'not_found' }
  const state = await storeRebuiltCharge(dependencies, charge)
  if (state === 'issuing') return lookUpCharge(dependencies, charge)
  await recordEnd(dependencies, order.uuid, restored.ended)
  const issueResult = await readIssueResult(dependencies.orm.em.fork(), order.uuid)
  // An end that the history proves needs no poll.
  const isEnded = chargeMachine.isFinal(issueResult.state) && issueResult.state !== state
  return { kind: 'known', ...issueResult, isEnded: isEnded || !isIssuedChargeState(issueResult.state) }
}

/** Tells whether the recurrence of a debit is there, which may have to be rebuilt first. */
async function isRecurrenceCreated({ orm }: ActivityDependencies, uuid: string): Promise<boolean> {
  return (await orm.em.fork().count(Recurrence, { uuid, railId: { $ne: null } })) > 0
}

async function lookUpCharge(
  dependencies: ActivityDependencies,
  charge: RebuiltCharge,
): Promise<RebuildResult> {
  const { uuid } = charge.order
  const { connectionUuid: issuerUuid, ended } = charge.restored
  const { knownCharges, noAnswerCode } = await findAtCandidates(dependencies, charge)
  if (noAnswerCode !== null && !knownCharges.some(one => one.connectionUuid === issuerUuid))
    return { kind: 'unknown', code: noAnswerCode }
  // The API showed no payload of a charge that failed: any payload at a provider is an orphan.
  const shownCharge = ended === 'failed' ? undefined : pickShownCharge(knownCharges, issuerUuid)
  // Its workflow had recorded a payment, so a provider has the payload and does not find it now.
  if (!shownCharge && isPaidChargeState(ended)) return { kind: 'unknown', code: 'not_found' }
  for (const one of knownCharges.filter(each => each !== shownCharge))
    await recordOrphanedCharge(dependencies, charge.order, one)
  const adoptedCharge = shownCharge && (await adoptIssuedCharge(dependencies, charge.order, shownCharge))
  // A payment decides its state.
  if (adoptedCharge && shownCharge.foundCharge.payments.length > 0)
    return { kind: 'known', ...adoptedCharge, isEnded: false }
  await recordEnd(dependencies, uuid, ended)
  const issued = await runInTransaction(dependencies.orm, em =>
    failIssuing(em, uuid, 'not_found_after_restore'),
  )
  return { kind: 'known', ...issued, isEnded: !isIssuedChargeState(issued.state) }
}

const UNPAID_END_EVENTS: Partial<Record<string, Partial<Record<ChargeState, ChargeEvent>>>> = {
  cancelled: { issuing: 'cancelled_before_restore', pending: 'cancelled' },
  expired: { issuing: 'expired_before_restore', pending: 'payload_expired' },
}

/**
 * Records the unpaid final state that a charge's workflow had reached, with or without a payload that a provider still has. No
 * provider is polled: the workflow's history is the proof. A charge in a final state is not changed. Repeatable.
 */
function recordEnd({ orm }: ActivityDependencies, uuid: string, ended: string | undefined): Promise<void> {
  return runInTransaction(orm, async em => {
    const charge = await lockCharge(em, uuid)
    const event = UNPAID_END_EVENTS[ended ?? '']?.[charge.state]
    if (!event || !chargeMachine.accepts(charge.state, event)) return
    const at = new Date()
    transition(charge, chargeMachine, event, at)
    await recordChargeEvent(em, charge, { at })
  })
}

/** Stores the row of a charge where it is missing, and returns its state. */
function storeRebuiltCharge(
  dependencies: ActivityDependencies,
  { order, restored }: RebuiltCharge,
): Promise<ChargeState> {
  return runInTransaction(dependencies.orm, async em => {
    const charge = await em.findOne(Charge, order.uuid)
    if (charge) return charge.state
    const connection = await em.findOneOrFail(Connection, order.candidates[0]!)
    storeCharge(dependencies, em, order, connection, new Date(restored.orderedAt))
    return 'issuing'
  })
}

/**
 * Polls every candidate for the charge. `noAnswerCode`: why a candidate did not answer; null where all did. No provider has a static
 * code: it follows from the order, and is that of the connection that the workflow knew, else of the first one that makes one.
 */
async function findAtCandidates(
  dependencies: ActivityDependencies,
  { order, restored }: RebuiltCharge,
): Promise<{ knownCharges: KnownCharge[]; noAnswerCode: string | null }> {
  const knownCharges: KnownCharge[] = []
  let noAnswerCode: string | null = null
  // Of the row, which is stored by now: an order that was restored from it has no details.
  const kind = await runQuery(dependencies.orm.em.fork(), queryChargeKind(order.uuid))
  for (const connectionUuid of order.candidates) {
    throwIfCancelled()
    const em = dependencies.orm.em.fork()
    const candidate = await em.findOneOrFail(Connection, connectionUuid)
    if (isIssuedAsStaticCode(order.valueCents, candidate)) {
      const isOther = restored.connectionUuid !== undefined && restored.connectionUuid !== connectionUuid
      const issued = isOther || knownCharges.length > 0 ? null : await issueStaticCharge(em, order, candidate)
      if (issued?.kind === 'accepted') {
        const foundCharge: FoundCharge = {
          kind: 'found',
          status: 'open',
          charge: issued.charge,
          payments: [],
        }
        knownCharges.push({ connectionUuid, foundCharge })
      }
      continue
    }
    const { connection, answer } = await callRepeatably(dependencies, em, connectionUuid, provider =>
      provider.findCharge(referenceOf(order.uuid), kind),
    )
    const foundCharge = guardNotFoundByOrderTime(answer, {
      orderedAt: new Date(restored.orderedAt),
      connection,
    })
    if (foundCharge.kind === 'found') knownCharges.push({ connectionUuid, foundCharge })
    if (foundCharge.kind === 'no_answer') noAnswerCode = foundCharge.code
  }
  return { knownCharges, noAnswerCode }
}

/**
 * Picks the payload that the API has shown: the one with payments, because only a shown payload can be paid; else the
 * one at the connection that the workflow knew; else the last one, because earlier candidates were left as orphans.
 */
function pickShownCharge(
  knownCharges: KnownCharge[],
  issuerUuid: string | undefined,
): KnownCharge | undefined {
  return (
    knownCharges.find(({ foundCharge }) => foundCharge.payments.length > 0) ??
    knownCharges.find(({ connectionUuid }) => connectionUuid === issuerUuid) ??
    knownCharges.at(-1)
  )
}

async function recordOrphanedCharge(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  { connectionUuid }: KnownCharge,
): Promise<void> {
  const issueAttempt = await startIssueAttempt(dependencies, order, connectionUuid, { wasCalled: true })
  const message = 'the payload may differ from the one shown to the payer'
  if (issueAttempt)
    await recordIssueRefusal(dependencies, issueAttempt, { kind: 'unknown', code: 'interrupted', message })
}

async function adoptIssuedCharge(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  { connectionUuid, foundCharge }: KnownCharge,
): Promise<IssueChargeResult> {
  const issueAttempt = await startIssueAttempt(dependencies, order, connectionUuid, { wasCalled: true })
  if (!issueAttempt) return readIssueResult(dependencies.orm.em.fork(), order.uuid)
  return runInTransaction(dependencies.orm, em => recordIssuedCharge(em, issueAttempt, foundCharge.charge))
}
