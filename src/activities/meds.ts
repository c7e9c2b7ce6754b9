import { tellBreaker } from '../db/breaker.ts'
import { Med } from '../db/entities/med.ts'
import { all, certain, heardAs, inTransactionAsking, type Question } from '../db/questions.ts'
import type { MedState } from '../domain/med.ts'
import type { MedFacts } from '../domain/med-facts.ts'
import type { MedOrder } from '../workflows/messages.ts'
import { linksTo } from './announce.ts'
import { reach } from './connections.ts'
import type { Dependencies } from './dependencies.ts'
import { type LeftToDo, leftToDo, NOTHING_LEFT } from './left-to-do.ts'
import { takeFacts } from './med-steps.ts'

/** Where a dispute stands, and what an operator is shown of it. */
export type MedNow = LeftToDo & {
  state: MedState
  accountUuid: string
  connectionUuid: string
  endToEnd: string
  valueCents: number
  /** ISO 8601 UTC. */
  dueAt: string
  /** Whether the merchant can still answer, and so is warned before the deadline. */
  answerable: boolean
  warnedHours: number | null
  /** A reply has been taken that the provider does not have yet. */
  replyWanted: boolean
}

export type MedFollowed =
  | (MedNow & { kind: 'known' })
  /** The provider knows no such dispute. */
  | { kind: 'absent' }
  /** It is over there, and about a PIX that was never seen here. */
  | { kind: 'foreign' }
  | { kind: 'no_answer'; code: string }

/** Asks the provider of a dispute what it knows and takes its answer, all in one transaction under the row locks. */
export function followMed(dependencies: Dependencies) {
  return async (order: MedOrder): Promise<MedFollowed> => {
    const em = dependencies.orm.em.fork()
    const { connection, provider } = await reach(dependencies, em, order.connectionUuid)
    const found = await provider.findMed({ id: order.providerMedId, endToEnd: order.endToEnd })
    await tellBreaker(em, connection, found)
    if (found.kind === 'no_answer') return { kind: 'no_answer', code: found.code }
    if (found.kind === 'not_found') {
      // A provider that has told of a dispute and does not find it has not answered.
      const isOurs = (await em.count(Med, order.uuid)) > 0
      return isOurs ? { kind: 'no_answer', code: 'not_found' } : { kind: 'absent' }
    }
    return inTransactionAsking(dependencies.orm, async (tx): Promise<Question<MedFollowed>> => {
      const { timeScale } = dependencies
      const med = await takeFacts(tx, { order, facts: found.med, linkTo: linksTo(dependencies), timeScale })
      if (med) return heardAs(nowOf(med), now => ({ kind: 'known', ...now }))
      // Its PIX may still be on its way to us: the statement brings what a lost notice left behind.
      return certain(
        isOverThere(found.med) ? { kind: 'foreign' } : { kind: 'no_answer', code: 'pix_not_known' },
      )
    })
  }
}

function isOverThere({ status, closed }: MedFacts): boolean {
  return status === 'disagreed' || status === 'withdrawn' || closed
}

export function isAnswerable({ kind, state, repliedAt }: Med): boolean {
  return kind === 'RECEIVED_MED' && state === 'open' && !repliedAt
}

export function nowOf(med: Med): Question<MedNow> {
  // What came back of a transfer is told by events of the transfer, which nobody else may be awake to deliver.
  const others = med.transferUuid ? leftToDo(med.transferUuid) : certain(NOTHING_LEFT)
  return heardAs(all(leftToDo(med.uuid), others), ([left, others]) => ({
    state: med.state,
    accountUuid: med.accountUuid,
    connectionUuid: med.connection.uuid,
    endToEnd: med.endToEnd,
    valueCents: med.valueCents,
    dueAt: med.dueAt.toISOString(),
    answerable: isAnswerable(med),
    warnedHours: med.warnedHours ?? null,
    replyWanted: med.replyState === 'wanted',
    deliveries: [...left.deliveries, ...others.deliveries],
    returns: [...left.returns, ...others.returns],
  }))
}
