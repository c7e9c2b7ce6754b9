import { UNRESOLVED_DISPUTE_STATES } from '../../domain/disputes/dispute.ts'
import { isTxidDropped } from '../../domain/qr-codes/qr-code.ts'
import type { DepositAssignmentTerms } from '../../domain/unmatched/deposit-assignment.ts'
import type { EntityManager } from '../client/orm.ts'
import { formatTextArray } from '../sql-conditions.ts'

/**
 * Reads what decides whether a received PIX of an account may be assigned to a code; undefined where the account has no such PIX.
 * Under the row lock of the movement the answer stays true: returns and disputes of a PIX are written under it.
 */
export async function readDepositAssignmentTerms(
  em: EntityManager,
  { uuid, accountUuid }: { uuid: string; accountUuid: string },
): Promise<DepositAssignmentTerms | undefined> {
  const [row] = await em.execute<(Omit<DepositAssignmentTerms, 'isCodeNamed'> & { txid: string | null })[]>(
    `select m.reason, m.disposition, m.txid,
       exists (select from movement back where back.original_uuid = m.uuid and back.type = 'EXTERNAL_REFUND'
         and back.status <> 'FAILED') as "hasReturns",
       exists (select from dispute d where d.movement_uuid = m.uuid and d.kind = 'RECEIVED_MED'
         and d.state = any(?::text[])) as "isDisputed",
       exists (select from difference d where d.provider_account_uuid = m.provider_account_uuid and d.movement_type = 'IN'
         and d.end_to_end = m.end_to_end and d.closed_cause = 'adjusted') as "isAdjusted"
     from movement m
     where m.uuid = ? and m.account_uuid = ? and m.movement_type = 'IN' and m.type = 'EXTERNAL_TRANSFER' and m.status = 'SETTLED'`,
    [formatTextArray([...UNRESOLVED_DISPUTE_STATES]), uuid, accountUuid],
  )
  if (!row) return undefined
  const { txid, ...terms } = row
  return { ...terms, isCodeNamed: !isTxidDropped(txid) }
}
