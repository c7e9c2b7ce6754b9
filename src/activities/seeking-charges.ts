import { tellBreaker } from '../db/breaker.ts'
import { Charge } from '../db/entities/charge.ts'
import { Connection } from '../db/entities/connection.ts'
import { inTransaction } from '../db/orm.ts'
import { inTransactionAsking } from '../db/questions.ts'
import { type ChargeState, wasPaid } from '../domain/charge.ts'
import { referenceOf } from '../domain/identifiers.ts'
import type { FoundCharge } from '../domain/provider.ts'
import type { ChargeDetails, ChargeOrder } from '../workflows/messages.ts'
import { type ChargeNow, chargeAsNow } from './charge-records.ts'
import { reach } from './connections.ts'
import { answerSinceOrder } from './credentials-epoch.ts'
import type { Dependencies } from './dependencies.ts'
import { throwIfToEnd } from './ending.ts'
import { beginAttempt, type Issuing, leaveCandidate, storeCharge } from './issue-attempts.ts'
import { giveUp, type Issued, issuedMeanwhile, open } from './issuing.ts'
import { lockCharge } from './move.ts'
import { endChargeAsBefore } from './restoring.ts'

/** Where a charge stands that is newer than its restored database. */
export type SoughtCharge = { kind: 'known'; issued: Issued } | { kind: 'no_answer'; code: string }

type Known = { connectionUuid: string; found: FoundCharge }

/**
 * Stores a charge again and gives it back the payload that was shown (SPEC §11); none is issued anew. More than one
 * provider may know one: what is not the shown one is an orphan, and is cancelled. FAILED where nobody knows it.
 */
export function seekCharge(dependencies: Dependencies) {
  return async (order: ChargeOrder): Promise<SoughtCharge> => {
    const { orm, sealer } = dependencies
    const issuing = { ...order, opened: sealer.open<ChargeDetails>(order.details) }
    if ((await stored(dependencies, issuing)) !== 'issuing') {
      const em = orm.em.fork()
      return { kind: 'known', issued: await issuedMeanwhile(em, order.uuid) }
    }
    const { known, silence } = await ask(dependencies, order)
    const { connectionUuid: carrier, ended } = order.restored ?? {}
    if (silence !== null && !known.some(one => one.connectionUuid === carrier))
      return { kind: 'no_answer', code: silence }
    // What nobody could issue was shown to nobody: whatever is known of it is an orphan.
    const shown = ended === 'failed' ? undefined : shownOf(known, carrier)
    // One that its workflow had seen paid is at a provider that does not find it now.
    if (!shown && wasPaid(ended)) return { kind: 'no_answer', code: 'not_found' }
    for (const one of known.filter(each => each !== shown)) await leave(dependencies, issuing, one)
    const taken = shown && (await take(dependencies, issuing, shown))
    if (shown && shown.found.payments.length > 0) return { kind: 'known', issued: taken! }
    await restoreCharge(dependencies)({ uuid: order.uuid, ...(ended !== undefined && { ended }) })
    const issued = await inTransactionAsking(orm, em => giveUp(em, order.uuid, 'not_found_after_restore'))
    return { kind: 'known', issued }
  }
}

/** Gives a charge back the end that its workflow had come to unpaid; answers where it stands now. Safe to repeat. */
export function restoreCharge({ orm }: Dependencies) {
  return ({ uuid, ended }: { uuid: string; ended?: string }): Promise<ChargeNow> =>
    inTransaction(orm, async em => {
      const charge = await lockCharge(em, uuid)
      await endChargeAsBefore(em, charge, { ...(ended !== undefined && { ended }) })
      return chargeAsNow(charge)
    })
}

function stored({ orm }: Dependencies, order: Issuing): Promise<ChargeState> {
  return inTransaction(orm, async em => {
    const charge = await em.findOne(Charge, order.uuid)
    if (charge) return charge.state
    storeCharge(em, order, await em.findOneOrFail(Connection, order.candidates[0]!))
    return 'issuing'
  })
}

/** Who knows it, and why somebody did not say, where somebody did not. */
async function ask(
  dependencies: Dependencies,
  { uuid, candidates, restored }: ChargeOrder,
): Promise<{ known: Known[]; silence: string | null }> {
  const known: Known[] = []
  let silence: string | null = null
  for (const connectionUuid of candidates) {
    throwIfToEnd()
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await reach(dependencies, em, connectionUuid)
    const answer = await provider.findCharge(referenceOf(uuid))
    await tellBreaker(em, connection, answer)
    const orderedAt = new Date(restored?.orderedAt ?? Date.now())
    const found = answerSinceOrder(answer, { orderedAt, connection })
    if (found.kind === 'found') known.push({ connectionUuid, found })
    if (found.kind === 'no_answer') silence = found.code
  }
  return { known, silence }
}

/** Only what was shown can be paid; else its life knew who carried it, and those before the last were left as orphans. */
function shownOf(known: Known[], carrier: string | undefined): Known | undefined {
  return (
    known.find(({ found }) => found.payments.length > 0) ??
    known.find(({ connectionUuid }) => connectionUuid === carrier) ??
    known.at(-1)
  )
}

async function leave(dependencies: Dependencies, order: Issuing, { connectionUuid }: Known): Promise<void> {
  const begun = await beginAttempt(dependencies, order, connectionUuid)
  const message = 'it may not be the payload that was shown'
  if (begun) await leaveCandidate(dependencies, begun, { kind: 'unknown', code: 'restored', message })
}

async function take(
  dependencies: Dependencies,
  order: Issuing,
  { connectionUuid, found }: Known,
): Promise<Issued> {
  const begun = await beginAttempt(dependencies, order, connectionUuid)
  if (!begun) return issuedMeanwhile(dependencies.orm.em.fork(), order.uuid)
  return inTransactionAsking(dependencies.orm, em => open(em, begun, found.charge))
}
