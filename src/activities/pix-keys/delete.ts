import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { isPixKeyInUse } from '../../db/repositories/pix-keys.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import { normalizePixKey } from '../../domain/pix-keys/key-format.ts'
import { pixKeyMachine } from '../../domain/pix-keys/pix-key.ts'
import type { DeleteKeyOutcome } from '../../domain/providers/provider.ts'
import { scaleWait } from '../../domain/shared/intervals.ts'
import type { KeyOperationResult, PollPixKeyInput } from '../../workflows/contracts/pix-keys.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { markUnknown } from '../shared/attempts.ts'
import {
  callRepeatably,
  hasSameCredentialsEpoch,
  loadProviderConnection,
  recordCall,
} from '../shared/provider-client.ts'
import { transition, transitionAttempt } from '../shared/transition.ts'
import {
  createKeyAttempt,
  deleteUnsentKeyAttempt,
  findKeyAttempt,
  lockPixKey,
  recordKeyRefusal,
  recordUnknownKeyOutcome,
} from './attempts.ts'

/** Deletes a key at its provider. Deleting is idempotent there, so an interrupted call may be repeated. */
export function deleteKey(dependencies: ActivityDependencies) {
  return async ({ uuid }: { uuid: string }): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const preparation = await runInTransaction(orm, tx => prepareKeyRemoval(tx, uuid))
    if (preparation.kind !== 'call') return preparation
    const em = orm.em.fork()
    const pixKey = await em.findOneOrFail(PixKey, uuid)
    const { connection, provider } = await loadProviderConnection(dependencies, em, pixKey.connection.uuid)
    const outcome = await provider.deleteKey(pixKey.key!)
    const isLeft = await recordCall(dependencies, em, connection, outcome)
    const { calledAt, calledBeforeAt } = preparation
    return runInTransaction(orm, tx =>
      isLeft && calledBeforeAt === null
        ? deleteUnsentKeyAttempt(tx, { uuid, operation: 'delete_key', calledAt })
        : recordKeyRemoval(tx, { uuid, outcome, calledBeforeAt, timeScale }),
    )
  }
}

/** Polls a key that is being deleted: checks whether its provider's list still has it. */
export function pollPixKeyRemoval(dependencies: ActivityDependencies) {
  return async ({ uuid, pollCount }: PollPixKeyInput): Promise<KeyOperationResult> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { connection } = await em.findOneOrFail(PixKey, uuid)
    const { answer } = await callRepeatably(dependencies, em, connection.uuid, provider =>
      provider.listKeys(),
    )
    return runInTransaction(orm, async (tx): Promise<KeyOperationResult> => {
      const row = await lockPixKey(tx, uuid)
      if (row.state !== 'removing') return row.state === 'active' ? { kind: 'still_there' } : toKeyResult(row)
      const attempt = await findKeyAttempt(tx, row, 'delete_key')
      if (!attempt) return { kind: 'still_there' }
      markUnknown(attempt, { pollCount, timeScale })
      if (answer.kind === 'no_answer') return { kind: 'unknown', code: answer.code }
      if (answer.keys.some(one => normalizePixKey(one.key) === row.key)) return { kind: 'still_there' }
      return recordKeyRemoval(tx, { uuid, outcome: { kind: 'not_found' }, calledBeforeAt: null, timeScale })
    })
  }
}

/** `calledBeforeAt`: time of the previous call, which may still reach the provider; null where there is none. */
type RemovalCall = { kind: 'call'; calledAt: Date; calledBeforeAt: Date | null }

/** Prepares the removal under the row lock: `call`, with the attempt stored, or the result without a call. */
async function prepareKeyRemoval(em: EntityManager, uuid: string): Promise<KeyOperationResult | RemovalCall> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'active' && row.state !== 'removing') return toKeyResult(row)
  const earlierAttempt = await findKeyAttempt(em, row, 'delete_key')
  const isRepeat = row.state === 'removing' && earlierAttempt !== null
  if (row.state === 'active') {
    row.failure = null
    if (await isPixKeyInUse(em, row)) {
      row.failure = failureOf('key_in_use')
      return toKeyResult(row)
    }
    transition(row, pixKeyMachine, 'removal_requested', new Date())
  }
  const attempt = earlierAttempt ?? createKeyAttempt(em, row, 'delete_key')
  if (!isRepeat) attempt.credentialsEpoch = row.connection.credentialsEpoch
  transitionAttempt(attempt, 'called')
  Object.assign(attempt, { code: null, message: null, providerCode: null, finality: null })
  Object.assign(attempt, { refusedBy: null, providerMessage: null })
  const calledBeforeAt = isRepeat ? attempt.calledAt! : null
  if (isRepeat) attempt.unknownSince ??= new Date()
  const calledAt = new Date()
  attempt.calledAt = calledAt
  return { kind: 'call', calledAt, calledBeforeAt }
}

type KeyRemovalOutcome = Pick<RemovalCall, 'calledBeforeAt'> & {
  uuid: string
  outcome: DeleteKeyOutcome
  timeScale: number
}

/** Records a provider's answer as far as it proves anything, under the row lock. */
async function recordKeyRemoval(
  em: EntityManager,
  { uuid, outcome, calledBeforeAt: before, timeScale }: KeyRemovalOutcome,
): Promise<KeyOperationResult> {
  const row = await lockPixKey(em, uuid)
  if (row.state !== 'removing') return toKeyResult(row)
  const attempt = (await findKeyAttempt(em, row, 'delete_key'))!
  // The credentials may be of another account: the key may still exist at the account that was called.
  if (outcome.kind === 'not_found' && !hasSameCredentialsEpoch(attempt, row.connection))
    return recordUnknownKeyOutcome(attempt, 'credentials_changed')
  switch (outcome.kind) {
    case 'deleted':
    case 'not_found':
      transitionAttempt(attempt, 'accepted')
      Object.assign(attempt, { unknownSince: null, nextCheckAt: null })
      transition(row, pixKeyMachine, 'removed', new Date())
      return toKeyResult(row)
    case 'rejected':
      if (!before || !canStillArrive(before, row, timeScale))
        return recordKeyRefusal(attempt, row, outcome, 'kept')
      attempt.calledAt = before
      break
    case 'unreachable':
      if (!before) return recordKeyRefusal(attempt, row, outcome, 'kept')
      attempt.calledAt = before
  }
  return recordUnknownKeyOutcome(attempt, outcome.code)
}

/** Tells whether an earlier call may still arrive: its settle window is open, so a repeat's refusal proves nothing. */
function canStillArrive(calledAt: Date, { connection }: PixKey, timeScale: number): boolean {
  return Date.now() < calledAt.getTime() + scaleWait(connection.settleWindowMs, timeScale)
}

function toKeyResult({ state }: PixKey): KeyOperationResult {
  return { kind: 'closed', state }
}
