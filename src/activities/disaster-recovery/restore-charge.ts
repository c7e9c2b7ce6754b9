import { runInTransaction } from '../../db/client/orm.ts'
import { Charge } from '../../db/entities/charge.ts'
import { Connection } from '../../db/entities/connection.ts'
import { transactionReturning } from '../../db/pipeline/query.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { type ChargeState, isPaidChargeState } from '../../domain/charges/charge.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { FoundCharge } from '../../domain/providers/provider.ts'
import type { ChargeInput, ChargeInputDetails } from '../../workflows/contracts/messages.ts'
import { type ChargeSnapshot, toChargeSnapshot } from '../charges/get-charge.ts'
import {
  recordIssueRefusal,
  startIssueAttempt,
  storeCharge,
  type UnsealedChargeOrder,
} from '../charges/issue-attempts.ts'
import {
  failIssuing,
  type IssueChargeResult,
  readIssueResult,
  recordIssuedCharge,
} from '../charges/issue-charge.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByOrderTime } from '../shared/credentials-epoch.ts'
import { loadProviderConnection } from '../shared/provider-client.ts'
import { lockCharge } from '../shared/transition.ts'
import { restoreChargeEnd } from './restore-final-state.ts'

/** Where a charge stands that is newer than its restored database. */
export type RestoreIssuedChargeResult =
  | { kind: 'known'; issued: IssueChargeResult }
  | { kind: 'no_answer'; code: string }

type KnownCharge = { connectionUuid: string; found: FoundCharge }

/**
 * Stores a charge again and gives it back the payload that was shown (SPEC §11); none is issued anew. More than one
 * provider may know one: what is not the shown one is an orphan, and is cancelled. FAILED where nobody knows it.
 */
export function restoreIssuedCharge(dependencies: ActivityDependencies) {
  return async (order: ChargeInput): Promise<RestoreIssuedChargeResult> => {
    const { orm, sealer } = dependencies
    const issuing = { ...order, unsealedDetails: sealer.open<ChargeInputDetails>(order.details) }
    if ((await storeRestoredCharge(dependencies, issuing)) !== 'issuing') {
      const em = orm.em.fork()
      return { kind: 'known', issued: await readIssueResult(em, order.uuid) }
    }
    const { known, silence } = await findAtCandidates(dependencies, order)
    const { connectionUuid: carrier, ended } = order.restored ?? {}
    if (silence !== null && !known.some(one => one.connectionUuid === carrier))
      return { kind: 'no_answer', code: silence }
    // What nobody could issue was shown to nobody: whatever is known of it is an orphan.
    const shown = ended === 'failed' ? undefined : pickShownCharge(known, carrier)
    // One that its workflow had seen paid is at a provider that does not find it now.
    if (!shown && isPaidChargeState(ended)) return { kind: 'no_answer', code: 'not_found' }
    for (const one of known.filter(each => each !== shown))
      await recordOrphanedCharge(dependencies, issuing, one)
    const taken = shown && (await adoptIssuedCharge(dependencies, issuing, shown))
    if (shown && shown.found.payments.length > 0) return { kind: 'known', issued: taken! }
    await restoreCharge(dependencies)({ uuid: order.uuid, ...(ended !== undefined && { ended }) })
    const issued = await transactionReturning(orm, em =>
      failIssuing(em, order.uuid, 'not_found_after_restore'),
    )
    return { kind: 'known', issued }
  }
}

/** Gives a charge back the end that its workflow had come to unpaid; answers where it stands now. Safe to repeat. */
export function restoreCharge({ orm }: ActivityDependencies) {
  return ({ uuid, ended }: { uuid: string; ended?: string }): Promise<ChargeSnapshot> =>
    runInTransaction(orm, async em => {
      const charge = await lockCharge(em, uuid)
      await restoreChargeEnd(em, charge, { ...(ended !== undefined && { ended }) })
      return toChargeSnapshot(charge)
    })
}

function storeRestoredCharge(
  { orm }: ActivityDependencies,
  order: UnsealedChargeOrder,
): Promise<ChargeState> {
  return runInTransaction(orm, async em => {
    const charge = await em.findOne(Charge, order.uuid)
    if (charge) return charge.state
    storeCharge(em, order, await em.findOneOrFail(Connection, order.candidates[0]!))
    return 'issuing'
  })
}

/** Who knows it, and why somebody did not say, where somebody did not. */
async function findAtCandidates(
  dependencies: ActivityDependencies,
  { uuid, candidates, restored }: ChargeInput,
): Promise<{ known: KnownCharge[]; silence: string | null }> {
  const known: KnownCharge[] = []
  let silence: string | null = null
  for (const connectionUuid of candidates) {
    throwIfCancelled()
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await loadProviderConnection(dependencies, em, connectionUuid)
    const answer = await provider.findCharge(referenceOf(uuid))
    await recordCircuitResult(em, connection, answer)
    const orderedAt = new Date(restored?.orderedAt ?? Date.now())
    const found = guardNotFoundByOrderTime(answer, { orderedAt, connection })
    if (found.kind === 'found') known.push({ connectionUuid, found })
    if (found.kind === 'no_answer') silence = found.code
  }
  return { known, silence }
}

/** Only what was shown can be paid; else its life knew who carried it, and those before the last were left as orphans. */
function pickShownCharge(known: KnownCharge[], carrier: string | undefined): KnownCharge | undefined {
  return (
    known.find(({ found }) => found.payments.length > 0) ??
    known.find(({ connectionUuid }) => connectionUuid === carrier) ??
    known.at(-1)
  )
}

async function recordOrphanedCharge(
  dependencies: ActivityDependencies,
  order: UnsealedChargeOrder,
  { connectionUuid }: KnownCharge,
): Promise<void> {
  const begun = await startIssueAttempt(dependencies, order, connectionUuid)
  const message = 'it may not be the payload that was shown'
  if (begun) await recordIssueRefusal(dependencies, begun, { kind: 'unknown', code: 'restored', message })
}

async function adoptIssuedCharge(
  dependencies: ActivityDependencies,
  order: UnsealedChargeOrder,
  { connectionUuid, found }: KnownCharge,
): Promise<IssueChargeResult> {
  const begun = await startIssueAttempt(dependencies, order, connectionUuid)
  if (!begun) return readIssueResult(dependencies.orm.em.fork(), order.uuid)
  return transactionReturning(dependencies.orm, em => recordIssuedCharge(em, begun, found.charge))
}
