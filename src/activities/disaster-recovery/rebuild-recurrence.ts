import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Recurrence } from '../../db/entities/recurrence.ts'
import { lockRecurrence } from '../../db/repositories/recurrences.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import type { NoAnswerResult, NotFoundResult } from '../../domain/providers/provider.ts'
import type { FindRecurrenceOutcome } from '../../domain/providers/provider-recurrence.ts'
import { recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { PreRestoreState, RebuildResult } from '../../workflows/contracts/rebuild.ts'
import type { RecurrenceInput } from '../../workflows/contracts/recurrences.ts'
import {
  adoptRecurrence,
  describeSent,
  endLiveCreations,
  type FoundRecurrence,
  NOT_SUPPORTED_LOOK_UP,
} from '../recurrences/create.ts'
import { cancelFirstCharge } from '../recurrences/first-charge.ts'
import { storeRecurrence } from '../recurrences/open.ts'
import { changeRecurrence, readSnapshot } from '../recurrences/state.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { callRepeatably, guardNotFoundByOrderTime } from '../shared/provider-client.ts'

type FoundAtCandidate = FoundRecurrence & { kind: 'found' }

/**
 * Rebuilds a recurrence: stores its row again, with what the provider has that created it. It is looked up by our id, and never created.
 * FAILED where no candidate has it. Its first charge is rebuilt before it. Repeatable.
 */
export async function rebuildRecurrence(
  dependencies: ActivityDependencies,
  { order, restored }: { order: RecurrenceInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  const { orm } = dependencies
  const row = await runInTransaction(
    orm,
    async em =>
      (await em.findOne(Recurrence, order.uuid)) ??
      storeRecurrence(dependencies, em, order, new Date(restored.orderedAt)),
  )
  const found = row.state === 'creating' ? await findAtCandidates(dependencies, row, order) : null
  if (found && found.kind !== 'found') {
    const isProof = found.kind === 'not_found' && mayBeAbsent(dependencies, restored)
    if (!isProof) return { kind: 'unknown', code: found.kind === 'not_found' ? found.kind : found.code }
  }
  const result = await runInTransaction(orm, em => recordFound(em, order.uuid, found))
  if (result.kind === 'known' && result.state === 'failed') await cancelFirstCharge(dependencies)(order.uuid)
  return result
}

/** Looks a recurrence up at its candidates; `not_found` where all of them have answered so. */
async function findAtCandidates(
  dependencies: ActivityDependencies,
  row: Recurrence,
  { candidates }: RecurrenceInput,
): Promise<FoundAtCandidate | NotFoundResult | NoAnswerResult> {
  let result: NotFoundResult | NoAnswerResult = { kind: 'not_found' }
  for (const connectionUuid of candidates) {
    const { answer, connection } = await callRepeatably(
      dependencies,
      dependencies.orm.em.fork(),
      connectionUuid,
      async (provider): Promise<FindRecurrenceOutcome> =>
        (await provider.findRecurrence?.(describeSent(row))) ?? NOT_SUPPORTED_LOOK_UP,
    )
    const guarded = guardNotFoundByOrderTime(answer, { orderedAt: row.createdAt, connection })
    if (guarded.kind === 'found') return { ...guarded, connectionUuid }
    if (guarded.kind === 'no_answer') result = guarded
  }
  return result
}

/** Providers list a recurrence later than they make it; one whose workflow had seen its end was made. */
function mayBeAbsent({ timeScale }: ActivityDependencies, { orderedAt, ended }: PreRestoreState): boolean {
  const listedAfterMs = scaleWait(WAITS.nextRecurrenceLookUp(0) + WAITS.nextRecurrenceLookUp(1), timeScale)
  return (ended === undefined || ended === 'failed') && Date.parse(orderedAt) + listedAfterMs < Date.now()
}

async function recordFound(
  em: EntityManager,
  uuid: string,
  found: FoundAtCandidate | NotFoundResult | NoAnswerResult | null,
): Promise<RebuildResult> {
  const row = await lockRecurrence(em, uuid)
  if (row.state === 'creating' && found?.kind === 'found') {
    if (!(await adoptRecurrence(em, row, found))) return { kind: 'unknown', code: 'not_found' }
  } else if (row.state === 'creating') {
    await endLiveCreations(em, row)
    row.failure = failureOf('not_found_after_restore')
    await changeRecurrence(em, row, 'no_provider_created')
  }
  const { state, connectionUuid, deliveries, returns } = await readSnapshot(em, row)
  return {
    kind: 'known',
    state,
    isEnded: recurrenceMachine.isFinal(state),
    connectionUuid,
    deliveries,
    returns,
  }
}
