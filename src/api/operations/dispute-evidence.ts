import type { DisputeEvidence } from '../../contract/disputes/evidence-document.ts'
import { showMovementInitiation } from '../../contract/ledger/movement.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readInSnapshot } from '../../db/client/transaction.ts'
import { Charge } from '../../db/entities/charge.ts'
import type { Dispute } from '../../db/entities/dispute.ts'
import { Transfer } from '../../db/entities/transfer.ts'
import { readDisputeParts } from '../../db/repositories/disputes.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { requireVisibleDispute } from './disputes.ts'

/** Reads what the service holds about a disputed PIX that a token may see, or fails with 404. */
export function readDisputeEvidence(
  requestEm: EntityManager,
  token: CallerToken,
  uuid: string,
): Promise<DisputeEvidence> {
  return readInSnapshot(requestEm, async em => {
    const dispute = await requireVisibleDispute(em, token, uuid)
    const { kind, movement, analysis, providerAnalysis, details } = dispute
    const { attachments, contest } = await readDisputeParts(em, dispute)
    const { sender, receiver } = showMovementInitiation(movement)
    const merchantText = kind === 'RECEIVED_MED' ? analysis : details
    return {
      uuid,
      mode: dispute.connection.isSimulated ? 'test' : 'live',
      kind,
      type: dispute.disputeType,
      openedAt: dispute.openedAt,
      updatedAt: contest && contest.updatedAt > dispute.updatedAt ? contest.updatedAt : dispute.updatedAt,
      valueCents: dispute.valueCents,
      returnedCents: dispute.returnedCents,
      texts: [merchantText, providerAnalysis].filter(text => text != null && text !== '') as string[],
      contest: contest?.analysis ?? null,
      attachments: attachments.map(({ name, bytes }) => ({ name, bytes })),
      pix: {
        endToEnd: showEndToEndId(dispute.endToEnd),
        valueCents: movement.valueCents,
        settledAt: movement.settledAt ?? null,
        sender,
        receiver,
      },
      operation: await findOperation(em, dispute),
    }
  })
}

/** Finds the charge that a disputed PIX paid, or the transfer that sent it. */
async function findOperation(
  em: EntityManager,
  { chargeUuid, transferUuid }: Dispute,
): Promise<DisputeEvidence['operation']> {
  const charge = chargeUuid ? await em.findOneOrFail(Charge, chargeUuid) : null
  const operation = charge ?? (transferUuid ? await em.findOneOrFail(Transfer, transferUuid) : null)
  if (!operation) return null
  const { uuid, externalRef, createdAt, history } = operation
  return { uuid, externalRef: externalRef ?? null, message: charge?.message ?? null, createdAt, history }
}
