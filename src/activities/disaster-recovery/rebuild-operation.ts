import { runInTransaction } from '../../db/client/transaction.ts'
import { Connection } from '../../db/entities/connection.ts'
import { PixKey } from '../../db/entities/pix-key.ts'
import { sendChanges } from '../../db/pipeline/query.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import type { PixKeyInput, PixKeyInputDetails } from '../../workflows/contracts/pix-keys.ts'
import type { PreRestoreState, RebuildResult, RebuiltOperation } from '../../workflows/contracts/rebuild.ts'
import { createKeyAttempt, findKeyAttempt, recordUnknownKeyOutcome } from '../pix-keys/attempts.ts'
import { storePixKey } from '../pix-keys/open.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { rebuildCharge } from './rebuild-charge.ts'
import { rebuildRefund, rebuildReturn, rebuildTransfer } from './rebuild-payouts.ts'

/**
 * Rebuilds the rows of an operation that is newer than the restored database (SPEC §11), from its order and from what the
 * histories of its workflow prove. Sends and issues nothing. Repeatable.
 */
export function rebuildOperation(dependencies: ActivityDependencies) {
  return async (operation: RebuiltOperation): Promise<RebuildResult> => {
    switch (operation.noun) {
      case 'charge':
        return rebuildCharge(dependencies, operation)
      case 'transfer':
        return rebuildTransfer(dependencies, operation)
      case 'refund':
        return rebuildRefund(dependencies, operation)
      case 'return':
        return rebuildReturn(dependencies, operation)
      case 'pix_key':
        return rebuildPixKey(dependencies, operation)
    }
  }
}

/** Stores a key again with an attempt of unknown outcome: it may have been requested, and its provider's list shows it. */
function rebuildPixKey(
  { orm, sealer }: ActivityDependencies,
  { order, restored }: { order: PixKeyInput; restored: PreRestoreState },
): Promise<RebuildResult> {
  return runInTransaction(orm, async (em): Promise<RebuildResult> => {
    const stored = await em.findOne(PixKey, order.uuid, { populate: ['connection'] })
    const row =
      stored ??
      storePixKey(em, order, {
        details: sealer.open<PixKeyInputDetails>(order.details),
        connection: await em.findOneOrFail(Connection, order.connectionUuid),
        // The original reason of a refusal is lost with its row.
        failure: restored.ended === 'refused' ? failureOf('not_found_after_restore') : null,
      })
    await sendChanges(em)
    if (row.state === 'creating' && !(await findKeyAttempt(em, row, 'create_key'))) {
      const attempt = createKeyAttempt(em, row, 'create_key')
      recordUnknownKeyOutcome(attempt, 'interrupted')
      attempt.code = 'interrupted'
    }
    return { kind: 'known', state: row.state, isEnded: row.state !== 'creating' }
  })
}
