import { runInTransaction } from '../../db/client/transaction.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { isPaidChargeState } from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { FoundCharge } from '../../domain/providers/provider.ts'
import type {
  ChargeInput,
  ChargeSnapshot,
  IssueChargeResult,
  RestoreIssuedChargeResult,
} from '../../workflows/contracts/charges.ts'
import { recordIssueRefusal, startIssueAttempt, storeCharge } from '../charges/issue-attempts.ts'
import { failIssuing, readIssueResult, recordIssuedCharge } from '../charges/issue-charge.ts'
import { toChargeSnapshot } from '../charges/poll-charge.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByOrderTime } from '../shared/credentials-epoch.ts'
import { getOrderTime } from '../shared/order-time.ts'
import { callRepeatably } from '../shared/provider-client.ts'
import { lockCharge } from '../shared/transition.ts'
import { restoreChargeEnd } from './restore-final-state.ts'

type KnownCharge = { connectionUuid: string; found: FoundCharge }

/**
 * Restores a charge after a database restore: stores its row again with the payload that the API has shown (SPEC §11).
 * Issues no new payload. Where several providers have a payload, all others are orphans and are cancelled. The charge
 * becomes FAILED where no provider has one.
 */
export function restoreIssuedCharge(dependencies: ActivityDependencies) {
  return async (order: ChargeInput): Promise<RestoreIssuedChargeResult> => {
    const { orm } = dependencies
    if ((await storeRestoredCharge(dependencies, order)) !== 'issuing')
      return { kind: 'known', issued: await readIssueResult(orm.em.fork(), order.uuid) }
    const { knownCharges, noAnswerCode } = await findAtCandidates(dependencies, order)
    const { connectionUuid: issuerUuid, ended } = order.restored ?? {}
    if (noAnswerCode !== null && !knownCharges.some(one => one.connectionUuid === issuerUuid))
      return { kind: 'no_answer', code: noAnswerCode }
    // The API showed no payload of a charge that failed: any payload at a provider is an orphan.
    const shownCharge = ended === 'failed' ? undefined : pickShownCharge(knownCharges, issuerUuid)
    // Its workflow had recorded a payment, so a provider has the payload and does not find it now.
    if (!shownCharge && isPaidChargeState(ended)) return { kind: 'no_answer', code: 'not_found' }
    for (const one of knownCharges.filter(each => each !== shownCharge))
      await recordOrphanedCharge(dependencies, order, one)
    const adopted = shownCharge && (await adoptIssuedCharge(dependencies, order, shownCharge))
    if (shownCharge && shownCharge.found.payments.length > 0) return { kind: 'known', issued: adopted! }
    await restoreCharge(dependencies)({ uuid: order.uuid, ended })
    const issued = await runInTransaction(orm, em => failIssuing(em, order.uuid, 'not_found_after_restore'))
    return { kind: 'known', issued }
  }
}

/** Restores the unpaid final state that a charge's workflow had reached; returns the current state. Repeatable. */
export function restoreCharge({ orm }: ActivityDependencies) {
  return ({ uuid, ended }: { uuid: string; ended: string | undefined }): Promise<ChargeSnapshot> =>
    runInTransaction(orm, async em => {
      const charge = await lockCharge(em, uuid)
      await restoreChargeEnd(em, charge, ended)
      return toChargeSnapshot(charge)
    })
}

function storeRestoredCharge(dependencies: ActivityDependencies, order: ChargeInput) {
  return runInTransaction(dependencies.orm, async em => {
    const charge = await em.findOne(Charge, order.uuid)
    if (charge) return charge.state
    storeCharge(dependencies, em, order, await em.findOneOrFail(Connection, order.candidates[0]!))
    return 'issuing'
  })
}

/** Polls every candidate for the charge. `noAnswerCode`: why a candidate did not answer; null where all did. */
async function findAtCandidates(
  dependencies: ActivityDependencies,
  order: ChargeInput,
): Promise<{ knownCharges: KnownCharge[]; noAnswerCode: string | null }> {
  const knownCharges: KnownCharge[] = []
  let noAnswerCode: string | null = null
  for (const connectionUuid of order.candidates) {
    throwIfCancelled()
    const em = dependencies.orm.em.fork()
    const { connection, answer } = await callRepeatably(dependencies, em, connectionUuid, provider =>
      provider.findCharge(referenceOf(order.uuid)),
    )
    const found = guardNotFoundByOrderTime(answer, { orderedAt: getOrderTime(order), connection })
    if (found.kind === 'found') knownCharges.push({ connectionUuid, found })
    if (found.kind === 'no_answer') noAnswerCode = found.code
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
    knownCharges.find(({ found }) => found.payments.length > 0) ??
    knownCharges.find(({ connectionUuid }) => connectionUuid === issuerUuid) ??
    knownCharges.at(-1)
  )
}

async function recordOrphanedCharge(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  { connectionUuid }: KnownCharge,
): Promise<void> {
  const issueAttempt = await startIssueAttempt(dependencies, order, connectionUuid)
  const message = 'the payload may differ from the one shown to the payer'
  if (issueAttempt)
    await recordIssueRefusal(dependencies, issueAttempt, { kind: 'unknown', code: 'restored', message })
}

async function adoptIssuedCharge(
  dependencies: ActivityDependencies,
  order: ChargeInput,
  { connectionUuid, found }: KnownCharge,
): Promise<IssueChargeResult> {
  const issueAttempt = await startIssueAttempt(dependencies, order, connectionUuid)
  if (!issueAttempt) return readIssueResult(dependencies.orm.em.fork(), order.uuid)
  return runInTransaction(dependencies.orm, em => recordIssuedCharge(em, issueAttempt, found.charge))
}
